/* SPDX-License-Identifier: Apache-2.0 */
/* The stubs of AArch64 and the resolver their routes begin with. */

#include <internal/asm.h>

#include "audit/arch/offsets.h"

	.text

/*
 * Stub k: any prototype -> jumps to stub_routes[k].
 *
 * in:   everything as the caller left it
 * out:  w17 = k; x16 and x17 are lost, which the ABI lets any PLT clobber;
 *       all else untouched, no frame, so that unwinders see the caller's call
 *
 * A jump by x16 may land on bti c. ldar pairs with the release of a route:
 * what the trampoline reads of the slot is there.
 */
	FUNCTION stub_table, 64
	.set	k, 0
	.rept	STUBS
	.balign STUB_SIZE
	hint	#34			/* bti c */
	mov	w17, #k
	adrp	x16, stub_routes + k * 8
	add	x16, x16, #:lo12:stub_routes + k * 8
	ldar	x16, [x16]
	br	x16
	.set	k, k + 1
	.endr
	FUNCTION_END stub_table

/*
 * void stub_resolve(): any prototype -> loads the core, then goes on to the
 * route of slot w17.
 *
 * in:   w17 = slot, argument registers and stack of the call
 * out:  the same, by a jump; x9-x15 are lost, which carry no argument
 *
 * frame: sp+0   x29, x30   sp+16  x0-x7   sp+80  x8 (where a structure is
 *        returned to), x17   sp+96  q0-q7
 */
	FUNCTION stub_resolve
	hint	#34			/* bti c */
	SIGN
	stp	x29, x30, [sp, #-224]!
	.cfi_def_cfa_offset 224
	.cfi_offset x29, -224
	.cfi_offset x30, -216
	mov	x29, sp
	.cfi_def_cfa_register x29
	INTEGERS_AT stp, sp, 16
	stp	x8, x17, [sp, #80]
	VECTORS_AT stp, sp, 96
	mov	w0, w17
	bl	core_load			/* void *core_load(uint32_t slot) */
	mov	x16, x0
	VECTORS_AT ldp, sp, 96
	ldp	x8, x17, [sp, #80]	/* the trampoline wants the slot too */
	INTEGERS_AT ldp, sp, 16
	ldp	x29, x30, [sp], #224
	.cfi_def_cfa sp, 0
	.cfi_restore x29
	.cfi_restore x30
	AUTHENTICATE
	br	x16
	FUNCTION_END stub_resolve

/*
 * void stub_call_on(void *top, void (*function)(void *), void *argument): calls it
 * with its stack below top, which is aligned to 16 bytes.
 */
	FUNCTION stub_call_on
	hint	#34			/* bti c */
	SIGN
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	mov	x29, sp
	.cfi_def_cfa_register x29
	mov	sp, x0
	mov	x0, x2
	blr	x1
	mov	sp, x29
	ldp	x29, x30, [sp], #16
	.cfi_def_cfa sp, 0
	.cfi_restore x29
	.cfi_restore x30
	AUTHENTICATE
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
