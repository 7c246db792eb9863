/* SPDX-License-Identifier: Apache-2.0 */
/* The one lock for whatever the trace hook does seldom. */
#include "hooks/modules/trace/trace_lock.h"

#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void trace_lock(struct trace_lock *saved)
{
	sigset_t all;

	saved->error = errno;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &saved->signals);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &saved->cancel);
	pthread_mutex_lock(&lock);
}

void trace_unlock(const struct trace_lock *saved)
{
	int unused;

	pthread_mutex_unlock(&lock);
	pthread_setcancelstate(saved->cancel, &unused);
	pthread_sigmask(SIG_SETMASK, &saved->signals, NULL);
	errno = saved->error;
}

void trace_lock_forked(void)
{
	pthread_mutex_init(&lock, NULL);
}
