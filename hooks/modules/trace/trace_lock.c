/* SPDX-License-Identifier: Apache-2.0 */
/* The one lock for whatever the trace hook does seldom. */
#include "hooks/modules/trace/trace_lock.h"

#include <errno.h>
#include <pthread.h>

#include "util/signals.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void trace_lock(struct trace_lock *saved)
{
	saved->error = errno;
	signals_block(&saved->signals);
	pthread_mutex_lock(&lock);
}

void trace_unlock(const struct trace_lock *saved)
{
	pthread_mutex_unlock(&lock);
	signals_restore(&saved->signals);
	errno = saved->error;
}

void trace_lock_forked(void)
{
	pthread_mutex_init(&lock, NULL);
}
