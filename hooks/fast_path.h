/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fast paths, of a built-in hook that is alone with a function: to the
 * driver, then straight to the hook. No frame is filled and no list is read:
 * a third less code, for programs that have a use for the caches themselves.
 */
#ifndef HOOKS_FAST_PATH_H
#define HOOKS_FAST_PATH_H

#include <cuaudit/hook.h>

#include "arch.h"
#include "hooks/hook.h"

enum { FAST_STACK = 5 };	/* words on the stack, of a launch */

/* Which functions have fast paths: by where their arguments are. */
enum fast_shape {
	FAST_NONE,
	FAST_REGISTERS,	/* in registers */
	FAST_LAUNCH	/* as cuLaunchKernel's: FAST_STACK more on the stack, the first two of 4 bytes */
};

/* Context: setup. */
enum fast_shape fast_shape(const struct cuaudit_function *function);

#ifdef ARCH_FAST_PATH

#include "hooks/entry.h"
#include "hooks/frame.h"
#include "hooks/thread.h"

/* A call, as the hook finds it. */
struct fast_call {
	uint64_t start;
	uint64_t correlation;
	struct thread *thread;
	const struct cuaudit_function *function;
	uint64_t words[FRAME_NREGS];
	void *memory;	/* what the fast path found for its end */
	uint64_t unused;
	uint64_t frame_pointer;
	const void *caller;
	uint64_t stack[];
};

/*
 * What a fast path goes on to after the driver answered result, at depth 0 and
 * inside of the hook; its answer is the call's.
 */
typedef int fast_exit_fn(struct fast_call *fast, uint64_t end, int result);

/* As cuaudit_generation says, out of a line that is here anyway. */
static inline uint32_t fast_generation(const struct fast_call *fast)
{
	const struct entry *entry = entry_of_function(fast->function);

	/* Pairs with object_tell_generation of the auditor. */
	return atomic_load_explicit(&entry->generation, memory_order_acquire);
}

/* Whether a thread's block of the key is its first, at THREAD_BLOCKS. Context: setup. */
static inline bool fast_is_inline(uint32_t key)
{
	return key == THREAD_KEYS - 1 && !thread_any();
}

/* The exit of a call whose driver came back on another thread: by the hook's own. */
int fast_moved(struct fast_call *fast, uint64_t end, int result);

/* The frame that a trampoline would have filled, for an exit hook. */
void fast_fill(struct frame *frame, const struct fast_call *fast, uint64_t end, int result);

/*
 * Before that frame goes out of scope: the thread's state names the fast path's own place
 * again, so that a signal handler finds the hook still running.
 */
void fast_release(const struct fast_call *fast);

#endif

#endif
