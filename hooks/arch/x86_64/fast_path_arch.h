/* SPDX-License-Identifier: Apache-2.0 */
/* Macros of the fast paths on x86-64. */
#ifndef HOOKS_ARCH_X86_64_FAST_PATH_ARCH_H
#define HOOKS_ARCH_X86_64_FAST_PATH_ARCH_H

#include <internal/asm.h>

#include "hooks/arch/offsets.h"

/*
 * All: functions whose arguments lie in integer registers; with \launch, and five
 * words of the stack, as those of cuLaunchKernel.
 *
 * in:   r11d = slot; argument registers and stack of the call
 * out:  the driver's answer, in eax
 * frame: struct fast_call at rsp once the driver has answered, whose last fields are the
 *        frame pointer, the return address and the caller's stack; CFA by rbp
 *
 * For a thread's first call, and calls inside of calls: goes to \slowly with
 * all as it came. A program has a use for the caches itself. So this is to be
 * short, and \prefetch asks for what will be read once the driver has answered,
 * before it runs; it finds what the frame keeps for that, in rax. \registers: how
 * many arguments the frame has of those in registers, 6, 2 or 0; with 2, a third
 * one is lost.
 */

	/* Where BEGIN jumps to; before the fast path: the slow path. */
	.macro	BACK slowly
	.p2align 6
	.cfi_startproc
9:	leaq	entry_table+ENTRY_FUNCTION(%rip), %rax
	subq	%rax, %r11
	shrq	$ENTRY_SHIFT, %r11
	jmp	\slowly
	.cfi_endproc
	.endm

	/* The thread's state: at depth 1, of a frame where a trampoline's would be. */
	.macro	STATE where
	.ifc	\where, inside
	leaq	THREAD_INSIDE-FRAME_SIZE(%rbp), %rax
	.else
	leaq	-FRAME_SIZE(%rbp), %rax
	.endif
	movq	%rax, THREAD_STATE(%r10)
	.endm

	/* To the first read of the clock; r11 = the function in its entry. */
	.macro	BEGIN path, prefetch, registers=6
	FUNCTION \path, 64
	endbr64
	testb	$8, %spl
	jz	trampoline_misaligned
	leaq	entry_table+ENTRY_FUNCTION(%rip), %rax
	shlq	$ENTRY_SHIFT, %r11
	addq	%rax, %r11
	movslq	ENTRY_SELF-ENTRY_FUNCTION(%r11), %rax
	movq	%fs:(%rax), %r10	/* the thread */
	testq	%r10, %r10
	jz	9b
	cmpq	$0, THREAD_STATE(%r10)
	jne	9b
	PUSH_FRAME
	\prefetch
	pushq	%r10			/* keeps rsp aligned, and says whose frame it is */
	pushq	%rax
	STATE	outside
	.if	\registers > 2
	pushq	%r9
	pushq	%r8
	pushq	%rcx
	pushq	%rdx
	.else
	subq	$(FRAME_NREGS - \registers) * 8, %rsp
	.endif
	.if	\registers > 0
	pushq	%rsi
	pushq	%rdi
	.endif
	pushq	%r11
	pushq	%r10
	movl	$1, %eax		/* at once, as a handler's calls have numbers too */
	xaddq	%rax, THREAD_CORRELATION(%r10)
	incq	%rax
	pushq	%rax
	.if	\registers == 0
	movq	%rdx, %r10
	.endif
	rdtsc
	shlq	$32, %rdx
	orq	%rdx, %rax
	pushq	%rax
	.if	\registers == 0
	movq	%r10, %rdx
	.elseif	\registers > 2
	movq	FAST_WORDS+2*8(%rsp), %rdx
	.endif
	.endm

	/*
	 * To the second, and to \moved where the driver came back on another thread: ecx = the driver's answer, rdx = the counter, r10 =
	 * the thread, inside of the hook.
	 */
	.macro	DRIVER moved, launch=0
	.if	\launch
	pushq	%rax			/* keeps rsp aligned */
	pushq	16+4*8(%rbp)
	pushq	16+3*8(%rbp)
	pushq	16+2*8(%rbp)
	/*
	 * These have 4 bytes. The caller may have written no more: who reads more
	 * waits until that, and whatever was written before it, is in the cache.
	 */
	movl	16+1*8(%rbp), %eax
	pushq	%rax
	movl	16+0*8(%rbp), %eax
	pushq	%rax
	.endif
	call	*ENTRY_REAL-ENTRY_FUNCTION(%r11)
	.if	\launch
	addq	$(FAST_STACK + 1) * 8, %rsp
	.endif
	movl	%eax, %ecx
	rdtsc
	movq	FAST_THREAD(%rsp), %r10
	shlq	$32, %rdx
	orq	%rax, %rdx
	movq	%fs:0, %rax
	cmpq	%rax, THREAD_POINTER(%r10)
	jne	\moved
	STATE	inside
	.endm

	/* After DRIVER went there: as EXIT, but that the thread is left alone. */
	.macro	MOVED
	movq	%rsp, %rdi
	movq	%rdx, %rsi
	movl	%ecx, %edx
	call	fast_moved
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.endm

	/* eax = int exit(struct fast_call *, uint64_t end, int result), after DRIVER; and back to the caller. */
	.macro	EXIT exit
	movq	%rsp, %rdi
	movq	%rdx, %rsi
	movl	%ecx, %edx
	call	\exit
	movq	FAST_THREAD(%rsp), %rcx
	movq	$0, THREAD_STATE(%rcx)
	leave
	.cfi_def_cfa %rsp, 8
	ret
	.endm

#endif
