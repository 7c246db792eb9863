/* SPDX-License-Identifier: Apache-2.0 */
/* The trampolines of x86-64: from a stub through the hooks to the driver. */

#include "frame_arch.h"

/*
 * All three: any prototype.
 *
 * in:   r11d = slot; argument registers and stack of the call
 * out:  the driver's answer, or the hooks', in rax
 * frame: struct frame at rsp = rbp - FRAME_SIZE, rsp 16-byte aligned; CFA by rbp
 *
 * int dispatch_X(struct frame *, uint32_t slot, const void *caller) fills the
 * frame and is the enter hook; void exit(struct cuaudit_call *, void *data) of
 * the frame is the exit hook, with `call` first in the frame.
 */
	.macro	ENTER name, registers=6
	.globl	\name
	.hidden	\name
	.type	\name, @function
	.p2align 6
\name:
	.cfi_startproc
	endbr64
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	subq	$FRAME_SIZE, %rsp
	movq	%rdi, FRAME_REGS+0(%rsp)
	movq	%rsi, FRAME_REGS+8(%rsp)
	.if	\registers > 2
	movq	%rdx, FRAME_REGS+16(%rsp)
	movq	%rcx, FRAME_REGS+24(%rsp)
	movq	%r8, FRAME_REGS+32(%rsp)
	movq	%r9, FRAME_REGS+40(%rsp)
	.endif
	.endm

	.macro	DISPATCH function
	movq	%rsp, %rdi
	movl	%r11d, %esi
	movq	8(%rbp), %rdx		/* the return address */
	call	\function
	.endm

	/* Hooks may have edited them. */
	.macro	LOAD_REGISTERS registers=6
	movq	FRAME_REGS-FRAME_SIZE+0(%rbp), %rdi
	movq	FRAME_REGS-FRAME_SIZE+8(%rbp), %rsi
	.if	\registers > 2
	movq	FRAME_REGS-FRAME_SIZE+16(%rbp), %rdx
	movq	FRAME_REGS-FRAME_SIZE+24(%rbp), %rcx
	movq	FRAME_REGS-FRAME_SIZE+32(%rbp), %r8
	movq	FRAME_REGS-FRAME_SIZE+40(%rbp), %r9
	.endif
	.endm

	/* Undoes the frame; the CFI of what follows in the function is kept. */
	.macro	LEAVE_AND how:vararg
	.cfi_remember_state
	leave
	.cfi_def_cfa %rsp, 8
	\how
	.cfi_restore_state
	.endm

	/* The hooks are done for now: what the driver calls back is hooked. */
	.macro	OUTSIDE
	movq	FRAME_THREAD-FRAME_SIZE(%rbp), %r11
	subl	$1, THREAD_STATE(%r11)
	.endm

	/* The driver answered rax: runs the exit hook. */
	.macro	EXIT
	movq	FRAME_THREAD(%rsp), %r11
	movq	FRAME_LIST(%rsp), %rcx
	movl	%eax, FRAME_RESULT(%rsp)
	orl	$1, THREAD_STATE(%r11)
	movq	%rsp, %rdi
	movq	LIST_DATA(%rcx), %rsi
	call	*LIST_EXIT(%rcx)
	movq	FRAME_THREAD(%rsp), %r11
	movl	FRAME_DEPTH(%rsp), %ecx
	addl	%ecx, %ecx		/* a state: outside of hooks, at the depth before */
	movl	%ecx, THREAD_STATE(%r11)
	movl	FRAME_RESULT(%rsp), %eax
	.endm

	/* No exit hook wanted, eax = 0, or no hook at all, eax = DISPATCH_STRAIGHT. */
	.macro	JUMP_ON registers=6
	testl	%eax, %eax
	jnz	7f
	movq	FRAME_THREAD(%rsp), %r11
	movl	FRAME_DEPTH(%rsp), %ecx
	addl	%ecx, %ecx		/* a state: outside of hooks, at the depth before */
	movl	%ecx, THREAD_STATE(%r11)
7:	LOAD_REGISTERS \registers
	movq	FRAME_REAL(%rsp), %r11
	LEAVE_AND jmp *%r11
	.endm

	.macro	SKIPPED
	movq	%rsp, %rdi
	call	dispatch_skipped
	LEAVE_AND ret
	.endm

	.text

	.macro	INTEGERS name, registers
	ENTER \name, \registers
	DISPATCH dispatch_registers
	testl	%eax, %eax
	jnz	1f
	movq	FRAME_LIST(%rsp), %r11
	cmpq	$0, LIST_EXIT(%r11)
	je	2f
	LOAD_REGISTERS \registers
	OUTSIDE
	call	*FRAME_REAL(%rsp)
	EXIT
	LEAVE_AND ret
1:	cmpl	$DISPATCH_STRAIGHT, %eax
	jne	3f
2:	JUMP_ON \registers
3:	SKIPPED
	.cfi_endproc
	.size	\name, . - \name
	.endm

