/* SPDX-License-Identifier: Apache-2.0 */
/* Calls and hooks that a longjmp, an exception or another thread took off the stack. Context: call. */
#ifndef HOOKS_UNWOUND_H
#define HOOKS_UNWOUND_H

#include <stdbool.h>
#include <stdint.h>

struct frame;
struct thread;

/* Context: setup, once. */
void unwound_setup(void);

/* Context: call, in the child of fork. Where unwinding takes a lock of the loader's there is no unwinder from now on. */
void unwound_forked(void);

/* Whether it is code of ours, which no stack that is recorded has. */
static inline bool unwound_is_own(const void *address)
{
	/* The linker's. */
	extern const char __ehdr_start[] __attribute__((visibility("hidden")));
	extern const char _etext[] __attribute__((visibility("hidden")));

	return (uintptr_t)address - (uintptr_t)__ehdr_start < (uintptr_t)_etext - (uintptr_t)__ehdr_start;
}

/*
 * The return addresses from caller on without ours, innermost first, at most max of them; with
 * our innermost, first, if caller is NULL. 0 if there is no unwinder or caller is not on the stack.
 * It takes some 2 KiB of the stack, libgcc's own.
 */
uint32_t unwound_backtrace(const void *caller, const void **frames, uint32_t max);

/*
 * The same, and where on the stack each frame begins, the lowest address; it ends at the next one's
 * but for ours between them, which none of the first *whole have behind another (NULL: nobody asks).
 */
uint32_t unwound_stack(const void *caller, const void **frames, uintptr_t *at, uint32_t *whole,
		       uint32_t max);

/*
 * A call begins, its frame at frame, in a thread whose state is not 0: counts the
 * calls and hooks that were unwound, and returns the state without them, which
 * has THREAD_INSIDE if the call comes from inside of a hook that still runs.
 * *depth: how many calls are left, that this one is inside of.
 */
uint64_t unwound_drop(struct thread *thread, const struct frame *frame, uint32_t *depth);

/*
 * The process ends by this thread: what it has left is counted, though no other call follows. by_exit: by exit(3), which
 * waits for the loader's lock anyway; else, with glibc before 2.35, what lies above the present frame is not found.
 */
void unwound_process_ends(bool by_exit);

/*
 * Who makes a call that returns to caller, in a thread whose state is outer, with so many calls around it. A hooked
 * function that ends in a jump to another one leaves no address but ours: both have the same caller.
 */
const void *unwound_caller(const struct thread *thread, const void *caller, uint64_t outer, uint32_t depth);

/*
 * The call of the frame at that address, begun on thread from under that number, ended on another one: it is
 * no call that was left, though from may have counted it as one.
 */
void unwound_move(struct thread *from, uintptr_t frame, uint64_t correlation);

#endif
