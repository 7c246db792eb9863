/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ways of hooks of the core that stand alone with a function: to the
 * driver, then straight to the hook. No frame is filled and no list is read:
 * a third less code, for programs that have a use for the caches themselves.
 */
#ifndef HOOKS_DIRECT_H
#define HOOKS_DIRECT_H

#include <cuaudit/hook.h>

#include "arch.h"
#include "hooks/hook.h"

/* Which functions have such ways: by where their arguments lie. */
enum direct_shape {
	DIRECT_NONE,
	DIRECT_FEW,	/* in registers */
	DIRECT_LAUNCH	/* as cuLaunchKernel's: DIRECT_STACK more on the stack, the first two of 4 bytes */
};

/* Context: setup. */
enum direct_shape direct_shape(const struct cuaudit_function *function);

#ifdef ARCH_DIRECT

#include "hooks/frame.h"
#include "hooks/registry.h"
#include "hooks/thread.h"

/* A call, as the hook finds it. */
struct direct {
	uint64_t start;
	uint64_t correlation;
	struct thread *thread;
	const struct cuaudit_function *function;
	uint64_t words[FRAME_NREGS];
	void *memory;	/* what the way found for its end */
	uint64_t unused;
	uint64_t frame_pointer;
	const void *caller;
	uint64_t stack[];
};

_Static_assert(offsetof(struct direct, start) == DIRECT_START &&
	       offsetof(struct direct, correlation) == DIRECT_CORRELATION &&
	       offsetof(struct direct, thread) == DIRECT_THREAD &&
	       offsetof(struct direct, function) == DIRECT_FUNCTION &&
	       offsetof(struct direct, words) == DIRECT_WORDS &&
	       offsetof(struct direct, memory) == DIRECT_MEMORY, "direct");
_Static_assert(offsetof(struct entry, generation) == ENTRY_GENERATION, "generation");
_Static_assert((int)THREAD_BLOCKS == THREAD_NEAR, "near");

/*
 * What a way goes on to after the driver answered result, at depth 0 and
 * inside of the hook; its answer is the call's.
 */
typedef int direct_exit_fn(struct direct *direct, uint64_t end, int result);

/* As cuaudit_generation says, out of a line that is here anyway. */
static inline uint32_t direct_generation(const struct direct *direct)
{
	const struct entry *entry = registry_entry_of(direct->function);

	/* Pairs with object_tell_generation of the auditor. */
	return atomic_load_explicit(&entry->generation, memory_order_acquire);
}

/* Whether a thread's block of the key is its first, at THREAD_NEAR. Context: setup. */
static inline bool direct_is_near(uint32_t key)
{
	return key == THREAD_KEYS - 1 && !thread_any();
}

/* The exit of a call whose driver came back on another thread: by the hook's own. */
int direct_moved(struct direct *direct, uint64_t end, int result);

/* The frame that a trampoline would have filled, for an exit hook. */
void direct_fill(struct frame *frame, const struct direct *direct, uint64_t end, int result);

/*
 * Before that frame goes out of scope: the thread's state names the fast path's own place
 * again, so that a signal handler finds the hook still running.
 */
void direct_release(const struct direct *direct);

#endif

#endif
