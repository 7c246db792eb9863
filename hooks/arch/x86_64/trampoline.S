/* SPDX-License-Identifier: Apache-2.0 */
/* The trampolines of x86-64: from a stub through the hooks to the driver. */

#include <internal/asm.h>

#include "hooks/arch/offsets.h"

/*
 * All: any prototype.
 *
 * in:   r11d = slot; argument registers and stack of the call
 * out:  the driver's answer, or the hooks', in rax
 * frame: struct frame at rsp = rbp - FRAME_SIZE, rsp 16-byte aligned; CFA by rbp
 *
 * Each does what dispatch() of dispatch.c does, but for a thread's first call,
 * calls inside of calls and functions that just lost their hooks. In C it
 * would take a call and a jump more, each as dear as ten instructions.
 */
	.macro	ENTER name, registers=6
	FUNCTION \name, 64
	endbr64
	testb	$8, %spl
	jz	trampoline_misaligned
	PUSH_FRAME
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

	/*
	 * r11 = the function in its entry, rax = the thread, r10 = the function's
	 * hooks. Goes to \slowly unless there are both and the thread is in no call.
	 */
	.macro	FIND slowly
	movq	thread_self@gottpoff(%rip), %rax
	leaq	entry_table+ENTRY_FUNCTION(%rip), %rdx
	shlq	$ENTRY_SHIFT, %r11
	movq	%fs:(%rax), %rax
	addq	%rdx, %r11
	movq	ENTRY_LIST-ENTRY_FUNCTION(%r11), %r10
	testq	%rax, %rax
	jz	\slowly
	cmpq	$0, THREAD_STATE(%rax)
	jne	\slowly
	testq	%r10, %r10
	jz	\slowly
	.endm

	/*
	 * Fills the frame: after FIND, and the frame is at rsp. By its caller and its
	 * thread a handler knows that it is there, so these come before the state.
	 */
	.macro	BEGIN
	movq	8(%rbp), %rdx		/* the return address */
	leaq	THREAD_INSIDE(%rsp), %rsi
	movq	%rdx, FRAME_CALLER(%rsp)
	movq	%rax, FRAME_THREAD(%rsp)
	movq	%rsi, THREAD_STATE(%rax)	/* at depth 1, inside of a hook */
	movq	THREAD_CORRELATION(%rax), %rdx
	leaq	FRAME_REGS(%rsp), %rsi
	movq	%rsi, FRAME_WORDS(%rsp)
	addq	$1, %rdx
	movq	%r11, FRAME_FUNCTION(%rsp)
	movq	%rdx, THREAD_CORRELATION(%rax)
	movq	%rdx, FRAME_CORRELATION(%rsp)
	movups	LIST_BEGIN(%r10), %xmm0
	movq	%r10, FRAME_LIST(%rsp)
	movaps	%xmm0, FRAME_NWORDS(%rsp)
	.endm

	/* What a depth of any needs, after BEGIN. */
	.macro	BEGIN_ANY
	BEGIN
	movq	$0, FRAME_OUTER(%rsp)
	movq	%rsp, FRAME_OWN(%rsp)
	.endm

	/* A function, or that at a place. wide: and keeps what is above xmm0-7. */
	.macro	CALL_C function, wide
	.if	\wide
	leaq	\function(%rip), %r11
	call	call_keeping_wide
	.else
	call	\function
	.endif
	.endm
	.macro	CALL_AT place, wide
	.if	\wide
	movq	\place, %r11
	call	call_keeping_wide
	.else
	call	*\place
	.endif
	.endm

	/* The enter hook; eax = its answer. */
	.macro	HOOK wide=0
	movq	%rsp, %rdi
	movq	LIST_DATA(%r10), %rsi
	CALL_AT	LIST_ENTER(%r10), \wide
	.endm

	/* The same if there is one, else goes to \none. */
	.macro	HOOK_IF_ANY none, wide=0
	cmpq	$0, LIST_ENTER(%r10)
	je	\none
	HOOK	\wide
	.endm

	/* at(%rsp) = the counter. */
	.macro	CLOCK at, base=%rsp
	rdtsc
	shlq	$32, %rdx
	orq	%rdx, %rax
	movq	%rax, \at(\base)
	.endm

	/* FIND, BEGIN and HOOK in C; eax = what the enter hook or dispatch() itself says. */
	.macro	DISPATCH way, wide=0
	movq	%rsp, %rdi
	leaq	-ENTRY_FUNCTION(%r11), %rsi
	movq	8(%rbp), %rdx
	movl	$\way, %ecx
	CALL_C	dispatch, \wide
	.endm

	/* r11 = the driver's function. */
	.macro	REAL
	movq	FRAME_FUNCTION-FRAME_SIZE(%rbp), %r11
	movq	ENTRY_REAL-ENTRY_FUNCTION(%r11), %r11
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
	addq	$FRAME_SIZE, %rsp
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	\how
	.cfi_restore_state
	.endm

	/*
	 * The hooks are done for now: what the driver calls back is hooked. r11 =
	 * the driver's function. depth: 1, or any.
	 */
	.macro	OUTSIDE depth
	movq	FRAME_THREAD-FRAME_SIZE(%rbp), %rax
	movq	FRAME_FUNCTION-FRAME_SIZE(%rbp), %r11
	.ifc	\depth, 1
	movq	%rsp, THREAD_STATE(%rax)
	.else
	movq	FRAME_OWN-FRAME_SIZE(%rbp), %rdx
	movq	%rdx, THREAD_STATE(%rax)
	.endif
	movq	ENTRY_REAL-ENTRY_FUNCTION(%r11), %r11
	.endm

	/*
	 * The timed way without an enter hook, after BEGIN: nothing was edited, and
	 * rsi and rdx alone were used. extra: how far rsp is below the frame.
	 */
	.macro	STRAIGHT extra=0
	leaq	\extra(%rsp), %rdx
	movq	%rdx, THREAD_STATE(%rax)
	movq	ENTRY_REAL-ENTRY_FUNCTION(%r11), %r11
	CLOCK	\extra+FRAME_START
	movq	FRAME_REGS+8-FRAME_SIZE(%rbp), %rsi
	.endm

	/* r11 = the thread: its state is as before the call. */
	.macro	OUTER
	movl	FRAME_DEPTH(%rsp), %ecx
	movq	FRAME_OUTER(%rsp), %rdx
	decl	%ecx
	movl	%ecx, THREAD_DEPTH(%r11)
	movq	%rdx, THREAD_STATE(%r11)
	.endm

	/*
	 * The driver answered rax: runs the exit hook. timed: yes, no or maybe;
	 * depth: 1, or any. Goes to \moved where that was on another thread than the
	 * call began on, as a coroutine's may.
	 */
	.macro	EXIT timed, depth, moved, wide=0
	movl	%eax, FRAME_RESULT(%rsp)
	.ifc	\timed, yes
	CLOCK	FRAME_END
	.endif
	movq	FRAME_THREAD(%rsp), %r11
	movq	FRAME_LIST(%rsp), %rcx
	.ifc	\timed, maybe
	cmpl	$LIST_TIMES, LIST_KIND(%rcx)
	jne	9f
	CLOCK	FRAME_END
