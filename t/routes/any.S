/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a function with every register and stack word set; with ANY_DRIVER, the
   functions called; with ANY_PLUGIN, only what loses registers. */
#include "t/routes/any.h"

	.set	at_rax, ANY_RAX
	.set	at_rbx, ANY_RBX
	.set	at_rcx, ANY_RCX
	.set	at_rdx, ANY_RDX
	.set	at_rsi, ANY_RSI
	.set	at_rdi, ANY_RDI
	.set	at_rbp, ANY_RBP
	.set	at_rsp, ANY_RSP
	.set	at_r8, ANY_R8
	.set	at_r9, ANY_R9
	.set	at_r10, ANY_R10
	.set	at_r11, ANY_R11
	.set	at_r12, ANY_R12
	.set	at_r13, ANY_R13
	.set	at_r14, ANY_R14
	.set	at_r15, ANY_R15

	/* Of \base, by the level: all vectors, and the masks. \how: load or store. */
	.macro	VECTORS base, how, level
	cmpl	$ANY_AVX, \level(%rip)
	ja	3f
	je	2f
	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	.ifc	\how, load
	movups	ANY_VECTORS+64*\n(\base), %xmm\n
	.else
	movups	%xmm\n, ANY_VECTORS+64*\n(\base)
	.endif
	.endr
	jmp	4f
2:	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15
	.ifc	\how, load
	vmovups	ANY_VECTORS+64*\n(\base), %ymm\n
	.else
	vmovups	%ymm\n, ANY_VECTORS+64*\n(\base)
	.endif
	.endr
	jmp	4f
3:	.irp	n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
	.ifc	\how, load
	vmovups	ANY_VECTORS+64*\n(\base), %zmm\n
	.else
	vmovups	%zmm\n, ANY_VECTORS+64*\n(\base)
	.endif
	.endr
	.irp	n, 0,1,2,3,4,5,6,7
	.ifc	\how, load
	kmovw	ANY_MASKS+8*\n(\base), %k\n
	.else
	kmovw	%k\n, ANY_MASKS+8*\n(\base)
	.endif
	.endr
4:
	.endm

	.text

#ifndef ANY_DRIVER

/* void any_trash(void): loses all that a function may lose. */
	.globl	any_trash
	.type	any_trash, @function
any_trash:
	.cfi_startproc
	endbr64
	leaq	any_garbage(%rip), %r11
	VECTORS	%r11, load, any_level
	.irp	register, rax,rcx,rdx,rsi,rdi,r8,r9,r10
	movq	$-3, %\register
	.endr
	movq	$-3, %r11
	ret
	.cfi_endproc
	.size	any_trash, . - any_trash

	.data
	.p2align 6
any_garbage:
	.fill	ANY_SIZE, 1, 0x5d
	.text

#endif
#ifdef ANY_DRIVER

/* One entry for each function, as two of one address were one function with two names. */
#define NAME(symbol, kind, nwords)	ENTRY symbol
	.set	number, 0
	.macro	ENTRY symbol
	.globl	\symbol
	.type	\symbol, @function
	.p2align 4
\symbol:
	endbr64
	movl	$number, which(%rip)
	jmp	arrive
	.size	\symbol, . - \symbol
	.set	number, number + 1
	.endm
#include "names.h"

/*
 * in:   all of it, written to any_arrived
 * out:  rax, rdx, xmm0, xmm1 as any_answer has them; what else a callee may lose
 *       is as any_answer has it too
 */
	.type	arrive, @function
arrive:
	.cfi_startproc
	.irp	register, rax,rbx,rcx,rdx,rsi,rdi,rbp,rsp,r8,r9,r10,r11,r12,r13,r14,r15
	movq	%\register, at_\register+arrived(%rip)
	.endr
	pushfq
	.cfi_adjust_cfa_offset 8
	popq	ANY_FLAGS+arrived(%rip)
	.cfi_adjust_cfa_offset -8
	cld
	stmxcsr	ANY_MXCSR+arrived(%rip)
	fnstcw	ANY_FPUCW+arrived(%rip)
	leaq	arrived(%rip), %r11
	addq	$8, ANY_RSP(%r11)		/* before the call */
	.set	word, 0
	.rept	ANY_NSTACK
	movq	8+word(%rsp), %rax
	movq	%rax, ANY_STACK+word(%r11)
	.set	word, word + 8
	.endr
	incl	arrivals(%rip)
	VECTORS	%r11, store, level
	leaq	answer(%rip), %r11
	VECTORS	%r11, load, level
	.irp	register, rax,rcx,rdx,rsi,rdi,r8,r9,r10
	movq	at_\register(%r11), %\register
	.endr
	ret
	.cfi_endproc
	.size	arrive, . - arrive

	/* By two names each, as what others may define has no address relative to here. */
	.macro	DATA own, symbol, size
	.globl	\symbol
	.type	\symbol, @object