/* For functions whose arguments all lie in the first two integer registers, or in six. */
	INTEGERS trampoline_two, 2
	INTEGERS trampoline_registers, 6

/* For functions with more integer arguments than registers. */
	ENTER trampoline_stack
	DISPATCH dispatch_stack
	testl	%eax, %eax
	jnz	1f
	movq	FRAME_LIST(%rsp), %r11
	cmpq	$0, LIST_EXIT(%r11)
	je	2f
	movl	LIST_STACK_WORDS(%r11), %edx
	leal	1(%rdx), %ecx
	andl	$-2, %ecx		/* an even number keeps rsp aligned */
	shlq	$3, %rcx
	subq	%rcx, %rsp
4:	movq	FRAME_WINDOW-FRAME_SIZE-8(%rbp,%rdx,8), %rcx
	movq	%rcx, -8(%rsp,%rdx,8)
	subl	$1, %edx
	jnz	4b
	LOAD_REGISTERS
	OUTSIDE
	call	*FRAME_REAL-FRAME_SIZE(%rbp)
	leaq	-FRAME_SIZE(%rbp), %rsp
	EXIT
	LEAVE_AND ret
1:	cmpl	$DISPATCH_STRAIGHT, %eax
	jne	3f
	JUMP_ON
2:	movq	%rsp, %rdi
	call	dispatch_give_back
	xorl	%eax, %eax
	JUMP_ON
3:	SKIPPED
	.cfi_endproc
	.size	trampoline_stack, . - trampoline_stack

/*
 * For any function: keeps rax (the number of vector registers of a variadic
 * call) and xmm0-7, passes the whole window on, and keeps both words of an
 * answer in rax:rdx and xmm0:xmm1. There is always an exit.
 */
	.macro	LOAD_XMM
	movaps	FRAME_VECTORS-FRAME_SIZE+0(%rbp), %xmm0
	movaps	FRAME_VECTORS-FRAME_SIZE+16(%rbp), %xmm1
	movaps	FRAME_VECTORS-FRAME_SIZE+32(%rbp), %xmm2
	movaps	FRAME_VECTORS-FRAME_SIZE+48(%rbp), %xmm3
	movaps	FRAME_VECTORS-FRAME_SIZE+64(%rbp), %xmm4
	movaps	FRAME_VECTORS-FRAME_SIZE+80(%rbp), %xmm5
	movaps	FRAME_VECTORS-FRAME_SIZE+96(%rbp), %xmm6
	movaps	FRAME_VECTORS-FRAME_SIZE+112(%rbp), %xmm7
	.endm

	ENTER trampoline_full
	movaps	%xmm0, FRAME_VECTORS+0(%rsp)
	movaps	%xmm1, FRAME_VECTORS+16(%rsp)
	movaps	%xmm2, FRAME_VECTORS+32(%rsp)
	movaps	%xmm3, FRAME_VECTORS+48(%rsp)
	movaps	%xmm4, FRAME_VECTORS+64(%rsp)
	movaps	%xmm5, FRAME_VECTORS+80(%rsp)
	movaps	%xmm6, FRAME_VECTORS+96(%rsp)
	movaps	%xmm7, FRAME_VECTORS+112(%rsp)
	movq	%rax, FRAME_ANSWER(%rsp)
	DISPATCH dispatch_full
	testl	%eax, %eax
	jnz	1f
	subq	$FRAME_NWINDOW*8, %rsp
	.set	at, 0
	.rept	FRAME_NWINDOW / 2
	movaps	FRAME_WINDOW-FRAME_SIZE+at(%rbp), %xmm0
	movaps	%xmm0, at(%rsp)
	.set	at, at + 16
	.endr
	LOAD_XMM
	LOAD_REGISTERS
	OUTSIDE
	movq	FRAME_ANSWER-FRAME_SIZE(%rbp), %rax
	call	*FRAME_REAL-FRAME_SIZE(%rbp)
	leaq	-FRAME_SIZE(%rbp), %rsp
	movq	%rax, FRAME_ANSWER(%rsp)
	movq	%rdx, FRAME_ANSWER+8(%rsp)
	movaps	%xmm0, FRAME_VECTORS+0(%rsp)
	movaps	%xmm1, FRAME_VECTORS+16(%rsp)
	EXIT
	movl	FRAME_ANSWER+4(%rsp), %ecx	/* the answer may be wider than a CUresult */
	shlq	$32, %rcx
	orq	%rcx, %rax
	movq	FRAME_ANSWER+8(%rsp), %rdx
	movaps	FRAME_VECTORS+0(%rsp), %xmm0
	movaps	FRAME_VECTORS+16(%rsp), %xmm1
	LEAVE_AND ret
1:	cmpl	$DISPATCH_STRAIGHT, %eax
	jne	3f
	LOAD_XMM
	LOAD_REGISTERS
	movq	FRAME_ANSWER(%rsp), %rax
	movq	FRAME_REAL(%rsp), %r11
	LEAVE_AND jmp *%r11
3:	SKIPPED
	.cfi_endproc
	.size	trampoline_full, . - trampoline_full

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
