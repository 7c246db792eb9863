/* SPDX-License-Identifier: Apache-2.0 */
/* The trampolines of AArch64: from a stub through the hooks to the driver. */

#include <internal/asm.h>

#include "hooks/arch/offsets.h"

/*
 * All: any prototype.
 *
 * in:   w17 = slot; argument registers, x30 and stack of the call
 * out:  the driver's answer, or the hooks', in x0
 * frame: struct frame at sp = x29 - FRAME_SIZE, x29 and x30 above it at x29,
 *        the caller's stack words at x29 + 16; CFA by x29
 *
 * dispatch() of dispatch.c fills the frame and is the enter hook. x16 and x17
 * are the only registers used before the arguments are saved.
 */
	.macro	ENTER name, registers=8
	FUNCTION \name, 64
	hint	#34			/* bti c */
	mov	x16, x30		/* the return address as no one has signed it */
	SIGN
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	mov	x29, sp
	.cfi_def_cfa_register x29
	sub	sp, sp, #FRAME_SIZE
	stp	x0, x1, [sp, #FRAME_REGS+0]
	.if	\registers > 2
	stp	x2, x3, [sp, #FRAME_REGS+16]
	stp	x4, x5, [sp, #FRAME_REGS+32]
	stp	x6, x7, [sp, #FRAME_REGS+48]
	.endif
	.endm

	.macro	DISPATCH way
	mov	x0, sp
	adrp	x1, entry_table
	add	x1, x1, #:lo12:entry_table
	add	x1, x1, x17, lsl #ENTRY_SHIFT
	mov	x2, x16
	mov	w3, #\way
	bl	dispatch
	.endm

	/* Hooks may have edited them. frame: a register with the frame's address. */
	.macro	LOAD_REGISTERS frame, registers=8
	ldp	x0, x1, [\frame, #FRAME_REGS+0]
	.if	\registers > 2
	ldp	x2, x3, [\frame, #FRAME_REGS+16]
	ldp	x4, x5, [\frame, #FRAME_REGS+32]
	ldp	x6, x7, [\frame, #FRAME_REGS+48]
	.endif
	.endm

	/* \into = the driver's function. frame: a register with the frame's address. */
	.macro	REAL into, frame
	ldr	\into, [\frame, #FRAME_FUNCTION]
	ldr	\into, [\into, #ENTRY_REAL-ENTRY_FUNCTION]
	.endm

	/* Undoes the frame; the CFI of what follows in the function is kept. */
	.macro	LEAVE_AND how:vararg
	.cfi_remember_state
	mov	sp, x29
	ldp	x29, x30, [sp], #16
	.cfi_def_cfa sp, 0
	.cfi_restore x29
	.cfi_restore x30
	AUTHENTICATE
	\how
	.cfi_restore_state
	.endm

	/* The hooks are done for now: what the driver calls back is hooked. */
	.macro	OUTSIDE frame
	ldr	x10, [\frame, #FRAME_THREAD]
	ldr	x11, [\frame, #FRAME_OWN]
	str	x11, [x10, #THREAD_STATE]
	.endm

	.macro	END_CALL
	ldr	x10, [sp, #FRAME_THREAD]
	ldr	w12, [sp, #FRAME_DEPTH]
	ldr	x11, [sp, #FRAME_OUTER]
	sub	w12, w12, #1
	str	w12, [x10, #THREAD_DEPTH]
	str	x11, [x10, #THREAD_STATE]
	.endm

	/* frame \at = the counter, where a hook wants it. frame: a register with the frame's address. */
	.macro	CLOCK at, frame
	ldr	x10, [\frame, #FRAME_LIST]
	ldr	w10, [x10, #LIST_KIND]
	cbnz	w10, 9f			/* LIST_TIMES is 0 */
	mrs	x10, cntvct_el0
	str	x10, [\frame, #\at]
9:
	.endm

	/*
	 * The driver answered w0: runs the exit hook. Where that was on another thread
	 * than the call began on, as a coroutine's may, dispatch_moved does.
	 */
	.macro	EXIT
	CLOCK	FRAME_END, sp
	str	w0, [sp, #FRAME_RESULT]
	ldr	x10, [sp, #FRAME_THREAD]
	mrs	x11, tpidr_el0
	ldr	x12, [x10, #THREAD_POINTER]
	mov	x0, sp
	cmp	x12, x11
	b.eq	8f
	bl	dispatch_moved
	b	9f
8:	ldr	x12, [sp, #FRAME_LIST]
	ldr	x11, [sp, #FRAME_OWN]
	orr	x11, x11, #THREAD_INSIDE
	str	x11, [x10, #THREAD_STATE]
	ldr	x1, [x12, #LIST_DATA]
	ldr	x12, [x12, #LIST_EXIT]
	blr	x12
	END_CALL
9:	ldr	w0, [sp, #FRAME_RESULT]
	.endm

	/* w0, not 0: goes to \label if it is DISPATCH_STRAIGHT. */
	.macro	IF_STRAIGHT label
	mov	w9, #DISPATCH_STRAIGHT & 0xffff
	movk	w9, #DISPATCH_STRAIGHT >> 16, lsl #16
	cmp	w0, w9
	b.eq	\label
	.endm

	.macro	JUMP_ON registers=8
	LOAD_REGISTERS sp, \registers
	REAL	x16, sp
	LEAVE_AND br x16
	.endm

	.macro	SKIPPED
	mov	x0, sp
	bl	dispatch_skipped
	LEAVE_AND ret
	.endm

	/* With what hooks do at each call: the linker puts these together, in a page or two. */
	.section .text.hot, "ax", @progbits

	.macro	INTEGERS name, registers
	ENTER \name, \registers
	DISPATCH DISPATCH_REGISTERS
	cbnz	w0, 1f
	ldr	x9, [sp, #FRAME_LIST]
	ldr	x9, [x9, #LIST_EXIT]
	cbz	x9, 2f
	LOAD_REGISTERS sp, \registers
	OUTSIDE sp
	CLOCK	FRAME_START, sp
	REAL	x9, sp
	blr	x9
	EXIT
	LEAVE_AND ret
1:	IF_STRAIGHT 3f
	SKIPPED
2:	END_CALL			/* no exit hook wanted */
3:	JUMP_ON \registers
	FUNCTION_END \name
	.endm

/* For functions whose arguments all lie in the first two integer registers, or in eight. */
	INTEGERS trampoline_two, 2
	INTEGERS trampoline_registers, 8

/* For functions with more integer arguments than registers. */
	ENTER trampoline_stack
	DISPATCH DISPATCH_STACK
	cbnz	w0, 1f
	ldr	x9, [sp, #FRAME_LIST]
	ldr	x10, [x9, #LIST_EXIT]
	cbz	x10, 2f
	ldr	w10, [x9, #LIST_STACK_WORDS]
	mov	x9, sp			/* the frame */
	add	w11, w10, #1
	and	w11, w11, #-2		/* an even number keeps sp aligned */
	sub	sp, sp, x11, lsl #3
	add	x12, x9, #FRAME_STACK_ARGS-8
4:	ldr	x11, [x12, x10, lsl #3]
	sub	x10, x10, #1
	str	x11, [sp, x10, lsl #3]
	cbnz	x10, 4b
	LOAD_REGISTERS x9
	OUTSIDE x9
	CLOCK	FRAME_START, x9
	REAL	x9, x9
	blr	x9
	sub	sp, x29, #FRAME_SIZE
	EXIT
	LEAVE_AND ret
1:	IF_STRAIGHT 3f
	SKIPPED
2:	mov	x0, sp
	bl	dispatch_give_back
	END_CALL
3:	JUMP_ON
	FUNCTION_END trampoline_stack

/*
 * For any function: keeps x8 (where the callee puts a structure it returns)
 * and q0-q7, passes the whole window on, and keeps all of an answer in x0:x1
 * and q0-q3. There is always an exit. wide: of whose stack nothing is known,
 * FRAME_WIDE_WORDS are passed on, as far as they can be read.
 */
	.macro	ANY name, wide=0
	ENTER \name
	VECTORS_AT stp, sp, FRAME_VECTORS
	str	x8, [sp, #FRAME_ANSWER]
	DISPATCH DISPATCH_FULL
	cbnz	w0, 1f
	mov	x9, sp			/* the frame */
	.if	\wide
	mov	w0, #FRAME_WIDE_WORDS
	add	x10, x29, #16+FRAME_WIDE_WORDS*8-1
	eor	x10, x10, x29		/* in the page of x29 and x30, which is there */
	lsr	x10, x10, #12
	cbz	x10, 4f
	mov	x0, sp
	bl	dispatch_wide		/* uint32_t dispatch_wide(struct frame *frame) */
	mov	x9, sp
4:	sub	sp, sp, #FRAME_WIDE_WORDS*8
	add	x10, x29, #16+FRAME_NSTACK_ARGS*8
	add	x11, sp, #FRAME_NSTACK_ARGS*8
	subs	w0, w0, #FRAME_NSTACK_ARGS
	b.ls	6f
5:	ldr	x12, [x10], #8
	str	x12, [x11], #8
	subs	w0, w0, #1
	b.ne	5b
6:
	.else
	sub	sp, sp, #FRAME_NSTACK_ARGS*8
	.endif
	.set	at, 0
	.rept	FRAME_NSTACK_ARGS / 4
	ldp	q0, q1, [x9, #FRAME_STACK_ARGS+at]
	stp	q0, q1, [sp, #at]
	.set	at, at + 32
	.endr
	VECTORS_AT ldp, x9, FRAME_VECTORS
	LOAD_REGISTERS x9
	OUTSIDE x9
	CLOCK	FRAME_START, x9
	ldr	x8, [x9, #FRAME_ANSWER]
	REAL	x9, x9
	blr	x9
	sub	sp, x29, #FRAME_SIZE
	stp	x0, x1, [sp, #FRAME_ANSWER]
	stp	q0, q1, [sp, #FRAME_ANSWER_VECTORS+0]
	stp	q2, q3, [sp, #FRAME_ANSWER_VECTORS+32]
	EXIT
	ldp	x9, x1, [sp, #FRAME_ANSWER]
	lsr	x9, x9, #32		/* the answer may be wider than a CUresult */
	orr	x0, x0, x9, lsl #32
	ldp	q0, q1, [sp, #FRAME_ANSWER_VECTORS+0]
	ldp	q2, q3, [sp, #FRAME_ANSWER_VECTORS+32]
	LEAVE_AND ret
1:	IF_STRAIGHT 3f
	SKIPPED
3:	VECTORS_AT ldp, sp, FRAME_VECTORS
	ldr	x8, [sp, #FRAME_ANSWER]
	JUMP_ON
	FUNCTION_END \name
	.endm

	ANY	trampoline_full
	ANY	trampoline_wide, 1

	NOTES