9:
	.endif
	movq	%fs:0, %rdx
	.ifc	\depth, 1
	leaq	THREAD_INSIDE(%rsp), %rsi
	.else
	movq	FRAME_OWN(%rsp), %rsi
	orq	$THREAD_INSIDE, %rsi
	.endif
	cmpq	%rdx, THREAD_POINTER(%r11)
	jne	\moved
	movq	%rsi, THREAD_STATE(%r11)
	movq	%rsp, %rdi
	movq	LIST_DATA(%rcx), %rsi
	CALL_AT	LIST_EXIT(%rcx), \wide
	movq	FRAME_THREAD(%rsp), %r11
	movl	FRAME_RESULT(%rsp), %eax
	.ifc	\depth, 1
	movq	$0, THREAD_STATE(%r11)
	.else
	OUTER
	.endif
	.endm

	.macro	MOVED wide=0
	movq	%rsp, %rdi
	CALL_C	dispatch_moved, \wide
	.endm

	/* No exit hook wanted, eax = 0, or no hook at all, eax = DISPATCH_STRAIGHT. */
	.macro	JUMP_ON registers=6
	testl	%eax, %eax
	jnz	9f
	movq	FRAME_THREAD(%rsp), %r11
	OUTER
9:	LOAD_REGISTERS \registers
	REAL
	LEAVE_AND jmp *%r11
	.endm

	.macro	SKIPPED
	movq	%rsp, %rdi
	call	dispatch_skipped
	LEAVE_AND ret
	.endm

	.text

