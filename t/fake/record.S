/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the fake driver that write down the registers they are called with. */
#ifdef __aarch64__
#include "t/aarch64/record.S"
#else

	.text

/*
 * int cuNewRegisters(...), and names of the table's: of no integers, of two, of
 * six, of eleven, of sixteen.
 *
 * in:   the registers and stack of the call, written to fake_record
 * out:  rax = 0; every register the ABI lets a callee lose is lost
 */
	/* An address each: two names of one function are of no prototype that is known. */
	.irp	name, cuNewRegisters, cuProfilerStop, cuEventRecord, cuMemcpyPeerAsync, \
		cuLaunchKernel_ptsz, cuTensorMapEncodeIm2colWide
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	endbr64
	jmp	record
	.size	\name, . - \name
	.endr

	.type	record, @function
record:
	.cfi_startproc
	movq	fake_record@GOTPCREL(%rip), %r11
	movq	%rdi, 0(%r11)
	movq	%rsi, 8(%r11)
	movq	%rdx, 16(%r11)
	movq	%rcx, 24(%r11)
	movq	%r8, 32(%r11)
	movq	%r9, 40(%r11)
	movq	%rax, 48(%r11)
	movq	%rbx, 56(%r11)
	movq	%r12, 64(%r11)
	movq	%r13, 72(%r11)
	movq	%r14, 80(%r11)
	movq	%r15, 88(%r11)
	movq	%rbp, 96(%r11)
	movq	%rsp, 104(%r11)
	movups	%xmm0, 112(%r11)
	movups	%xmm1, 128(%r11)
	movups	%xmm2, 144(%r11)
	movups	%xmm3, 160(%r11)
	movups	%xmm4, 176(%r11)
	movups	%xmm5, 192(%r11)
	movups	%xmm6, 208(%r11)
	movups	%xmm7, 224(%r11)
	.set	word, 0
	.rept	24
	movq	8 + word * 8(%rsp), %rax	/* above the return address */
	movq	%rax, 240 + word * 8(%r11)
	.set	word, word + 1
	.endr
	movq	$-1, %rdi
	movq	%rdi, %rsi
	movq	%rdi, %rdx
	movq	%rdi, %rcx
	movq	%rdi, %r8
	movq	%rdi, %r9
	movq	%rdi, %r10
	movq	%rdi, %r11
	pxor	%xmm0, %xmm0
	pxor	%xmm1, %xmm1
	pxor	%xmm7, %xmm7
	xorl	%eax, %eax
	ret
	.cfi_endproc
	.size	record, . - record

	.bss
	.globl	fake_record
	.type	fake_record, @object
	.p2align 4
fake_record:
	.skip	496
	.size	fake_record, . - fake_record

	.section .note.GNU-stack, "", @progbits
#endif
