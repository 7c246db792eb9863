/* SPDX-License-Identifier: Apache-2.0 */
/* The fast paths of a trace on x86-64: from a stub to the driver, then a record is written. */

#include "fast_path_arch.h"
#include "hooks/modules/trace/trace_offsets.h"

#define WRITER	THREAD_BLOCKS
#define LAUNCH_AT	RECORD_HEAD	/* where a launch's arguments are written */
#define LAUNCH_WORDS ((LAUNCH_AT + LAUNCH_END + 7) / 8)

	/*
	 * rax = the thread's memory of the call site, as trace_site_first finds it. r10 =
	 * the thread, r11 = the function. The line is asked for, as is the writer's:
	 * to read it would be waited for, as the counter waits for all reads before it.
	 */
	.macro	TRACE cold=0
	prefetchw WRITER(%r10)
	movl	%r11d, %eax
	shll	$SITE_FUNCTION_SHIFT, %eax
	xorl	8(%rbp), %eax
	imull	$SITES_FACTOR, %eax, %eax
	shrl	$(32 - SITES_BITS), %eax
	shll	$SITE_SHIFT, %eax
	leaq	WRITER+WRITER_SITES(%r10,%rax), %rax
	prefetcht0 (%rax)
	.if	\cold
	prefetcht0 COLD(%rax)
	.endif
	.endm

	/* To 7 unless a record of two words and arguments will do: times of 32 bits, a correlation near the last. */
	.macro	LONG
	movq	%r8, %rax
	movq	FAST_CORRELATION(%rsp), %rcx
	orq	%r9, %rax
	subq	WRITER+WRITER_CORRELATION(%r10), %rcx
	shrq	$32, %rax
	jnz	7b
	addq	$RECORD_NEAR, %rcx
	cmpq	$2 * RECORD_NEAR, %rcx
	jae	7b
	.endm

	/* Writes and remembers its arguments; r11 = where it ends, eax = its lowest bytes. */
	.macro	ARGUMENTS small
	movzwl	SITE_MASK(%rsi), %eax
	movzbl	SITE_SECOND(%rsi), %ecx
	movw	%ax, RECORD_HEAD(%rdi)			/* the mask */
	.ifc	\small, int
	movq	FAST_WORDS+1*8(%rsp), %rax
	movq	%rax, RECORD_HEAD(%rdi,%rcx)
	movq	%rax, LAST_WORD(%rsi)
	movq	FAST_WORDS+0*8(%rsp), %rax
	movzbl	SITE_SMALL+SMALL_AT(%rsi), %ecx
	movl	(%rax), %eax
	movl	%eax, RECORD_HEAD(%rdi,%rcx)
	movl	%eax, LAST_SMALL(%rsi)
	.else
	movzbl	SITE_FIRST(%rsi), %r11d
	movq	FAST_WORDS+0*8(%rsp), %rax
	movq	%rax, RECORD_HEAD(%rdi,%r11)
	andq	LAST_MASKS+0*8(%rsi), %rax
	movq	%rax, COLD_WORDS+0*8(%rsi)
	movq	FAST_WORDS+1*8(%rsp), %rax
	movq	%rax, RECORD_HEAD(%rdi,%rcx)		/* over what the first has too much of */
	andq	LAST_MASKS+1*8(%rsi), %rax
	movq	%rax, COLD_WORDS+1*8(%rsi)
	.set	at, SITE_SMALL
	.set	last, COLD_SMALL
	.rept	\small
	movzbl	at+SMALL_WORD(%rsi), %eax
	movq	FAST_WORDS(%rsp,%rax,8), %rax
	movzbl	at+SMALL_UPPER(%rsi), %r11d
	movzbl	at+SMALL_AT(%rsi), %ecx
	movl	(%rax,%r11), %r11d
	movl	(%rax), %eax
	movl	%eax, RECORD_HEAD(%rdi,%rcx)
	movl	%r11d, RECORD_HEAD+4(%rdi,%rcx)
	movl	%eax, last(%rsi)
	movl	%r11d, last+4(%rsi)
	.set	at, at + SMALL_SIZE
	.set	last, last + 8
	.endr
	.endif
	movzbl	SITE_END(%rsi), %ecx
	movzbl	SITE_WORDS(%rsi), %r11d
	movzwl	SITE_WORDS(%rsi), %eax		/* and flags */
	movq	$0, RECORD_HEAD(%rdi,%rcx)		/* the last word is filled up */
	leaq	(%rdi,%r11,8), %r11
	.endm

	/* The same of a launch, as trace_plan.is_launch says; to 7 if not trace_kernel_is_known. */
	.macro	LAUNCH
	movq	FAST_WORDS+0*8(%rsp), %rax
	movq	%rax, %rcx
	movq	%rax, %r11
	shrq	$KERNELS_LOW, %rcx
	shrq	$KERNELS_HIGH, %r11
	xorl	%r11d, %ecx
	andl	$KERNELS_MASK, %ecx
	leaq	WRITER+WRITER_KERNELS(%r10,%rcx,8), %rcx
	cmpq	%rax, (%rcx)
	je	4f
	cmpq	%rax, 8(%rcx)
	jne	7b
