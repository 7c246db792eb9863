/* SPDX-License-Identifier: Apache-2.0 */
/* All signals blocked for moments, glibc's signal of cancellation too. */
#ifndef UTIL_SIGNALS_H
#define UTIL_SIGNALS_H

#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * By the system call: pthread_sigmask leaves out glibc's signal 32, which cancels a thread at once
 * if it asked for that, and would take a lock along; for 33, of setuid(2), another thread waits.
 */
static inline void signals_block(sigset_t *saved)
{
	enum { SETXID = 33 };
	const uint64_t all = ~((uint64_t)1 << (SETXID - 1));

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, saved, sizeof(all));
}

static inline void signals_restore(const sigset_t *saved)
{
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, saved, NULL, sizeof(uint64_t));
}

#endif