\symbol:
\own:	.skip	\size
	.size	\symbol, \size
	.endm

	.bss
	.p2align 6
	DATA	arrived, any_arrived, ANY_SIZE
	DATA	answer, any_answer, ANY_SIZE
	DATA	which, any_which, 4
	DATA	arrivals, any_arrivals, 4
	DATA	level, any_driver_level, 4

#elif !defined(ANY_PLUGIN)

/* Through the program's PLT, whose return address is the caller's. */
	.macro	THUNK symbol
	.globl	by_plt_\symbol
	.type	by_plt_\symbol, @function
by_plt_\symbol:
	endbr64
	jmp	\symbol@PLT
	.size	by_plt_\symbol, . - by_plt_\symbol
	.endm
#define NAME(symbol, kind, nwords)	THUNK symbol
#include "names.h"

/*
 * void any_call(void *function, const struct any_state *in, struct any_state *out), and
 * any_call_misaligned, which calls with \shift bytes more on its stack, 8
 *
 * frame: six saved registers, both control words; below them the words of the call
 */
	.macro	CALLER name, shift
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	endbr64
	.irp	register, rbp, rbx, r12, r13, r14, r15
	pushq	%\register
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %\register, 0
	.endr
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	stmxcsr	(%rsp)
	fnstcw	4(%rsp)
	movq	%rsp, any_kept(%rip)
	movq	%rdi, 8+any_kept(%rip)
	movq	%rdx, 16+any_kept(%rip)
	subq	$ANY_NSTACK*8+\shift, %rsp
	.cfi_adjust_cfa_offset ANY_NSTACK*8+\shift
	.set	word, 0
	.rept	ANY_NSTACK
	movq	ANY_STACK+word(%rsi), %rax
	movq	%rax, word(%rsp)
	.set	word, word + 8
	.endr
	movq	%rsp, ANY_RSP(%rdx)
	movq	%rsi, %r11
	VECTORS	%r11, load, any_level
	ldmxcsr	ANY_MXCSR(%r11)
	fldcw	ANY_FPUCW(%r11)
	pushq	ANY_FLAGS(%r11)
	.cfi_adjust_cfa_offset 8
	popfq
	.cfi_adjust_cfa_offset -8
	.irp	register, rax,rbx,rcx,rdx,rsi,rdi,rbp,r8,r9,r10,r12,r13,r14,r15,r11
	movq	at_\register(%r11), %\register
	.endr
	call	*8+any_kept(%rip)
	movq	%r11, 24+any_kept(%rip)
	movq	16+any_kept(%rip), %r11
	.irp	register, rax,rbx,rcx,rdx,rsi,rdi,rbp,r8,r9,r10,r12,r13,r14,r15
	movq	%\register, at_\register(%r11)
	.endr
	pushfq
	popq	ANY_FLAGS(%r11)
	cld
	movq	ANY_RSP(%r11), %rax
	movq	%rsp, %rcx
	subq	%rax, %rcx
	movq	%rcx, ANY_RSP(%r11)		/* the difference */
	movq	24+any_kept(%rip), %rcx
	movq	%rcx, ANY_R11(%r11)
	.set	word, 0
	.rept	ANY_NSTACK
	movq	word(%rax), %rcx
	movq	%rcx, ANY_STACK+word(%r11)
	.set	word, word + 8
	.endr
	stmxcsr	ANY_MXCSR(%r11)
	fnstcw	ANY_FPUCW(%r11)
	VECTORS	%r11, store, any_level
	movq	any_kept(%rip), %rsp
	ldmxcsr	(%rsp)
	fldcw	4(%rsp)
	addq	$8, %rsp
	.cfi_def_cfa_offset 56
	.irp	register, r15, r14, r13, r12, rbx, rbp
	popq	%\register
	.cfi_adjust_cfa_offset -8
	.cfi_restore %\register
	.endr
	cmpl	$ANY_SSE, any_level(%rip)
	je	1f
	vzeroupper
1:	ret
	.cfi_endproc
	.size	\name, . - \name
	.endm
	CALLER	any_call, 0
	CALLER	any_call_misaligned, 8

	.bss
	.globl	any_kept
	.p2align 3
any_kept:
	.skip	32

#endif

	.section .note.GNU-stack, "", @progbits
