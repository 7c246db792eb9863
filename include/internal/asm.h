/* SPDX-License-Identifier: Apache-2.0 */
/* What assembly of the auditor and of the core have in common. */
#ifndef INTERNAL_ASM_H
#define INTERNAL_ASM_H

#ifdef __aarch64__
#define NOTES_PROPERTY 0xc0000000	/* GNU_PROPERTY_AARCH64_FEATURE_1_AND */
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