/*
 * A caller whose stack is not aligned as the ABI wants (rsp is a multiple of 16
 * here): hooks could crash where the driver does not. So it goes to the driver as
 * it came, and is counted as a call that no hook saw.
 *
 * in:   r11d = slot; argument registers and stack of the call
 * out:  the same, by a jump; r10 is lost
 */
	FUNCTION trampoline_misaligned
	movq	thread_self@gottpoff(%rip), %r10
	movq	%fs:(%r10), %r10
	testq	%r10, %r10
	jz	1f
	incq	THREAD_BYPASSED(%r10)
	jmp	2f
1:	lock incq thread_unseen(%rip)
2:	leaq	entry_table(%rip), %r10
	shlq	$ENTRY_SHIFT, %r11
	jmp	*ENTRY_REAL(%r10,%r11)
	FUNCTION_END trampoline_misaligned

	/* With what hooks do at each call: the linker puts these together, in a page or two. */
	.section .text.hot, "ax", @progbits

	.macro	INTEGERS name, registers
	ENTER \name, \registers
	FIND 5f
	BEGIN
.L\name\()_begun:
	cmpl	$LIST_EXITS, LIST_KIND(%r10)
	jb	8f
	ja	6f
	HOOK_IF_ANY 4f
	testl	%eax, %eax
	jnz	1f
4:	OUTSIDE	1
	LOAD_REGISTERS \registers
	call	*%r11
	EXIT	no, 1, .L\name\()_moved
	LEAVE_AND ret
6:	HOOK
	testl	%eax, %eax
	jnz	1f
	movq	FRAME_THREAD(%rsp), %rax
	movq	FRAME_FUNCTION(%rsp), %r11
	movq	$0, THREAD_STATE(%rax)
	LOAD_REGISTERS \registers
	LEAVE_AND jmp *ENTRY_REAL-ENTRY_FUNCTION(%r11)
8:	HOOK_IF_ANY 7f
	testl	%eax, %eax
	jnz	1f
7:	OUTSIDE	1
	CLOCK	FRAME_START
	LOAD_REGISTERS \registers
	call	*%r11
	EXIT	yes, 1, .L\name\()_moved
	LEAVE_AND ret
.L\name\()_unready:
5:	DISPATCH DISPATCH_REGISTERS
	testl	%eax, %eax
	jnz	1f
	movq	FRAME_LIST(%rsp), %r10
	cmpl	$LIST_EXITS, LIST_KIND(%r10)
	ja	2f
	je	9f
	CLOCK	FRAME_START
9:	OUTSIDE	any
	LOAD_REGISTERS \registers
	call	*%r11
	EXIT	maybe, any, .L\name\()_moved
	LEAVE_AND ret
1:	cmpl	$DISPATCH_STRAIGHT, %eax
	jne	3f
2:	JUMP_ON \registers
3:	SKIPPED
.L\name\()_moved:
	MOVED
	LEAVE_AND ret
	FUNCTION_END \name

	/* What is timed and has no enter hook goes straight down: no guess of a jump is wrong. */
	ENTER \name\()_timed, \registers
	FIND .L\name\()_unready
	BEGIN
	cmpl	$LIST_TIMES, LIST_KIND(%r10)
	jne	.L\name\()_begun	/* its hooks have just changed */
	cmpq	$0, LIST_ENTER(%r10)
	jne	.L\name\()_begun
	STRAIGHT
	.if	\registers > 2
	movq	FRAME_REGS+16(%rsp), %rdx
	.endif
	call	*%r11
	EXIT	yes, 1, .L\name\()_moved
	LEAVE_AND ret
	FUNCTION_END \name\()_timed
	.endm

/* For functions whose arguments all lie in the first two integer registers, or in six. */
	INTEGERS trampoline_two, 2
	INTEGERS trampoline_registers, 6

