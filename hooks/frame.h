/* SPDX-License-Identifier: Apache-2.0 */
/* A call in the trampoline. */
#ifndef HOOKS_FRAME_H
#define HOOKS_FRAME_H

#include <cuaudit/hook.h>

#include "frame_arch.h"

struct hook_list;
struct thread;

enum {
	FRAME_NSTACK_ARGS = 24,
	FRAME_NORDERED = 15,
	/* Of the words behind regs, what is returned: in a register, and in a vector register. */
	FRAME_ANSWER_WORD = FRAME_NREGS + FRAME_NSTACK_ARGS + 2 * FRAME_NVECTORS,
	FRAME_ANSWER_VECTOR_WORD = FRAME_ANSWER_WORD + 2,
	FRAME_WIDE_WORDS = 128	/* of the stack, passed on where any function is called; not of the frame */
};

/* On the calling thread's stack; what the trampolines read comes first. */
struct frame {
	struct cuaudit_call call;
	const struct hook_list *list;
	uint64_t entered;		/* hooks whose exit is due, where there are several */
	uint64_t regs[FRAME_NREGS];	/* the argument registers, then ... */
	uint64_t stack_args[FRAME_NSTACK_ARGS];	/* ... a copy of the stack words */
	uint64_t vectors[FRAME_NVECTORS][2];
	uint64_t answer[2];		/* full: rax or x8 of the call, then the driver's answer ... */
	uint64_t answer_vectors[FRAME_NANSWERS][2];	/* ... and what vector registers have of it */
	uint64_t scratch[CUAUDIT_HOOKS_MAX];
	uint64_t ordered[FRAME_NORDERED];	/* parameters of irregular rows, see layout.h */
	uint64_t guarded;		/* bit n: this call is inside of the n-th hook, see guard.h */
	/*
	 * States of the thread: when this call began, and in the driver. own of a
	 * frame that is elsewhere (THREAD_FILLED): the CFA of the call's own.
	 */
	uint64_t outer, own;
} __attribute__((aligned(16)));	/* the bits below are a state's */

_Static_assert(sizeof(struct frame) % 16 == 0 && offsetof(struct frame, call.nwords) % 16 == 0 &&
	       offsetof(struct frame, answer) % 16 == 0 && offsetof(struct frame, vectors) % 16 == 0,
	       "what is moved 16 bytes at once");
_Static_assert(offsetof(struct frame, stack_args) ==
	       offsetof(struct frame, regs) + FRAME_NREGS * sizeof(uint64_t), "words are contiguous");
_Static_assert(offsetof(struct frame, vectors) ==
	       offsetof(struct frame, regs) + (FRAME_NREGS + FRAME_NSTACK_ARGS) * sizeof(uint64_t),
	       "words of vector registers come behind them");
_Static_assert(offsetof(struct frame, answer) ==
	       offsetof(struct frame, regs) + FRAME_ANSWER_WORD * sizeof(uint64_t) &&
	       offsetof(struct frame, answer_vectors) ==
	       offsetof(struct frame, regs) + FRAME_ANSWER_VECTOR_WORD * sizeof(uint64_t),
	       "and then those of what is returned");

/* The thread of a call: its blocks are the first thing in it. */
static inline struct thread *frame_thread(const struct frame *frame)
{
	return (struct thread *)frame->call.blocks;
}

/* The canonical frame address of the trampoline whose frame it is. */
static inline uintptr_t frame_cfa(const struct frame *frame)
{
	return (uintptr_t)(frame + 1) + 16;
}

/* The words the caller left on its stack: above the frame, the saved frame pointer and the return address. */
static inline uint64_t *frame_stack(struct frame *frame)
{
	return (uint64_t *)(frame + 1) + 2;
}

#endif
