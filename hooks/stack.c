/* SPDX-License-Identifier: Apache-2.0 */
/* What may be read of a caller's stack. */
#include "hooks/stack.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "hooks/maps.h"
#include "hooks/safe_read.h"
#include "hooks/thread.h"

enum { LOOKS = 8 };

/*
 * The thread's own stack, if it holds address: the kernel's for the main thread,
 * else where the thread's static TLS is, for that is at its stack's end.
 * Either stays as long as the thread.
 */
static bool is_own(const struct maps_line *line, uintptr_t address)
{
	uintptr_t tls = (uintptr_t)&thread_self;

	return line->end == MAPS_MAIN_STACK || (tls >= address && tls < line->bounds[1]);
}

static bool take(struct thread *thread, const struct maps_line *line, uintptr_t address)
{
	if (!is_own(line, address))
		return false;
	thread->stack_low = line->bounds[0];
	thread->stack_high = line->end == MAPS_MAIN_STACK ? line->bounds[1] : (uintptr_t)&thread_self;
	return true;
}

/* Looks a few times only: the main stack may have grown, but other stacks stay others. */
static bool look(struct thread *thread, uintptr_t address)
{
	struct maps_line line;

	if (thread->stack_looks == LOOKS)
		return false;
	thread->stack_looks++;
	return maps_find(address, &line) && take(thread, &line, address);
}

static bool inside(const struct thread *thread, uintptr_t from, uintptr_t to)
{
	return from >= thread->stack_low && to <= thread->stack_high;
}

static bool known(struct thread *thread, uintptr_t from, uintptr_t to)
{
	int error = errno;
	bool is = inside(thread, from, to) || (look(thread, from) && inside(thread, from, to));

	errno = error;
	return is;
}

bool stack_holds(uintptr_t from, uintptr_t to)
{
	struct thread *thread = thread_self;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	/* What is below, the thread has not come to yet. */
	if (from < here)
		return false;
	if (to <= (here | (PEEK_PAGE - 1)) + 1)
		return true;
	if (thread && !thread->stack_high)
		known(thread, here, here + 1);
	return thread && inside(thread, here, to);
}

struct safe_read_known stack_own(void)
{
	struct thread *thread = thread_self;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);

	known(thread, here, here + 1);
	return (struct safe_read_known){ thread->stack_low, thread->stack_high, 0 };
}

bool stack_is_own(struct thread *thread, uintptr_t address, uintptr_t other)
{
	return known(thread, address, address + 1) && !inside(thread, other, other + 1);
}

bool stack_readable(struct thread *thread, uintptr_t from, uintptr_t to)
{
	return known(thread, from, to) ||
	       (safe_read_page(from) && safe_read_page(to - 1));
}

uint32_t stack_readable_words(struct thread *thread, const uint64_t *stack, uint32_t words)
{
	uintptr_t from = (uintptr_t)stack - 1, to = (uintptr_t)(stack + words);
	uintptr_t next = (from | (PEEK_PAGE - 1)) + 1;

	if (to <= next || known(thread, from, to) || safe_read_page(next))
		return words;
	return (uint32_t)((next - (uintptr_t)stack) / 8);
}