4:	movl	kernel_epoch(%rip), %ecx
	cmpl	%ecx, WRITER+WRITER_EPOCH(%r10)
	jne	7b
	movups	FAST_WORDS+1*8(%rsp), %xmm0
	movups	FAST_WORDS+3*8(%rsp), %xmm1
	movl	FAST_WORDS+5*8(%rsp), %ecx
	shufps	$0x88, %xmm1, %xmm0		/* the lower halves */
	movq	%rax, LAUNCH_AT+LAUNCH_KERNEL(%rdi)
	movups	%xmm0, LAUNCH_AT+LAUNCH_SIZES(%rdi)
	movl	16+0*8(%rbp), %eax
	movl	%ecx, LAUNCH_AT+LAUNCH_SIZES+4*4(%rdi)
	movl	16+1*8(%rbp), %ecx
	movl	%eax, LAUNCH_AT+LAUNCH_SIZES+5*4(%rdi)
	movq	16+2*8(%rbp), %rax
	movl	%ecx, LAUNCH_AT+LAUNCH_SIZES+6*4(%rdi)
	movq	%rax, LAUNCH_AT+LAUNCH_STREAM(%rdi)
	movl	$0, LAUNCH_AT+LAUNCH_END(%rdi)	/* the last word is filled up */
	leaq	LAUNCH_WORDS*8(%rdi), %r11
	movl	$LAUNCH_WORDS | WITH_ARGUMENTS << RECORD_FLAGS, %eax
	.endm

	/* Back to the caller; rdi = where the next record will be. */
	.macro	DONE
	movq	%rdi, WRITER+WRITER_AT(%r10)
	movq	%rdx, WRITER+WRITER_END(%r10)
	incq	WRITER+WRITER_CALLS(%r10)
	prefetchw RECORD_AHEAD(%rdi)	/* see trace_record */
	xorl	%eax, %eax
	movq	$0, THREAD_STATE(%r10)
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.endm

	/*
	 * Through the trace, which writes the record here. \small: "no", without
	 * arguments; "launch", with a launch's; "int", with an int behind the first of two
	 * words, and the second; a number, as a struct trace_fast says, with so many
	 * behind pointers. In C, a call, what it saves and finds again are a third more.
	 * What is no such record, or has no room, or is of an unknown call site, is left to
	 * trace_fast_slowly. What is seldom so is compared and jumped for: that is one
	 * operation, and none where it is not so.
	 */
	.macro	RECORD path, small, prefetch=TRACE, registers=6, slowly=trampoline_registers, launch=0
	BACK	\slowly
	.cfi_startproc
	.cfi_def_cfa %rbp, 16
	.cfi_offset %rbp, -16
7:	xorl	%ecx, %ecx
8:	EXIT	trace_fast_slowly
	.cfi_def_cfa %rbp, 16
