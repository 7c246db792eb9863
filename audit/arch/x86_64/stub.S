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

	KEEP_WIDE call_keeping_wide, TABLE_WIDE_VECTORS+object_table(%rip)

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
 *        rsp+0 .. rsp+127 xmm0-7; call_keeping_wide has what is above
 */
	FUNCTION stub_resolve
	endbr64
	PUSH_FRAME
	PUSH	rax, rdi, rsi, rdx, rcx, r8, r9, r11
	subq	$128, %rsp
	andq	$-16, %rsp		/* callers' alignment is their own affair */
	STORE_XMM %rsp, 0
	movl	%r11d, %edi
	leaq	core_load(%rip), %r11		/* void *core_load(uint32_t slot) */
	call	call_keeping_wide
	movq	%rax, %r10
	LOAD_XMM %rsp, 0
	leaq	-64(%rbp), %rsp
	POP	r11, r9, r8, rcx, rdx, rsi, rdi, rax, rbp	/* the trampoline wants the slot too */
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
