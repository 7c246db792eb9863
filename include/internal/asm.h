/* SPDX-License-Identifier: Apache-2.0 */
/* What assembly of the auditor and of the core have in common. */
#ifndef INTERNAL_ASM_H
#define INTERNAL_ASM_H

#ifdef __aarch64__
#define NOTES_PROPERTY 0xc0000000	/* GNU_PROPERTY_AARCH64_FEATURE_1_AND */

	/* \op: stp or ldp. x0-x7; and q0-q7. */
	.macro	INTEGERS_AT op, base, offset
	\op	x0, x1, [\base, #\offset]
	\op	x2, x3, [\base, #\offset+16]
	\op	x4, x5, [\base, #\offset+32]
	\op	x6, x7, [\base, #\offset+48]
	.endm
	.macro	VECTORS_AT op, base, offset
	\op	q0, q1, [\base, #\offset]
	\op	q2, q3, [\base, #\offset+32]
	\op	q4, q5, [\base, #\offset+64]
	\op	q6, q7, [\base, #\offset+96]
	.endm

/* With -mbranch-protection the return address is signed while it is on the stack. */
#ifdef __ARM_FEATURE_PAC_DEFAULT
	.macro	SIGN
	paciasp
	.cfi_negate_ra_state
	.endm
	.macro	AUTHENTICATE
	autiasp
	.cfi_negate_ra_state
	.endm
#define NOTES_FEATURES 3		/* BTI | PAC */
#else
	.macro	SIGN
	.endm
	.macro	AUTHENTICATE
	.endm
#define NOTES_FEATURES 1		/* BTI */
#endif
#else
/* Every entry begins with endbr64; calls and returns pair. */
#define NOTES_PROPERTY 0xc0000002	/* GNU_PROPERTY_X86_FEATURE_1_AND */
#define NOTES_FEATURES 3		/* IBT | SHSTK */

	/* Registers, in this order. */
	.macro	PUSH registers:vararg
	.irp	register, \registers
	pushq	%\register
	.endr
	.endm
	.macro	POP registers:vararg
	.irp	register, \registers
	popq	%\register
	.endr
	.endm

	/* xmm0-7 at an aligned address. */
	.macro	STORE_XMM base, offset:vararg
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	movaps	%xmm\n, \offset+\n*16(\base)
	.endr
	.endm
	.macro	LOAD_XMM base, offset:vararg
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	movaps	\offset+\n*16(\base), %xmm\n
	.endr
	.endm

	/* The frame pointer, after a call; the CFA by it. */
	.macro	PUSH_FRAME
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	.endm
#endif

	/* A function of the auditor's or the core's own, aligned to so many bytes. */
	.macro	FUNCTION name, align=16
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.balign	\align
\name:
	.cfi_startproc
	.endm

	.macro	FUNCTION_END name
	.cfi_endproc
	.size	\name, . - \name
	.endm

	/* The end of a file. */
	.macro	NOTES
	.section .note.gnu.property, "a"
	.p2align 3
	.long	4
	.long	16
	.long	5			/* NT_GNU_PROPERTY_TYPE_0 */
	.asciz	"GNU"
	.long	NOTES_PROPERTY
	.long	4
	.long	NOTES_FEATURES
	.long	0

	.section .note.GNU-stack, "", @progbits
	.endm

#endif
