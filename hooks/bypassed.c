/* SPDX-License-Identifier: Apache-2.0 */
/* Driver calls that a library makes for a hook, which are none of the program's. */
/*
 * A call that comes while a hook runs is held against the hook's frame, to find out whether that was left. One
 * that comes from another stack would be taken for a sign of it: there is no frame to be seen meanwhile.
 */
#include "hooks/bypassed.h"

#include "hooks/thread.h"

uint64_t bypassed_begin(void)
{
	struct thread *thread = thread_self;
	uint64_t before = thread ? thread->state : 0;

	if (thread) {
		thread->passing = true;
		thread->state = THREAD_ENDING;
	}
	return before;
}

void bypassed_end(uint64_t before)
{
	struct thread *thread = thread_self;

	if (!thread)
		return;
	thread->state = before;
	thread->passing = false;
}
