/* SPDX-License-Identifier: Apache-2.0 */
/* The fast paths of statistics on x86-64: from a stub to the driver, then to a cell. */

#include "fast_path_arch.h"
#include "hooks/modules/stat/stat_offsets.h"

	/*
	 * rax = where the thread's cell of the function is named; r10 = the thread, r11 =
	 * the function. That is asked for: to read it would be waited for.
	 */
	.macro	CELL
	movl	FUNCTION_SLOT(%r11), %eax
	leaq	THREAD_BLOCKS+STAT_THREAD_LAST(%r10,%rax,8), %rax
	prefetcht0 (%rax)
	.endm

	/*
	 * As stat_cell_record does it. Where there is no cell, or it is another library's,
	 * or there is an error, or a new least or most, is left to \exit.
	 */
	.macro	COUNT path, exit, slowly, launch=0
	BACK	\slowly
	.cfi_startproc
	.cfi_def_cfa %rbp, 16
	.cfi_offset %rbp, -16
8:	EXIT	\exit
	.cfi_def_cfa %rbp, 16
7:	MOVED
	.cfi_endproc
	BEGIN	\path, CELL, registers=0
	DRIVER	7b, \launch
	movq	FAST_MEMORY(%rsp), %rsi
	movq	FAST_FUNCTION(%rsp), %r11
	movq	(%rsi), %rsi			/* the cell */
	movq	%rdx, %r8
	testq	%rsi, %rsi
	jz	8b
	subq	FAST_START(%rsp), %r8		/* the call's time */
	movq	STAT_CELL_CALLER(%rsi), %rax
	xorq	8(%rbp), %rax
	movl	ENTRY_GENERATION-ENTRY_FUNCTION(%r11), %edi
	xorq	STAT_CELL_GENERATION(%rsi), %rdi
	orq	%rdi, %rax
	movl	%ecx, %edi
	orq	%rdi, %rax
	jnz	8b
	cmpq	STAT_CELL_MIN(%rsi), %r8
	jb	8b
	cmpq	STAT_CELL_MAX(%rsi), %r8
	ja	8b
	/* edi = its bucket, as cuaudit_stat_bucket says. */
	movq	%r8, %rdi
	orq	$8, %rdi
	bsrq	%rdi, %rcx
	movq	%r8, %rdi
	subl	$3, %ecx
	shrq	%cl, %rdi
	leal	(%rdi,%rcx,8), %edi
	cmpl	$STAT_BUCKETS - 1, %edi
	ja	8b
	cmpl	$-1, STAT_CELL_BUCKETS(%rsi,%rdi,4)
	je	8b
	incl	STAT_CELL_BUCKETS(%rsi,%rdi,4)
	incq	STAT_CELL_CALLS(%rsi)
	addq	%r8, STAT_CELL_TOTAL(%rsi)
	xorps	%xmm0, %xmm0
	cvtsi2sdq %r8, %xmm0
	mulsd	%xmm0, %xmm0
	addsd	STAT_CELL_SQUARES(%rsi), %xmm0
	movsd	%xmm0, STAT_CELL_SQUARES(%rsi)
	xorl	%eax, %eax
	movq	$0, THREAD_STATE(%r10)
	leave
	.cfi_def_cfa %rsp, 8
	ret
	FUNCTION_END \path
	.endm

	.section .text.hot, "ax", @progbits

	COUNT	stat_fast_path, stat_fast_exit, trampoline_registers
	COUNT	stat_fast_path_query, stat_fast_exit_query, trampoline_registers
	COUNT	stat_fast_path_launch, stat_fast_exit, trampoline_stack, launch=1

	NOTES
