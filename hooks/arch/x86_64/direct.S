/* SPDX-License-Identifier: Apache-2.0 */
/* The ways of hooks that stand alone on x86-64: from a stub to the driver, then through one hook. */

#include "frame_arch.h"

/*
 * All: functions whose arguments lie in integer registers; with \launch, and five
 * words of the stack, as those of cuLaunchKernel.
 *
 * in:   r11d = slot; argument registers and stack of the call
 * out:  the driver's answer, in eax
 * frame: struct direct at rsp once the driver has answered, whose last fields are the
 *        frame pointer, the return address and the caller's stack; CFA by rbp
 *
 * For a thread's first call, and calls inside of calls: goes to \slowly with
 * all as it came. A program has a use for the caches itself. So this is to be
 * short, and \soon asks for what will be read once the driver has answered,
 * before it runs; it finds what the frame keeps for that, in rax.
 */

	/* Where BEGIN jumps to; before the way, as it is seldom wanted. */
	.macro	BACK slowly
	.p2align 6
	.cfi_startproc
9:	leaq	registry_entries+ENTRY_FUNCTION(%rip), %rax
	subq	%rax, %r11
	shrq	$ENTRY_SHIFT, %r11
	jmp	\slowly
	.cfi_endproc
	.endm

	/* To the first read of the clock; r11 = the function in its entry. */
	.macro	BEGIN way, soon, registers=6
	.globl	\way
	.hidden	\way
	.type	\way, @function
	.p2align 6
\way:
	.cfi_startproc
	endbr64
	leaq	registry_entries+ENTRY_FUNCTION(%rip), %rax
	shlq	$ENTRY_SHIFT, %r11
	addq	%rax, %r11
	movslq	ENTRY_SELF-ENTRY_FUNCTION(%r11), %rax
	movq	%fs:(%rax), %r10	/* the thread */
	testq	%r10, %r10
	jz	9b
	cmpl	$0, THREAD_STATE(%r10)
	jne	9b
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	\soon
	pushq	%rax			/* keeps rsp aligned */
	pushq	%rax
	movl	$3, THREAD_STATE(%r10)	/* at depth 1, inside of a hook */
	leaq	-FRAME_SIZE(%rbp), %rax	/* where a trampoline's frame would be */
	movq	%rax, THREAD_OUTERMOST(%r10)
	incq	THREAD_CORRELATION(%r10)
	.if	\registers > 2
	pushq	%r9
	pushq	%r8
	pushq	%rcx
	pushq	%rdx
	.else
	subq	$4*8, %rsp
	.endif
	pushq	%rsi
	pushq	%rdi
	pushq	%r11
	pushq	%r10
	pushq	THREAD_CORRELATION(%r10)
	decl	THREAD_STATE(%r10)	/* outside of hooks */
	rdtsc
	shlq	$32, %rdx
	orq	%rdx, %rax
	pushq	%rax
	.if	\registers > 2
	movq	DIRECT_WORDS+2*8(%rsp), %rdx
	.endif
	.endm

	/* To the second: ecx = the driver's answer, rdx = the counter, r10 = the thread, inside of the hook. */
	.macro	DRIVER launch=0
	.if	\launch
	pushq	%rax			/* keeps rsp aligned */
	pushq	16+4*8(%rbp)
	pushq	16+3*8(%rbp)
	pushq	16+2*8(%rbp)
	/*
	 * These have 4 bytes. The caller may have written no more: who reads more
	 * waits until that, and whatever was written before it, is in the cache.
	 */
	movl	16+1*8(%rbp), %eax
	pushq	%rax
	movl	16+0*8(%rbp), %eax
	pushq	%rax
	.endif
	call	*ENTRY_REAL-ENTRY_FUNCTION(%r11)
	.if	\launch
	addq	$(DIRECT_STACK + 1) * 8, %rsp
	.endif
	movl	%eax, %ecx
	rdtsc
	movq	DIRECT_THREAD(%rsp), %r10
	shlq	$32, %rdx
	movl	$3, THREAD_STATE(%r10)
	orq	%rax, %rdx
	.endm

	/* eax = int exit(struct direct *, uint64_t end, int result), after DRIVER; and back to the caller. */
	.macro	EXIT exit
	movq	%rsp, %rdi
	movq	%rdx, %rsi
	movl	%ecx, %edx
	call	\exit
	movq	DIRECT_THREAD(%rsp), %rcx
	movl	$0, THREAD_STATE(%rcx)
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.endm

	/* Through a hook written in C. */
	.macro	DIRECT way, soon, exit, slowly, launch=0
	BACK	\slowly
	BEGIN	\way, \soon
	DRIVER	\launch
	EXIT	\exit
	.cfi_endproc
	.size	\way, . - \way
	.endm

	/*
	 * rax = the thread's memory of the place, as trace_site_first finds it. r10 =
	 * the thread, r11 = the function. The line is asked for, as is the writer's:
	 * to read it would be waited for, as the counter waits for all reads before it.
	 */
	.macro	TRACE
	prefetchw THREAD_NEAR(%r10)
	movl	%r11d, %eax
	shll	$8, %eax
	xorl	8(%rbp), %eax
	imull	$TRACE_SITE_FACTOR, %eax, %eax
	shrl	$24, %eax
	shll	$6, %eax
	leaq	THREAD_NEAR+TRACE_WRITER_SITES(%r10,%rax), %rax
	prefetcht0 (%rax)
	.endm

	/*
	 * Through the trace, which writes the record here: of no arguments, if \small is
	 * "no", else what a struct trace_direct says, of as many that lie behind pointers.
	 * In C, a call, what it saves and finds again are a third more. What is no such
	 * record, or has no room, or is of an unknown place, is left to trace_direct_slowly.
	 */
	.macro	RECORD way, small, registers=6
	BACK	trampoline_registers
	.cfi_startproc
	.cfi_def_cfa %rbp, 16
	.cfi_offset %rbp, -16
