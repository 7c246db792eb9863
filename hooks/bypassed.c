/* SPDX-License-Identifier: Apache-2.0 */
/* Driver calls that a library makes for a hook, which are none of the program's. */
/*
 * A call that comes while a hook runs is held against the hook's frame, to find out whether that was left. One
 * that comes from another stack would be taken for a sign of it: there is no frame to be seen meanwhile.
 */
#include "hooks/bypassed.h"

#include "hooks/thread.h"

struct bypassed bypassed_begin(void)
{
	struct thread *thread = thread_self;
	struct bypassed before = { 0, 0 };

	if (thread) {
		before = (struct bypassed){ thread->state, thread->bypassed };
		thread->state = THREAD_ENDING;
	}
	return before;
}

void bypassed_end(struct bypassed before)
{
	struct thread *thread = thread_self;

	if (!thread)
		return;
	thread->state = before.state;
	thread->bypassed = before.calls;
}
