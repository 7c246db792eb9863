/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the core when the auditor loads it, and ends it with the process. */
#include "hooks/core_link.h"

#include <cuaudit/clock.h>
#include <cuaudit/hook.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hooks/clock.h"
#include "hooks/clock_read.h"
#include "hooks/coverage.h"
#include "hooks/export_slot.h"
#include "hooks/export_table.h"
#include "hooks/guard.h"
#include "hooks/hook.h"
#include "hooks/layout.h"
#include "hooks/libc_function.h"
#include "hooks/library.h"
#include "hooks/lock.h"
#include "hooks/log.h"
#include "hooks/module.h"
#include "hooks/output.h"
#include "hooks/procaddr.h"
#include "hooks/range.h"
#include "hooks/range_loss.h"
#include "hooks/registry.h"
#include "hooks/runtime_row.h"
#include "hooks/runtime_table.h"
#include "hooks/settings.h"
#include "hooks/settings_list.h"
#include "hooks/strict.h"
#include "hooks/tables.h"
#include "hooks/thread.h"
#include "hooks/provider_types.h"
#include "hooks/unmatched.h"
#include "hooks/unwound.h"
#include "hooks/version.h"
#include "util/io.h"

/* What pthread_atfork calls, which is linked in and asks for a start file (LSB Core, 10.4). */
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
		      void *handle);

/* What atexit calls, which is linked in as well. */
int __cxa_atexit(void (*function)(void *), void *data, void *library);

/* vfork and raw clone run no fork handlers; such a child must not write our report. */
static pid_t owner;

enum {
	EXIT_PATIENCE = 30,	/* seconds */
	EXIT_WAITERS = 4,	/* threads that look for an exit handler at the same moment */
};

/* Whether a thread reports at the end of the process, which one, and how many wait for it. */
static _Atomic int32_t reports, waiting;
static pthread_t reporter;

/* No handler of a signal runs before all that it may call is whole. */
static void forked(void)
{
	sigset_t all, saved;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &saved);
	owner = getpid();
	atomic_store_explicit(&reports, 0, memory_order_relaxed);
	lock_forked();
	clock_forked();
	registry_forked();
	thread_forked();
	unwound_forked();
	range_loss_forked();
	coverage_forked();
	unmatched_forked();
	module_forked();
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
}

/* A thread cancelled in what follows would take locks along: its loader's, ours. */
static int forbid_cancel(void)
{
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	return cancel;
}

static void restore_cancel(int cancel)
{
	pthread_setcancelstate(cancel, &cancel);
}

static void attach(void)
{
	int cancel = forbid_cancel();

	registry_attach();
	version_ask();
	restore_cancel(cancel);
}

/* Context: call. A child of vfork or of a raw clone is not the process of our files. */
static void tell_exit(int status, int by_exit)
{
	if ((pid_t)syscall(SYS_getpid) != owner)
		return;
	unwound_process_ends(by_exit);
	module_process_exit(status & 0xff, by_exit);
}

static void quit(int status)
{
	tell_exit(status, 0);
}

static void exits(int status, void *unused)
{
	(void)unused;
	tell_exit(status, 1);
}

static void waits(void *unused);

/* No handler of a signal comes between, which may call exit(3) and wait for libc's lock. */
static void ask_to_wait(int times)
{
	sigset_t all, saved;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &saved);
	for (int i = 0; i < times; i++)
		__cxa_atexit(waits, NULL, NULL);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
}

/*
 * Context: call, of another thread that calls exit(3) while one reports: with nothing left to
 * do it would end the process, reports and the status that they ask for with it. What a plug-in
 * does at the end may wait for that very thread, so that this has an end.
 */
static void waits(void *unused)
{
	uint64_t end = cuaudit_clock_monotonic() / 1000000000 + EXIT_PATIENCE;
	const struct timespec until = { .tv_sec = (time_t)end };
	bool late = false;

	(void)unused;
	/* Pairs with finish. In a child of raw clone nobody reports. */
	if (!atomic_load_explicit(&reports, memory_order_acquire) ||
	    pthread_equal(reporter, pthread_self()) || (pid_t)syscall(SYS_getpid) != owner)
		return;
	ask_to_wait(1);
	atomic_fetch_add_explicit(&waiting, 1, memory_order_seq_cst);
	while (!late && atomic_load_explicit(&reports, memory_order_seq_cst))
		late = syscall(SYS_futex, &reports, FUTEX_WAIT_BITSET_PRIVATE, 1, &until, NULL,
			       FUTEX_BITSET_MATCH_ANY) && errno != EAGAIN && errno != EINTR;
}

static int end_status = -1;