/* For functions with more integer arguments than registers. */
	ENTER trampoline_stack
	FIND 5f
	BEGIN_ANY
	/* Six words at once, unless they leave the page that the first of them is in. */
	leal	16(%rbp), %esi
	movl	LIST_STACK_WORDS(%r10), %edx
	andl	$4096-1, %esi
	cmpl	$4096-6*8, %esi
	ja	6f
	cmpl	$6, %edx
	ja	6f
	cmpl	$LIST_TIMES, LIST_KIND(%r10)
	jne	6f
	cmpq	$0, LIST_ENTER(%r10)
	jne	6f
	subq	$6*8, %rsp
	/* Word by word, as they were written: of two, the processor would wait for both. */
	.set	at, 0
	.rept	6
	movq	16+at(%rbp), %rdx
	movq	%rdx, 6*8+FRAME_STACK_ARGS+at(%rsp)
	movq	%rdx, at(%rsp)
	.set	at, at + 8
	.endr
	STRAIGHT 6*8
	movq	FRAME_REGS+16-FRAME_SIZE(%rbp), %rdx
	call	*%r11
	addq	$6*8, %rsp
	EXIT	yes, 1, .Lstack_moved
	LEAVE_AND ret
.Lstack_moved:
	MOVED
	LEAVE_AND ret
6:	movq	8(%rbp,%rdx,8), %rcx
	movq	%rcx, FRAME_STACK_ARGS-8(%rsp,%rdx,8)
	subl	$1, %edx
	jnz	6b
	xorl	%eax, %eax
	HOOK_IF_ANY 7f
7:	testl	%eax, %eax
	jnz	1f
	movq	FRAME_LIST(%rsp), %r10
	cmpl	$LIST_EXITS, LIST_KIND(%r10)
	je	8f
	ja	2f
	CLOCK	FRAME_START
8:	movl	LIST_STACK_WORDS(%r10), %edx
	leal	1(%rdx), %ecx
	andl	$-2, %ecx		/* an even number keeps rsp aligned */
	shlq	$3, %rcx
	subq	%rcx, %rsp
4:	movq	FRAME_STACK_ARGS-FRAME_SIZE-8(%rbp,%rdx,8), %rcx
	movq	%rcx, -8(%rsp,%rdx,8)
	subl	$1, %edx
	jnz	4b
	OUTSIDE	any
	LOAD_REGISTERS
	call	*%r11
	leaq	-FRAME_SIZE(%rbp), %rsp
	EXIT	maybe, any, .Lstack_moved
	LEAVE_AND ret
1:	cmpl	$DISPATCH_STRAIGHT, %eax
	jne	3f
	JUMP_ON
2:	movq	%rsp, %rdi
	call	dispatch_give_back
	xorl	%eax, %eax
	JUMP_ON
3:	SKIPPED
5:	DISPATCH DISPATCH_STACK
	jmp	7b
	FUNCTION_END trampoline_stack

/*
 * For any function: keeps rax (the number of vector registers of a variadic
 * call) and xmm0-7, passes the whole window on, and keeps both words of an
 * answer in rax:rdx and xmm0:xmm1. There is always an exit.
 *
 * wide: for the functions of any library. What is on the stack beyond the window is
 * passed on too, as far as FRAME_WIDE_WORDS, and where arguments lie is as good for vectors as
 * it was: the same multiple of 64 bytes. What is above xmm0-7 of ymm0-7 or zmm0-7 stays
 * in them, also of the answer: what is moved here leaves it alone, and C is called by
 * call_keeping_wide.
 */
	.macro	FULL name, wide
	ENTER \name
	STORE_XMM %rsp, FRAME_VECTORS
	movq	%rax, FRAME_ANSWER(%rsp)
	FIND 5f
	/* All of the window, unless it leaves the page of the return address. */
	leaq	16-1(%rbp), %rdx
	andl	$4096-1, %edx
	cmpl	$4096-FRAME_NSTACK_ARGS*8, %edx
	jae	5f
	BEGIN_ANY
	.set	at, 0
	.rept	FRAME_NSTACK_ARGS / 8
	movups	16+at(%rbp), %xmm0
	movups	16+at+16(%rbp), %xmm1
	movups	16+at+32(%rbp), %xmm2
	movups	16+at+48(%rbp), %xmm3
	movaps	%xmm0, FRAME_STACK_ARGS+at(%rsp)
	movaps	%xmm1, FRAME_STACK_ARGS+at+16(%rsp)
	movaps	%xmm2, FRAME_STACK_ARGS+at+32(%rsp)
	movaps	%xmm3, FRAME_STACK_ARGS+at+48(%rsp)
	.set	at, at + 64
	.endr
	xorl	%eax, %eax
	HOOK_IF_ANY 4f, \wide
