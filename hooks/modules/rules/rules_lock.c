/* SPDX-License-Identifier: Apache-2.0 */
/* No signal and no cancellation while a lock of the rules is held. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hooks/modules/rules/rules.h"

enum { SETXID = 33, KERNEL_SET = 8 };

/*
 * As of hooks/lock.c: pthread_sigmask leaves out glibc's signal 32, which cancels a thread at once if it
 * asked for that, and would take the lock along; for 33, of setuid(2), another thread waits.
 */
void rules_block(struct rules_lock *saved)
{
	const uint64_t all = ~((uint64_t)1 << (SETXID - 1));

	saved->error = errno;
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &saved->signals, KERNEL_SET);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &saved->cancel);
}

void rules_unblock(const struct rules_lock *saved)
{
	int unused;

	pthread_setcancelstate(saved->cancel, &unused);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &saved->signals, NULL, KERNEL_SET);
	errno = saved->error;
}
