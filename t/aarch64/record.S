/* SPDX-License-Identifier: Apache-2.0 */
/* record.S of the fake driver, for AArch64. */

	.text

/*
 * int cuNewRegisters(...), and names of the table's: of no integers, of two, of
 * six, of eleven, of sixteen.
 *
 * in:   the registers and stack of the call, written to fake_record
 * out:  x0 = 0; every register the ABI lets a callee lose is lost
 */
	/* An address each: two names of one function are of no prototype that is known. */
	.irp	name, cuNewRegisters, cuProfilerStop, cuEventRecord, cuMemcpyPeerAsync, \
		cuLaunchKernel_ptsz, cuTensorMapEncodeIm2colWide
	.globl	\name
	.type	\name, %function
	.p2align 4
\name:
	hint	#34			/* bti c */
	b	record
	.size	\name, . - \name
	.endr

	.type	record, %function
record:
	.cfi_startproc
	adrp	x9, :got:fake_record
	ldr	x9, [x9, #:got_lo12:fake_record]
	stp	x0, x1, [x9, #0]
	stp	x2, x3, [x9, #16]
	stp	x4, x5, [x9, #32]
	stp	x6, x7, [x9, #48]
	str	x8, [x9, #64]
	stp	x19, x20, [x9, #72]
	stp	x21, x22, [x9, #88]
	stp	x23, x24, [x9, #104]
	stp	x25, x26, [x9, #120]
	stp	x27, x28, [x9, #136]
	stp	d8, d9, [x9, #152]
	stp	d10, d11, [x9, #168]
	stp	d12, d13, [x9, #184]
	stp	d14, d15, [x9, #200]
	mov	x10, sp
	stp	x29, x10, [x9, #216]
	add	x11, x9, #232
	stp	q0, q1, [x11, #0]
	stp	q2, q3, [x11, #32]
	stp	q4, q5, [x11, #64]
	stp	q6, q7, [x11, #96]
	.set	word, 0
	.rept	24
	ldr	x10, [sp, #word * 8]
	str	x10, [x9, #360 + word * 8]
	.set	word, word + 1
	.endr
	.irp	number, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
	mov	x\number, #-1
	.endr
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7, 16, 31
	movi	v\number\().2d, #0
	.endr
	mov	x0, #0
	ret
	.cfi_endproc
	.size	record, . - record

	.bss
	.globl	fake_record
	.type	fake_record, @object
	.p2align 4
fake_record:
	.skip	552
	.size	fake_record, . - fake_record

	.section .note.GNU-stack, "", @progbits