4:	testl	%eax, %eax
	jnz	1f
	.if	\wide
	leaq	16-1(%rbp), %rdx	/* in the page of the return address, which is there */
	movl	$FRAME_WIDE_WORDS, %ecx
	leal	FRAME_WIDE_WORDS*8(%rdx), %eax
	xorl	%edx, %eax
	testl	$-4096, %eax
	jz	7f
	movq	%rsp, %rdi
	CALL_C	dispatch_wide, 1	/* uint32_t dispatch_wide(struct frame *frame) */
	movl	%eax, %ecx
7:	leaq	16(%rbp), %rsi
	subq	$FRAME_WIDE_WORDS*8, %rsp
	movl	%esp, %edx
	subl	%esi, %edx
	andl	$63, %edx
	subq	%rdx, %rsp
	subl	$FRAME_NSTACK_ARGS, %ecx
	jbe	7f
	addq	$FRAME_NSTACK_ARGS*8, %rsi
	leaq	FRAME_NSTACK_ARGS*8(%rsp), %rdi
	rep movsq
7:
	.else
	subq	$FRAME_NSTACK_ARGS*8, %rsp
	.endif
	movq	FRAME_LIST-FRAME_SIZE(%rbp), %r10
	cmpl	$LIST_TIMES, LIST_KIND(%r10)
	jne	6f
	CLOCK	(FRAME_START-FRAME_SIZE), %rbp
6:
	.set	at, 0
	.rept	FRAME_NSTACK_ARGS / 2
	movaps	FRAME_STACK_ARGS-FRAME_SIZE+at(%rbp), %xmm0
	movaps	%xmm0, at(%rsp)
	.set	at, at + 16
	.endr
	LOAD_XMM %rbp, FRAME_VECTORS-FRAME_SIZE
	OUTSIDE	any
	LOAD_REGISTERS
	movq	FRAME_ANSWER-FRAME_SIZE(%rbp), %rax
	call	*%r11
	leaq	-FRAME_SIZE(%rbp), %rsp
	movq	%rax, FRAME_ANSWER(%rsp)
	movq	%rdx, FRAME_ANSWER+8(%rsp)
	movaps	%xmm0, FRAME_ANSWER_VECTORS+0(%rsp)
	movaps	%xmm1, FRAME_ANSWER_VECTORS+16(%rsp)
	EXIT	maybe, any, .L\name\()_moved, \wide
.L\name\()_answered:
	movl	FRAME_ANSWER+4(%rsp), %ecx	/* the answer may be wider than a CUresult */
	shlq	$32, %rcx
	orq	%rcx, %rax
	movq	FRAME_ANSWER+8(%rsp), %rdx
	movaps	FRAME_ANSWER_VECTORS+0(%rsp), %xmm0
	movaps	FRAME_ANSWER_VECTORS+16(%rsp), %xmm1
	LEAVE_AND ret
1:	cmpl	$DISPATCH_STRAIGHT, %eax
	jne	3f
	LOAD_XMM %rbp, FRAME_VECTORS-FRAME_SIZE
	LOAD_REGISTERS
	movq	FRAME_ANSWER(%rsp), %rax
	REAL
	LEAVE_AND jmp *%r11
3:	SKIPPED
5:	DISPATCH DISPATCH_FULL, \wide
	jmp	4b
.L\name\()_moved:
	MOVED	\wide
	jmp	.L\name\()_answered
	FUNCTION_END \name
	.endm

	.macro	LOAD_LINK
	movq	cuaudit_core_link@GOTPCREL(%rip), %r8
	movq	(%r8), %r8
	.endm
	KEEP_WIDE call_keeping_wide, TABLE_WIDE_VECTORS(%r8), LOAD_LINK

	FULL trampoline_full, 0
	FULL trampoline_wide, 1

	NOTES
