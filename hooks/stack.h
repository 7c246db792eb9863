/* SPDX-License-Identifier: Apache-2.0 */
/* What may be read of a caller's stack. */
#ifndef HOOKS_STACK_H
#define HOOKS_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "hooks/safe_read.h"

struct thread;

/*
 * Context: call, on thread. How many of the words at stack, at most words
 * (less than a page of them), can be read without a fault; the word below
 * stack can.
 */
uint32_t stack_readable_words(struct thread *thread, const uint64_t *stack, uint32_t words);

/* Context: call, on thread. Whether what is in [from, to), less than a page, can be read. */
bool stack_readable(struct thread *thread, uintptr_t from, uintptr_t to);

/* Context: call, any thread. Whether [from, to) is in use of the calling thread's stack, as far as that is known. */
bool stack_holds(uintptr_t from, uintptr_t to);

/* Context: call. The stack that the calling thread was started on, as far as that is known. */
struct safe_read_known stack_own(void);

/* Context: call, on thread. Whether the stack it was started on has address, and not other. */
bool stack_is_own(struct thread *thread, uintptr_t address, uintptr_t other);

#endif
