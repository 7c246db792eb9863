/* SPDX-License-Identifier: Apache-2.0 */
/* The stubs of x86-64 and the resolver their routes begin with. */
#include <internal/asm.h>

#include "audit/arch/offsets.h"

	.text

/*
 * Stub k: any prototype -> jumps to stub_routes[k].
 *
 * in:   everything as the caller left it
 * out:  r11 = k, which the ABI lets any PLT clobber; all else untouched,
 *       no frame, so that unwinders and shadow stacks see the caller's call
 */
	FUNCTION stub_table, 64
	.set	k, 0
	.rept	STUBS
	.balign STUB_SIZE
	endbr64
	.byte	0x41, 0xbb		/* movl $k, %r11d: always the 6-byte form */
	.long	k
	jmp	*(stub_routes + k * 8)(%rip)
	.set	k, k + 1
	.endr
	FUNCTION_END stub_table

/*
 * void stub_resolve(): any prototype -> loads the core, then goes on to the
 * route of slot r11d.
 *
 * in:   r11d = slot, argument registers and stack of the call
 * out:  the same, by a jump; r10 is lost (the static chain, which no
 *       exported C function has)
 *
 * frame: rbp-8   rax   rbp-16  rdi   rbp-24  rsi   rbp-32  rdx
 *        rbp-40  rcx   rbp-48  r8    rbp-56  r9    rbp-64  r11
 *        rsp+0 .. rsp+127 xmm0-7
 */
	FUNCTION stub_resolve
	endbr64
	PUSH_FRAME
	pushq	%rax
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%rcx
	pushq	%r8
	pushq	%r9
	pushq	%r11
	subq	$128, %rsp
	andq	$-16, %rsp		/* callers' alignment is their own affair */
	movaps	%xmm0, (%rsp)
	movaps	%xmm1, 16(%rsp)
	movaps	%xmm2, 32(%rsp)
	movaps	%xmm3, 48(%rsp)
	movaps	%xmm4, 64(%rsp)
	movaps	%xmm5, 80(%rsp)
	movaps	%xmm6, 96(%rsp)
	movaps	%xmm7, 112(%rsp)
	movl	%r11d, %edi
	call	core_load			/* void *core_load(uint32_t slot) */
	movq	%rax, %r10
	movaps	(%rsp), %xmm0
	movaps	16(%rsp), %xmm1
	movaps	32(%rsp), %xmm2
	movaps	48(%rsp), %xmm3
	movaps	64(%rsp), %xmm4
	movaps	80(%rsp), %xmm5
	movaps	96(%rsp), %xmm6
	movaps	112(%rsp), %xmm7
	leaq	-64(%rbp), %rsp
	popq	%r11			/* the trampoline wants the slot too */
	popq	%r9
	popq	%r8
	popq	%rcx
	popq	%rdx
	popq	%rsi
	popq	%rdi
	popq	%rax
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	jmp	*%r10
	FUNCTION_END stub_resolve

/*
 * void stub_call_on(void *top, void (*function)(void *), void *argument): calls it
 * with its stack below top, which is aligned to 16 bytes.
 */
	FUNCTION stub_call_on
	endbr64
	PUSH_FRAME
	movq	%rdi, %rsp
	movq	%rdx, %rdi
	call	*%rsi
	leave
	.cfi_def_cfa %rsp, 8
	ret
	FUNCTION_END stub_call_on

	.bss
	.globl	stub_routes
	.hidden	stub_routes
	.type	stub_routes, @object
	.p2align 6
stub_routes:
	.skip	STUBS * 8
	.size	stub_routes, . - stub_routes

	NOTES
