/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a function with every register and 24 stack words set by hand. */
#ifdef __aarch64__
#include "t/aarch64/registers.S"
#else

	.text

/*
 * void registers_call(void *function, const struct fake_record *in,
 *		       struct fake_record *out)
 *
 * in:   rdi = function; rsi = what the registers and the stack shall hold
 * out:  rdx = what the registers hold after the call that a callee must keep,
 *       rax, and rsp, which must be what it was: 0 then, else the difference
 *
 * frame: rsp+0 .. rsp+191 the words of the call, rsp+192 out, then six saved
 *        registers and the return address
 */
	.globl	registers_call
	.type	registers_call, @function
	.p2align 4
registers_call:
	.cfi_startproc
	endbr64
	.irp	register, rbp, rbx, r12, r13, r14, r15, rdx
	pushq	%\register
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %\register, 0
	.endr
	subq	$192, %rsp
	.cfi_adjust_cfa_offset 192
	movq	%rsp, called_with(%rip)
	movq	%rdi, %r11
	movq	%rsi, %r10
	.set	word, 0
	.rept	24
	movq	240 + word * 8(%r10), %rax
	movq	%rax, word * 8(%rsp)
	.set	word, word + 1
	.endr
	movups	112(%r10), %xmm0
	movups	128(%r10), %xmm1
	movups	144(%r10), %xmm2
	movups	160(%r10), %xmm3
	movups	176(%r10), %xmm4
	movups	192(%r10), %xmm5
	movups	208(%r10), %xmm6
	movups	224(%r10), %xmm7
	movq	0(%r10), %rdi
	movq	8(%r10), %rsi
	movq	16(%r10), %rdx
	movq	24(%r10), %rcx
	movq	32(%r10), %r8
	movq	40(%r10), %r9
	movq	48(%r10), %rax
	movq	56(%r10), %rbx
	movq	64(%r10), %r12
	movq	72(%r10), %r13
	movq	80(%r10), %r14
	movq	88(%r10), %r15
	movq	96(%r10), %rbp
	call	*%r11
	movq	192(%rsp), %r11
	movq	%rax, 48(%r11)
	movq	%rbx, 56(%r11)
	movq	%r12, 64(%r11)
	movq	%r13, 72(%r11)
	movq	%r14, 80(%r11)
	movq	%r15, 88(%r11)
	movq	%rbp, 96(%r11)
	movq	%rsp, %rax
	subq	called_with(%rip), %rax
	movq	%rax, 104(%r11)
	addq	$192, %rsp
	.cfi_adjust_cfa_offset -192
	.irp	register, rdx, r15, r14, r13, r12, rbx, rbp
	popq	%\register
	.cfi_adjust_cfa_offset -8
	.cfi_restore %\register
	.endr
	ret
	.cfi_endproc
	.size	registers_call, . - registers_call

	.local	called_with
	.comm	called_with, 8, 8

	.section .note.GNU-stack, "", @progbits
#endif