7:	xorl	%ecx, %ecx
8:	EXIT	trace_direct_slowly
	.cfi_endproc
	BEGIN	\way, TRACE, \registers
	DRIVER
	addq	$THREAD_NEAR, %r10		/* the writer */
	movq	DIRECT_MEMORY(%rsp), %rsi	/* the place */
	movq	DIRECT_FUNCTION(%rsp), %r11
	movq	%rdx, %r8
	movq	%rdx, %r9
	subq	DIRECT_START(%rsp), %r8		/* the call's time */
	subq	TRACE_WRITER_END(%r10), %r9	/* and what it ended after the one before */
	/* rax: 0 while it is such a record, of that place. */
	movl	%ecx, %eax
	movq	%r8, %rdi
	orq	%r9, %rdi
	shrq	$32, %rdi
	orq	%rdi, %rax
	movq	DIRECT_CORRELATION(%rsp), %rdi
	subq	TRACE_WRITER_CORRELATION(%r10), %rdi
	addq	$0x8000, %rdi
	shrq	$16, %rdi
	orq	%rdi, %rax
	movq	TRACE_SITE_CALLER(%rsi), %rdi
	xorq	8(%rbp), %rdi
	orq	%rdi, %rax
	movl	ENTRY_GENERATION-ENTRY_FUNCTION(%r11), %edi
	xorq	TRACE_SITE_FUNCTION(%rsi), %r11
	xorl	TRACE_SITE_GENERATION(%rsi), %edi
	orq	%r11, %rax
	orq	%rdi, %rax
	jnz	8b
	movq	TRACE_WRITER_AT(%r10), %rdi	/* the record */
	cmpq	TRACE_WRITER_LIMIT(%r10), %rdi
	jae	8b
	/* r11 = where it ends, eax = the lowest bytes of it. */
	.ifc	\small, no
	leaq	2*8(%rdi), %r11
	movl	$2, %eax
	.else
	movzwl	TRACE_SITE_DIRECT+0(%rsi), %eax
	movzbl	TRACE_SITE_DIRECT+5(%rsi), %ecx
	movw	%ax, 16(%rdi)			/* the mask */
	.if	\registers > 2
	movzbl	TRACE_SITE_DIRECT+4(%rsi), %r11d
	movq	DIRECT_WORDS+0*8(%rsp), %rax
	movq	%rax, 16(%rdi,%r11)
	.endif
	movq	DIRECT_WORDS+1*8(%rsp), %rax
	movq	%rax, 16(%rdi,%rcx)
	.set	at, TRACE_SITE_DIRECT+7
	.rept	\small
	movzbl	at(%rsi), %eax
	movq	(%rsp,%rax,8), %rax
	testq	%rax, %rax
	jz	7b
	movzbl	at+2(%rsi), %r11d
	movzbl	at+1(%rsi), %ecx
	movl	(%rax,%r11), %r11d		/* the last 4 bytes */
	movl	(%rax), %eax
	movl	%eax, 16(%rdi,%rcx)
	movl	%r11d, 16+4(%rdi,%rcx)
	.set	at, at + 3
	.endr
	movzbl	TRACE_SITE_DIRECT+6(%rsi), %ecx
	movzbl	TRACE_SITE_DIRECT+2(%rsi), %r11d
	movzwl	TRACE_SITE_DIRECT+2(%rsi), %eax
	movq	$0, 16(%rdi,%rcx)		/* the last word is filled up */
	leaq	(%rdi,%r11,8), %r11
	.endif
	movl	TRACE_SITE_NUMBER(%rsi), %ecx
	movq	$0, (%r11)			/* the chunk ends there */
	movl	%r8d, 8(%rdi)
	movl	%ecx, 12(%rdi)
	movq	DIRECT_CORRELATION(%rsp), %rcx
	shlq	$32, %r9
	movzwl	%cx, %r8d
	orq	%r9, %rax
	shll	$16, %r8d
	orq	%r8, %rax
	movq	%rax, (%rdi)			/* last, and at once: until then this word ends the chunk */
	movq	%r11, TRACE_WRITER_AT(%r10)
	movq	%rdx, TRACE_WRITER_END(%r10)
	movq	%rcx, TRACE_WRITER_CORRELATION(%r10)
	incq	TRACE_WRITER_CALLS(%r10)
	prefetchw TRACE_RECORD_AHEAD(%r11)	/* see trace_record_commit */
	xorl	%eax, %eax
	movl	$0, THREAD_STATE-THREAD_NEAR(%r10)
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	\way, . - \way
	.endm

	.section .text.hot, "ax", @progbits

	RECORD	trace_direct_way, 2
	RECORD	trace_direct_way_one, 1, registers=2
	RECORD	trace_direct_way_bare, no
	DIRECT	trace_direct_way_launch, TRACE, trace_direct_exit_launch, trampoline_stack, launch=1
	DIRECT	trace_direct_way_launch_bare, TRACE, trace_direct_exit_launch_bare, trampoline_stack, launch=1

	/* IBT and SHSTK: entries begin with endbr64, calls and returns pair. */
	.section .note.gnu.property, "a"
	.p2align 3
	.long	4
	.long	16
	.long	5			/* NT_GNU_PROPERTY_TYPE_0 */
	.asciz	"GNU"
	.long	0xc0000002		/* GNU_PROPERTY_X86_FEATURE_1_AND */
	.long	4
	.long	3			/* IBT | SHSTK */
	.long	0

	.section .note.GNU-stack, "", @progbits