6:	MOVED
	.cfi_endproc
	BEGIN	\path, "\prefetch", \registers
	DRIVER	6b, \launch
	testl	%ecx, %ecx
	jnz	8b
	movq	FAST_MEMORY(%rsp), %rsi	/* the call site, if it is that: */
	movq	FAST_FUNCTION(%rsp), %r11
	movq	8(%rbp), %rax
	cmpq	%r11, SITE_FUNCTION(%rsi)
	jne	8b
	cmpq	%rax, SITE_CALLER(%rsi)
	jne	8b
	movl	ENTRY_GENERATION-ENTRY_FUNCTION(%r11), %eax
	cmpl	%eax, SITE_GENERATION(%rsi)
	jne	8b
	movq	WRITER+WRITER_AT(%r10), %rdi	/* the record */
	cmpq	WRITER+WRITER_LIMIT(%r10), %rdi
	jae	8b
	movq	%rdx, %r8
	movq	%rdx, %r9
	subq	FAST_START(%rsp), %r8		/* the call's time */
	subq	WRITER+WRITER_END(%r10), %r9	/* and what it ended after the one before */
	.ifc	\small, launch
	LONG
	LAUNCH
	.else
	/* One word will do if the arguments are those of the call site's last record with such ... */
	.ifc	\small, int
	movq	FAST_WORDS+0*8(%rsp), %rcx
	movq	FAST_WORDS+1*8(%rsp), %rax
	testq	%rcx, %rcx
	jz	7b
	cmpq	%rax, LAST_WORD(%rsi)
	jne	6f
	movl	(%rcx), %eax
	cmpl	%eax, LAST_SMALL(%rsi)
	jne	6f
	.else
	.ifnc	\small, no
	.set	at, SITE_SMALL
	.set	last, COLD_SMALL
	.rept	\small
	movzbl	at+SMALL_WORD(%rsi), %ecx
	movq	FAST_WORDS(%rsp,%rcx,8), %rcx
	testq	%rcx, %rcx
	jz	7b
	movzbl	at+SMALL_UPPER(%rsi), %eax
	movl	(%rcx,%rax), %eax		/* the last 4 bytes */
	movl	(%rcx), %ecx
	cmpl	%eax, last+4(%rsi)
	jne	6f
	cmpl	%ecx, last(%rsi)
	jne	6f
	.set	at, at + SMALL_SIZE
	.set	last, last + 8
	.endr
	movq	FAST_WORDS+0*8(%rsp), %rax
	movq	FAST_WORDS+1*8(%rsp), %rcx
	andq	LAST_MASKS+0*8(%rsi), %rax
	andq	LAST_MASKS+1*8(%rsi), %rcx
	cmpq	%rax, COLD_WORDS+0*8(%rsi)
	jne	6f
	cmpq	%rcx, COLD_WORDS+1*8(%rsi)
	jne	6f
	.endif
	.endif
	/* ... that is in this chunk, the call follows the one before, and the times are short. */
	movq	LAST_RECORD(%rsi), %rcx
	movq	WRITER+WRITER_CORRELATION(%r10), %r11
	testq	%rcx, %rcx
	jz	6f
	incq	%r11
	cmpq	%r11, FAST_CORRELATION(%rsp)
	jne	6f
	cmpq	$1 << (AGAIN_DELTA - AGAIN_TICKS), %r8
	jae	6f
	cmpq	$1 << (64 - AGAIN_DELTA), %r9
	jae	6f
	movq	%rdi, %rax
	subq	%rcx, %rax			/* bytes back; words are written */
	shlq	$AGAIN_DELTA, %r9
	shlq	$AGAIN_TICKS, %r8
	leaq	1(%r9,%r8), %rcx
	shlq	$AGAIN_BACK - 3, %rax
	orq	%rcx, %rax
	movq	$0, 8(%rdi)			/* the chunk ends there */
	movq	%rax, (%rdi)			/* last: until then this word ends the chunk */
	addq	$8, %rdi
	movq	%r11, WRITER+WRITER_CORRELATION(%r10)
5:	.cfi_remember_state
	DONE
	.cfi_restore_state
	/* A record of several words, which is kept. */
6:	LONG
	.ifc	\small, 2
	movzbl	SITE_SMALL+SMALL_SIZE+SMALL_WORD(%rsi), %eax
	cmpq	$0, FAST_WORDS(%rsp,%rax,8)
	je	7b
	.endif
	movq	%rdi, LAST_RECORD(%rsi)
	.ifc	\small, no
	leaq	RECORD_HEAD(%rdi), %r11
	movl	$RECORD_WORDS, %eax
	.else
	ARGUMENTS \small
	.endif
	.endif
	movl	SITE_NUMBER(%rsi), %ecx
	movq	$0, (%r11)			/* the chunk ends there */
	movl	%r8d, 8(%rdi)
	movl	%ecx, 12(%rdi)
	movq	FAST_CORRELATION(%rsp), %rcx
	shlq	$RECORD_DELTA, %r9
	movzwl	%cx, %r8d
	orq	%r9, %rax
	shll	$RECORD_CORRELATION, %r8d
	orq	%r8, %rax
	movq	%rax, (%rdi)			/* last, and at once: until then this word ends the chunk */
	movq	%rcx, WRITER+WRITER_CORRELATION(%r10)
	movq	%r11, %rdi
	.ifc	\small, launch
	DONE
	.else
	jmp	5b
	.endif
	FUNCTION_END \path
	.endm

	.section .text.hot, "ax", @progbits

	RECORD	trace_fast_path, 2, "TRACE 1"
	RECORD	trace_fast_path_int, int, registers=2
	RECORD	trace_fast_path_no_args, no
	RECORD	trace_fast_path_launch, launch, slowly=trampoline_stack, launch=1
	RECORD	trace_fast_path_launch_no_args, no, slowly=trampoline_stack, launch=1

	NOTES
