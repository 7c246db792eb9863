/* SPDX-License-Identifier: Apache-2.0 */
/* edge.S of the routes' tests, for AArch64. */

	.text

/*
 * double edge_call(void *function, void *top, double x)
 *
 * in:   x0 = function; x1 = where the stack begins, 16-byte aligned
 * out:  d0 of function(x), called with sp = top
 */
	.globl	edge_call
	.type	edge_call, @function
	.p2align 4
edge_call:
	.cfi_startproc
	hint	#34			/* bti c */
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	mov	x29, sp
	.cfi_def_cfa_register x29
	mov	sp, x1
	blr	x0
	mov	sp, x29
	ldp	x29, x30, [sp], #16
	.cfi_def_cfa sp, 0
	ret
	.cfi_endproc
	.size	edge_call, . - edge_call

	.section .note.GNU-stack, "", @progbits
