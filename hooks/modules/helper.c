/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of modules' own, beside the program's. */
#include "hooks/modules/helper.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "util/io.h"
#include "util/sandbox.h"

enum {
	LOOK = 500000000,	/* ns between two looks whether the main thread has ended ... */
	LOOK_ENDED = 20000000,	/* ... and, once it has, whether others are left */
	THREADS = 20		/* the field of /proc/self/stat */
};

static _Atomic uint32_t helpers;

/*
 * How many threads glibc knows, NULL if it does not tell: the one that takes it
 * to 0 calls exit. Helpers are not counted, so that this is the program's last.
 */
static _Atomic unsigned int *libc_threads;

static uint64_t monotonic(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/*
 * A thread that has ended has no memory any more, though its id is there while
 * others live. Needs no descriptor, of which the program may count on the number
 * of the next. False also where that is not allowed.
 */
static bool main_is_alive(void)
{
	char from = 0, to;
	struct iovec local = { &to, 1 }, remote = { &from, 1 };

	return syscall(SYS_process_vm_readv, getpid(), &local, 1UL, &remote, 1UL, 0UL) == 1;
}

/*
 * Whether the main thread has ended, and of the others only helpers are left;
 * *status: as that of wait(2), of the main thread. Where /proc is missing that
 * is assumed: the program must be able to end.
 */
static bool only_helpers(bool *main_ended, int *status)
{
	char text[1024], *at, *last;
	long length = io_read_file("/proc/self/stat", text, sizeof(text), IO_NOW);
	int field = 3;

	*main_ended = false;
	if (length < 0)
		return length != -EMFILE && length != -ENFILE;
	last = strrchr(text, ' ');
	*status = last ? (int)io_number(last + 1) : 0;
	/* The name before it may hold anything. */
	at = strrchr(text, ')');
	*main_ended = !at || at[1] != ' ' || strchr("ZX", at[2]);
	for (at = at ? at + 2 : NULL; at && field < THREADS; field++) {
		at = strchr(at, ' ');
		at += at != NULL;
	}
	/* The main thread, which is counted until the process ends, and they. */
	return *main_ended && (!at || io_number(at) <= helpers + 1);
}

/*
 * Linux takes the last thread's status for the process's: a main thread that
 * left by the system call exit, not by pthread_exit, may have another than 0.
 */
static bool program_is_over(bool *main_ended)
{
	int status = 0;

	*main_ended = false;
	if (main_is_alive() || !only_helpers(main_ended, &status))
		return false;
	if (status)
		syscall(SYS_exit_group, status >> 8);
	return true;
}

/*
 * Whether libc's thread is one of this process: that of a child by clone(2) is
 * its parent's, and a thread of ours would outlive the child's and exit for it.
 */
static bool thread_is_own(void)
{
	struct timespec time;
	clockid_t clock;

	return !pthread_getcpuclockid(pthread_self(), &clock) &&
	       !syscall(SYS_clock_getres, clock, &time);
}

/*
 * Whether the program may be let have another thread: a sandbox may end it for
 * clone, and libc does where rseq is refused to a thread and was not to the first.
 */
static bool thread_is_safe(void)
{
	/* Refused by Linux for its arguments, or by a filter. */
	return thread_is_own() && !sandbox_is_own() &&
	       syscall(SYS_rseq, NULL, 0, -1, 0) && (errno == EINVAL || errno == ENOSYS);
}

static void *body(void *given)
{
	struct helper *helper = given;
	void *result = helper->run(helper);
	unsigned int count;

	/* libc will subtract one: where the last thread is in exit already, not to 0 again. */
	if (!libc_threads)
		return result;
	count = *libc_threads;
	while (!atomic_compare_exchange_weak(libc_threads, &count, count + (count ? 1 : 2)))
		;
	return result;
}

/* A constructor that waits for the thread which starts a helper holds the loader's lock. */
void helper_prepare(void)
{
	libc_threads = dlvsym(RTLD_DEFAULT, "__nptl_nthreads", "GLIBC_PRIVATE");
}

int helper_start(struct helper *helper, void *(*run)(void *helper))
{
	sigset_t all, saved;
	int error = errno;
	bool safe = thread_is_safe();

	errno = error;
	if (!safe)
		return -EPERM;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &saved);
	helpers++;
	helper->run = run;
	error = pthread_create(&helper->thread, NULL, body, helper);
	if (!error && libc_threads)
		atomic_fetch_sub(libc_threads, 1);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	helper->started = !error;
	helpers -= !helper->started;
	return -error;
}

uint32_t helper_seen(const struct helper *helper)
{
	return atomic_load_explicit(&helper->wakes, memory_order_acquire);
}

void helper_wake(struct helper *helper)
{
	/* Pairs with helper_seen. */
	atomic_fetch_add_explicit(&helper->wakes, 1, memory_order_release);
	syscall(SYS_futex, &helper->wakes, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

bool helper_wait(struct helper *helper, uint32_t seen, uint64_t ns)
{
	uint64_t now = monotonic(), until = ns < UINT64_MAX - now ? now + ns : UINT64_MAX;

	while (!helper->ending && helper_seen(helper) == seen) {
		struct timespec timeout;
		uint64_t left;

		if (now >= helper->look) {
			bool main_ended;

			if (program_is_over(&main_ended))
				return false;
			helper->look = now + (main_ended ? LOOK_ENDED : LOOK);
		}
		if (now >= until)
			break;
		left = (until < helper->look ? until : helper->look) - now;
		timeout.tv_sec = (time_t)(left / 1000000000u);
		timeout.tv_nsec = (long)(left % 1000000000u);
		syscall(SYS_futex, &helper->wakes, FUTEX_WAIT_PRIVATE, seen, &timeout, NULL, 0);
		now = monotonic();
	}
	return !helper->ending;
}

void helper_end(struct helper *helper)
{
	int cancel, unused;

	if (!helper->started)
		return;
	helper->started = false;
	helper->ending = true;
	if (pthread_equal(helper->thread, pthread_self()))
		return;
	helper_wake(helper);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	pthread_join(helper->thread, NULL);
	pthread_setcancelstate(cancel, &unused);
}

void helper_forked(struct helper *helper)
{
	helper->started = false;
	helpers = 0;
}
