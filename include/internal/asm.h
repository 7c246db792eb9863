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

	/* Returns out of a frame; the CFI of what follows is as before. */
	.macro	LEAVE_FRAME
	.cfi_remember_state
	leave
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	ret
	.cfi_restore_state
	.endm

	/* Calls r11 with registers 0-7 of that kind kept, and returns. */
	.macro	CALL_KEEPING kind, size, move
	subq	$8 * \size, %rsp
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	\move	%\kind\n, \n*\size(%rsp)
	.endr
	vzeroupper			/* what is called is not slowed by them */
	call	*%r11
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	\move	\n*\size(%rsp), %\kind\n
	.endr
	LEAVE_FRAME
	.endm

	/*
	 * A function \name, which calls the C function r11 and keeps what is above xmm0-7, where \how, an
	 * enum link_wide in memory, asks for it. \load: a macro that finds that, with r8.
	 *
	 * in:   r11; rdi, rsi, rdx and rcx as that wants them
	 * out:  rax; ymm0-7 or zmm0-7 as they were, where they are in use
	 * frame: the registers at rsp, 256 or 512 bytes where they are in use: stacks may be small
	 */
	.macro	KEEP_WIDE name, how, load
	FUNCTION \name
	\load
	movl	\how, %r8d
	testl	%r8d, %r8d
	jz	6f
	movq	%rdx, %r9
	movq	%rcx, %r10
	leal	-1(%r8), %ecx
	xgetbv
	movq	%r9, %rdx
	movq	%r10, %rcx
	PUSH_FRAME
	testb	$0x40, %al		/* of zmm0-15 */
	jnz	8f
	testb	$0x04, %al		/* of ymm0-15 */
	jnz	7f
	call	*%r11
	vzeroupper			/* as it was */
	LEAVE_FRAME
7:	CALL_KEEPING ymm, 32, vmovdqu
8:	CALL_KEEPING zmm, 64, vmovdqu64
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
6:	jmp	*%r11
	FUNCTION_END \name
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