void cuaudit_set_exit_status(int status)
{
	if (end_status < 0)
		end_status = status;
}

static void report(void)
{
	log_finish();
	export_table_finish();
	runtime_table_finish();
	clock_calibrate();
	unmatched_report();
	range_report();
	unwound_process_ends(true);
	module_finish_all();
	hook_reap();
	log_close();
	if (end_status >= 0) {
		fflush(NULL);
		tell_exit(end_status, 1);
		_exit(end_status);
	}
}

/* A handler of the program's that ended the process would take reports along, and the status that they ask for. */
static void block_handlers(sigset_t *saved)
{
	static const int faults[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP };
	struct sigaction action;
	sigset_t handled;

	sigemptyset(&handled);
	for (int number = 1; number < NSIG; number++)
		if (!sigaction(number, NULL, &action) && action.sa_handler != SIG_DFL &&
		    action.sa_handler != SIG_IGN)
			sigaddset(&handled, number);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		sigdelset(&handled, faults[i]);
	pthread_sigmask(SIG_BLOCK, &handled, saved);
}

static void finish(void)
{
	struct io_signals signals;
	sigset_t saved;
	int cancel;

	if (getpid() != owner) {
		/* The parent of one that shares its memory, and others that nobody reports for. */
		if (kill(owner, 0) && errno == ESRCH)
			cuaudit_log(CUAUDIT_WARN, "the calls of process %d are not reported: the core "
				    "was loaded by process %d, by a clone(2) without fork(3)",
				    (int)getpid(), (int)owner);
		return;
	}
	cancel = forbid_cancel();
	block_handlers(&saved);
	io_enter(&signals);
	/* All other handlers of exit(3) have run: who looks for one now is another thread. */
	reporter = pthread_self();
	atomic_store_explicit(&reports, 1, memory_order_release);
	ask_to_wait(EXIT_WAITERS);
	report();
	atomic_store_explicit(&reports, 0, memory_order_seq_cst);
	if (atomic_load_explicit(&waiting, memory_order_seq_cst))
		syscall(SYS_futex, &reports, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
	io_leave(&signals);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	restore_cancel(cancel);
}

static int start(void)
{
	int error;

	owner = getpid();
	clock_read_setup();
	lock_setup();
	log_setup();
	output_setup();
	layout_setup();
	libc_function_setup();
	runtime_row_setup();
	export_slot_setup();
	settings_check();
	provider_types_setup();
	module_prepare_all();
	if (strict_checks()) {
		settings_list();
		module_list();
		strict_pass();
	}
	entry_setup();
	library_setup();
	unwound_setup();
	error = thread_setup();
	if (!error)
		error = procaddr_setup();
	if (!error)
		error = tables_setup();
	if (!error)
		error = -__register_atfork(NULL, NULL, forked, NULL);
	if (error)
		return error;
	clock_setup();
	module_start_all();
	/* Without memory, or while handlers have run already, the status is not known. */
	if (module_wants_process_exit())
		on_exit(exits, NULL);
	module_report_gaps();
	range_publish();
	return 0;
}

static void begin(struct link_table *link)
{
	int error;

	if (link->version != LINK_VERSION || link->size != sizeof(*link)) {
		cuaudit_log(CUAUDIT_ERROR, "libcuaudit.so and cuaudit-core.so are of different "
			    "versions");
		return;
	}
	atomic_store_explicit(&link->setup_thread, (int32_t)syscall(SYS_gettid),
			      memory_order_relaxed);
	error = start();
	if (!error)
		attach();
	atomic_store_explicit(&link->setup_thread, 0, memory_order_relaxed);
	if (error) {
		cuaudit_log(CUAUDIT_ERROR, "cannot start: %s", error == -EAGAIN ?
			    "no key is left of pthread_key_create(3)" : io_reason(error));
		return;
	}
	/* Pairs with the auditor's launch and its destructor. */
	atomic_store_explicit(&link->finish, finish, memory_order_release);
	if (module_wants_process_exit())
		atomic_store_explicit(&link->process_exit, quit, memory_order_release);
	atomic_store_explicit(&link->attach, attach, memory_order_release);
}

/*
 * Runs under the loader's own lock: threads that make their first call
 * meanwhile wait in dlmopen, as for any library.
 */
static void __attribute__((constructor)) load(void)
{
	/* volatile: clang runs constructors ahead, on what it thinks memory holds. */
	struct link_table *link = *(struct link_table *volatile *)&cuaudit_core_link;
	int cancel;

	if (!link)
		return;
	cancel = forbid_cancel();
	begin(link);
	restore_cancel(cancel);
}
