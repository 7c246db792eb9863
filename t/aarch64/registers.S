/* SPDX-License-Identifier: Apache-2.0 */
/* registers.S of the routes' tests, for AArch64. */

	.text

/*
 * void registers_call(void *function, const struct fake_record *in,
 *		       struct fake_record *out)
 *
 * in:   x0 = function; x1 = what the registers and the stack shall hold
 * out:  x2 = what the registers hold after the call that a callee must keep,
 *       x0, and sp, which must be what it was: 0 then, else the difference
 *
 * frame: sp+0 .. sp+191 the words of the call, sp+192 out, sp+208 x29, x30,
 *        sp+224 x19-x28, sp+304 d8-d15
 */
	.globl	registers_call
	.type	registers_call, @function
	.p2align 4
registers_call:
	.cfi_startproc
	hint	#34			/* bti c */
	sub	sp, sp, #368
	.cfi_def_cfa_offset 368
	str	x2, [sp, #192]
	stp	x29, x30, [sp, #208]
	.cfi_rel_offset x29, 208
	.cfi_rel_offset x30, 216
	stp	x19, x20, [sp, #224]
	.cfi_rel_offset x19, 224
	.cfi_rel_offset x20, 232
	stp	x21, x22, [sp, #240]
	.cfi_rel_offset x21, 240
	.cfi_rel_offset x22, 248
	stp	x23, x24, [sp, #256]
	.cfi_rel_offset x23, 256
	.cfi_rel_offset x24, 264
	stp	x25, x26, [sp, #272]
	.cfi_rel_offset x25, 272
	.cfi_rel_offset x26, 280
	stp	x27, x28, [sp, #288]
	.cfi_rel_offset x27, 288
	.cfi_rel_offset x28, 296
	stp	d8, d9, [sp, #304]
	stp	d10, d11, [sp, #320]
	stp	d12, d13, [sp, #336]
	stp	d14, d15, [sp, #352]
	adrp	x10, called_with
	mov	x11, sp
	str	x11, [x10, #:lo12:called_with]
	mov	x9, x0
	mov	x10, x1
	.set	word, 0
	.rept	24
	ldr	x11, [x10, #360 + word * 8]
	str	x11, [sp, #word * 8]
	.set	word, word + 1
	.endr
	add	x11, x10, #232
	ldp	q0, q1, [x11, #0]
	ldp	q2, q3, [x11, #32]
	ldp	q4, q5, [x11, #64]
	ldp	q6, q7, [x11, #96]
	ldp	x0, x1, [x10, #0]
	ldp	x2, x3, [x10, #16]
	ldp	x4, x5, [x10, #32]
	ldp	x6, x7, [x10, #48]
	ldr	x8, [x10, #64]
	ldp	x19, x20, [x10, #72]
	ldp	x21, x22, [x10, #88]
	ldp	x23, x24, [x10, #104]
	ldp	x25, x26, [x10, #120]
	ldp	x27, x28, [x10, #136]
	ldp	d8, d9, [x10, #152]
	ldp	d10, d11, [x10, #168]
	ldp	d12, d13, [x10, #184]
	ldp	d14, d15, [x10, #200]
	ldr	x29, [x10, #216]
	blr	x9
	ldr	x9, [sp, #192]
	str	x0, [x9, #64]
	stp	x19, x20, [x9, #72]
	stp	x21, x22, [x9, #88]
	stp	x23, x24, [x9, #104]
	stp	x25, x26, [x9, #120]
	stp	x27, x28, [x9, #136]
	stp	d8, d9, [x9, #152]
	stp	d10, d11, [x9, #168]
	stp	d12, d13, [x9, #184]
	stp	d14, d15, [x9, #200]
	adrp	x10, called_with
	ldr	x11, [x10, #:lo12:called_with]
	mov	x10, sp
	sub	x10, x10, x11
	stp	x29, x10, [x9, #216]
	ldp	d8, d9, [sp, #304]
	ldp	d10, d11, [sp, #320]
	ldp	d12, d13, [sp, #336]
	ldp	d14, d15, [sp, #352]
	ldp	x27, x28, [sp, #288]
	ldp	x25, x26, [sp, #272]
	ldp	x23, x24, [sp, #256]
	ldp	x21, x22, [sp, #240]
	ldp	x19, x20, [sp, #224]
	ldp	x29, x30, [sp, #208]
	add	sp, sp, #368
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc
	.size	registers_call, . - registers_call

	.local	called_with
	.comm	called_with, 8, 8

	.section .note.GNU-stack, "", @progbits
