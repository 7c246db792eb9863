/* SPDX-License-Identifier: Apache-2.0 */
/* The ways of hooks that stand alone on x86-64: from a stub to the driver, then through one hook. */

#include "frame_arch.h"

/*
 * All: functions whose arguments lie in integer registers; with \launch, and five
 * words of the stack, as those of cuLaunchKernel.
 *
 * in:   r11d = slot; argument registers and stack of the call
 * out:  what \exit answers, in eax: int exit(struct direct *, uint64_t end, int result)
 * frame: struct direct at rsp while \exit runs, whose last fields are the frame
 *        pointer, the return address and the caller's stack; CFA by rbp
 *
 * For a thread's first call, and calls inside of calls: goes to \slowly with
 * all as it came. A program has a use for the caches itself. So this is to be
 * short, and \soon asks for what \exit will read before the driver runs.
 */
	.macro	DIRECT way, soon, exit, slowly, launch=0
	.p2align 6
	.cfi_startproc
9:	leaq	registry_entries+ENTRY_FUNCTION(%rip), %rax
	subq	%rax, %r11
	shrq	$ENTRY_SHIFT, %r11
	jmp	\slowly
	.cfi_endproc
	.globl	\way
	.hidden	\way
	.type	\way, @function
	.p2align 6
\way:
	.cfi_startproc
	endbr64
	leaq	registry_entries+ENTRY_FUNCTION(%rip), %rax
	shlq	$ENTRY_SHIFT, %r11
	addq	%rax, %r11		/* the function in its entry */
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
	movl	$3, THREAD_STATE(%r10)	/* at depth 1, inside of a hook */
	leaq	-FRAME_SIZE(%rbp), %rax	/* where a trampoline's frame would be */
	movq	%rax, THREAD_OUTERMOST(%r10)
	incq	THREAD_CORRELATION(%r10)
	pushq	%r9
	pushq	%r8
	pushq	%rcx
	pushq	%rdx
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
	movq	DIRECT_WORDS+2*8(%rsp), %rdx
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
	movq	DIRECT_THREAD(%rsp), %rdi
	shlq	$32, %rdx
	movl	$3, THREAD_STATE(%rdi)
	leaq	(%rax,%rdx), %rsi
	movl	%ecx, %edx
	movq	%rsp, %rdi
	call	\exit
	movq	DIRECT_THREAD(%rsp), %rcx
	movl	$0, THREAD_STATE(%rcx)
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	\way, . - \way
	.endm

	/*
	 * The thread's writer, and its memory of the place as trace_site_first finds
	 * it. r10 = the thread, r11 = the function; rax is free. To read instead of
	 * asking would be waited for: the counter waits for all reads before it.
	 */
	.macro	TRACE
	prefetchw THREAD_NEAR(%r10)
	movl	%r11d, %eax
	shll	$8, %eax
	xorl	8(%rbp), %eax
	imull	$TRACE_SITE_FACTOR, %eax, %eax
	shrl	$24, %eax
	shll	$6, %eax
	prefetcht0 THREAD_NEAR+TRACE_WRITER_SITES(%r10,%rax)
	.endm

	.section .text.hot, "ax", @progbits

	DIRECT trace_direct_way, TRACE, trace_direct_exit, trampoline_registers
	DIRECT trace_direct_way_bare, TRACE, trace_direct_exit_bare, trampoline_registers
	DIRECT trace_direct_way_launch, TRACE, trace_direct_exit_launch, trampoline_stack, launch=1
	DIRECT trace_direct_way_launch_bare, TRACE, trace_direct_exit_bare, trampoline_stack, launch=1

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
