/* SPDX-License-Identifier: Apache-2.0 */
/* A resolver for PLTs of x86-64, to which the loader's own come next. */
#include <internal/asm.h>

	.text

/*
 * void plt_resolve(): any prototype -> goes on to the resolver of the loader
 * that plt_choose names.
 *
 * in:   what a PLT leaves: rsp+0 the link map, rsp+8 the relocation's index,
 *       rsp+16 the return address; argument registers of the call
 * out:  the same, by a jump; r11 is lost, which the ABI lets any PLT clobber.
 *       The auditor is compiled to use general registers alone
 *
 * frame: rbp-8   rax   rbp-16  rcx   rbp-24  rdx   rbp-32  rsi
 *        rbp-40  rdi   rbp-48  r8    rbp-56  r9    rbp-64  r10
 *        rbp+8 and rbp+16: the words above
 */
	FUNCTION plt_resolve
	.cfi_def_cfa_offset 24		/* below the return address lie two words */
	endbr64
	pushq	%rbp
	.cfi_def_cfa_offset 32
	.cfi_offset %rbp, -32
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	/* al: how many vector registers a variadic call uses; r10: the static chain */
	PUSH	rax, rcx, rdx, rsi, rdi, r8, r9, r10
	andq	$-16, %rsp		/* callers' alignment is their own affair */
	movq	8(%rbp), %rdi
	movl	16(%rbp), %esi
	call	plt_choose		/* uintptr_t plt_choose(map, index) */
	movq	%rax, %r11
	leaq	-64(%rbp), %rsp
	POP	r10, r9, r8, rdi, rsi, rdx, rcx, rax, rbp
	.cfi_def_cfa %rsp, 24
	jmp	*%r11
	FUNCTION_END plt_resolve

/*
 * Never called: it gives the auditor a PLT, whose GOT the loader fills with
 * what plt_start wants to know. Every loader exports this function.
 */
	.type	plt_unused, @function
plt_unused:
	.cfi_startproc
	jmp	__tls_get_addr@PLT
	FUNCTION_END plt_unused

	NOTES
