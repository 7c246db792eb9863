/* SPDX-License-Identifier: Apache-2.0 */
/* What the core keeps for each thread that calls the driver. */
#ifndef HOOKS_THREAD_H
#define HOOKS_THREAD_H

#include <cuaudit/hook.h>
#include <stdatomic.h>
#include <stdbool.h>

enum {
	THREAD_KEYS = 12,	/* handed out from the last, whose blocks lie next to the thread */
	THREAD_FRAMES = 32,	/* nested calls distinguished after a longjmp */
	THREAD_MOVED = 4,	/* calls that ended on another thread, not yet noticed by their own */
	THREAD_LEFT = 8,	/* calls that were counted as left last */
	THREAD_LIVE = 32,	/* nested calls remembered, a power of two */
	THREAD_TRUST = 64,	/* of so many, one is not remembered */
	THREAD_CALLERS = 128	/* return addresses remembered, a power of two */
};

struct python_thread;
struct runtime_thread;

struct thread_caller {
	const void *address;
	const struct cuaudit_library *library;
	uint32_t generation;
};

/*
 * Begins a page. The last blocks and what trampolines write share a line of
 * the cache, and what the block of the last key begins with shares the page.
 */
struct thread {
	void *blocks[THREAD_KEYS];	/* first: see frame_thread */
	/*
	 * The innermost call: its frame's address, and below it THREAD_INSIDE while
	 * a hook of it runs. 0 outside of calls. One word, so that a signal handler
	 * finds the mark and the frame it is of together.
	 */
	uint64_t state;
	uint64_t correlation;	/* the thread's number << 40 | calls */
	const void *pointer;	/* arch_thread_pointer of whose it is */
	uint64_t outer[THREAD_FRAMES];	/* by depth: the state that a nested call began in */
	uint32_t depth;		/* of a nested innermost call; changes while the state is inside */
	bool passing;		/* what it calls is a library's that a hook asks, see bypassed.h */
	uint64_t bypassed;	/* calls that passed because of inside, or a misaligned stack */
	uint64_t unwound_calls;	/* calls left by longjmp or an exception */
	uint64_t unwound_hooks;	/* the same of hooks that were running */
	_Atomic uintptr_t moved[THREAD_MOVED];	/* frames, see dispatch_moved */
	/* Frames that were counted as left, and the last call that had begun by then; they may end elsewhere yet. */
	_Atomic uintptr_t left[THREAD_LEFT];
	_Atomic uint64_t left_by[THREAD_LEFT];
	uint32_t next_left;	/* the place of the next one */
	struct thread_caller *callers;	/* THREAD_CALLERS of them */
	uintptr_t stack_low, stack_high;	/* see stack.c */
	uint32_t stack_looks;
	uint32_t trusted;	/* nested calls that were remembered, see unwound.c */
	uint64_t live[THREAD_LIVE];	/* those, and ... */
	uintptr_t signal_stack;	/* ... the signal stack that there was, of no size if none */
	size_t signal_stack_size;
	_Atomic uint32_t guarded[CUAUDIT_HOOKS_ALL];	/* calls inside of a hook, see guard.h */
	struct python_thread *python;	/* of hooks/python.h, NULL until asked for; serves the next thread too */
	struct thread *next;	/* of those free now */
	struct thread *all;	/* of those ever made; counters above are never reset */
	struct runtime_thread *runtime;	/* of runtime_call.c, likewise */
	const struct frame *bound;	/* the last call of a shared runtime's function, while it runs */
	struct range_thread *ranges;	/* those that are open, see range.c, ... */
	uint32_t range_depth, range_domains;	/* ... how many, and of how many domains there are deeper ones */
	uint32_t end_rounds;	/* of the destructors of its keys */
	size_t room;		/* bytes that are its own from here on: it, then blocks, then callers */
};

/* Where the structure ends, and its blocks begin. */
enum {
	THREAD_LINE = 64,
	THREAD_BLOCKS = (sizeof(struct thread) + THREAD_LINE - 1) / THREAD_LINE * THREAD_LINE
};

/* Of a state. Frames are aligned to 16 bytes. */
enum {
	THREAD_INSIDE = 1,	/* a hook runs: driver calls of the thread go straight to the driver */
	THREAD_FILLED = 2,	/* by fast_fill: no return address is behind the frame */
	THREAD_NESTED = 4,	/* inside of another call */
	THREAD_ENDING = THREAD_INSIDE	/* without a frame: the thread's destructors run */
};

static inline uintptr_t thread_frame(uint64_t state)
{
	return state & ~(uintptr_t)15;
}

_Static_assert(offsetof(struct thread, blocks) == 0, "blocks");
_Static_assert(offsetof(struct thread, pointer) / 64 ==
	       offsetof(struct thread, blocks[THREAD_KEYS - 4]) / 64, "a line");

/* Context: call. One more of a counter of the calling thread, which others may read. */
static inline void thread_count(uint64_t *counter)
{
	__atomic_store_n(counter, *counter + 1, __ATOMIC_RELAXED);
}

/* Context: call. One more of a counter of calls, or hooks, that are lost, see unseen.h; not while the thread is passing. */
void thread_count_lost(uint64_t *counter);

/* Context: call. A call that was counted in a thread's unwound_calls, maybe another one's, has ended after all. */
void thread_found_call(void);

/* The calling thread's, NULL before its first call. 8 bytes of static TLS. */
extern __thread struct thread *thread_self __attribute__((tls_model("initial-exec")));

/* Calls that passed without a thread: there was no memory, or it was the first, with a misaligned stack. */
extern _Atomic uint64_t thread_unseen;

/* Context: call. A thread is about to end, in whatever calls it still was; unwound.c's, NULL before that is set up. */
extern void (*thread_ends)(struct thread *thread);

/* How far thread_self is from the thread pointer of any thread. */
int32_t thread_self_offset(void);

/* Context: setup, once. 0 or -errno. */
int thread_setup(void);

/* Context: setup. Whether there has been a thread yet. */
bool thread_any(void);

/* Context: call. Makes thread_self; NULL, and counted, when memory is out. */
struct thread *thread_begin(void);

/* Context: call. Whether a call of any thread is inside of the guarded hook of that number. */
bool thread_any_guarded(uint32_t number);

/* Context: setup. A module that did not start is not notified of the ends of threads. */
void thread_disown(const struct cuaudit_module *owner);

/* Context: call. Modules are notified that a hook of the calling thread was left. */
void thread_hook_unwound(struct thread *thread);

/* Context: call, in the child of fork. */
void thread_forked(void);

#endif
