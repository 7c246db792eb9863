/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a function on another stack, with nothing above its return address. */
#ifdef __aarch64__
#include "t/aarch64/edge.S"
#else

	.text

/*
 * double edge_call(void *function, void *top, double x)
 *
 * in:   rdi = function; rsi = where the stack begins, 16-byte aligned
 * out:  xmm0 of function(x), called with rsp = top
 */
	.globl	edge_call
	.type	edge_call, @function
	.p2align 4
edge_call:
	.cfi_startproc
	endbr64
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	movq	%rsi, %rsp
	call	*%rdi
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	edge_call, . - edge_call

	.section .note.GNU-stack, "", @progbits
#endif
