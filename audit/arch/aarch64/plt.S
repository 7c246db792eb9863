/* SPDX-License-Identifier: Apache-2.0 */
/* A resolver for PLTs of AArch64, to which the loader's own come next. */

#include <internal/asm.h>

	.text

/*
 * void plt_resolve(): any prototype -> goes on to the resolver of the loader
 * that plt_choose names.
 *
 * in:   what a PLT leaves: x16 = &GOT[2], sp+0 the slot's address &GOT[3 + n],
 *       sp+8 the return address; argument registers of the call
 * out:  the same, by a jump; x9-x15 and x17 are lost, which carry no argument.
 *       The auditor is compiled to use general registers alone
 *
 * frame: sp+0   x29, x16   sp+16  x0-x7   sp+80  x8 (where a structure is
 *        returned to)   sp+96 and sp+104: the words above
 */
	FUNCTION plt_resolve
	.cfi_def_cfa_offset 16
	hint	#34			/* bti c */
	stp	x29, x16, [sp, #-96]!
	.cfi_def_cfa_offset 112
	.cfi_offset x29, -112
	.cfi_offset x30, -8		/* the PLT stored it */
	mov	x29, sp
	.cfi_def_cfa_register x29
	INTEGERS_AT stp, sp, 16
	str	x8, [sp, #80]
	ldr	x0, [x16, #-8]		/* GOT[1], the link map */
	ldr	x1, [sp, #96]
	add	x16, x16, #8
	sub	x1, x1, x16
	lsr	x1, x1, #3		/* the relocation's index */
	bl	plt_choose		/* uintptr_t plt_choose(map, index) */
	mov	x17, x0
	ldr	x8, [sp, #80]
	INTEGERS_AT ldp, sp, 16
	ldp	x29, x16, [sp], #96
	.cfi_def_cfa sp, 16
	.cfi_restore x29
	ldr	x30, [sp, #8]
	.cfi_restore x30
	br	x17
	FUNCTION_END plt_resolve

/*
 * Never called: it gives the auditor a PLT, whose GOT the loader fills with
 * what plt_start wants to know. Every loader exports this function.
 */
	.type	plt_unused, @function
plt_unused:
	.cfi_startproc
	b	__tls_get_addr
	FUNCTION_END plt_unused

	NOTES
