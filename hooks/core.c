/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the core when the auditor loads it, and ends it with the process. */
#include "hooks/core.h"

#include <cuaudit/hook.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hooks/clock.h"
#include "hooks/coverage.h"
#include "hooks/guard.h"
#include "hooks/hook.h"
#include "hooks/layout.h"
#include "hooks/log.h"
#include "hooks/module.h"
#include "hooks/object.h"
#include "hooks/output.h"
#include "hooks/procaddr.h"
#include "hooks/record.h"
#include "hooks/registry.h"
#include "hooks/settings.h"
#include "hooks/tables.h"
#include "hooks/thread.h"
#include "hooks/version.h"

/* What pthread_atfork calls, which is linked in and asks for a start file (LSB Core, 10.4). */
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
		      void *handle);

struct link_table *cuaudit_core_link;

/* vfork and raw clone run no fork handlers; such a child must not write our report. */
static pid_t owner;

static void forked(void)
{
	owner = getpid();
	record_forked();
	thread_forked();
	guard_setup();
	coverage_forked();
	module_forked();
}

static void attach(void)
{
	registry_attach();
	version_ask();
}

static int end_status = -1;

void cuaudit_end_with(int status)
{
	if (end_status < 0)
		end_status = status;
}

static void finish(void)
{
	if (getpid() != owner)
		return;
	clock_calibrate();
	module_finish_all();
	hook_reap();
	if (end_status >= 0) {
		fflush(NULL);
		_exit(end_status);
	}
}

static int start(void)
{
	int error;

	owner = getpid();
	log_setup();
	settings_check();
	output_setup();
	layout_setup();
	registry_setup();
	object_setup();
	guard_setup();
	error = thread_setup();
	if (!error)
		error = procaddr_setup();
	if (!error)
		error = tables_setup();
	if (!error)
		error = -__register_atfork(record_fork, record_parent, forked, NULL);
	if (error)
		return error;
	clock_setup();
	module_start_all();
	return 0;
}

/*
 * Runs under the loader's own lock: threads that make their first call
 * meanwhile wait in dlmopen, as for any library.
 */
static void __attribute__((constructor)) load(void)
{
	/* volatile: clang runs constructors ahead, on what it thinks memory holds. */
	struct link_table *link = *(struct link_table *volatile *)&cuaudit_core_link;
	int error;

	if (!link)
		return;
	if (link->version != LINK_VERSION || link->size != sizeof(*link)) {
		cuaudit_log(CUAUDIT_ERROR, "libcuaudit.so and cuaudit-core.so are of different "
			    "versions; nothing is audited");
		return;
	}
	error = start();
	if (error) {
		cuaudit_log(CUAUDIT_ERROR, "cannot start: %s; nothing is audited", strerror(-error));
		return;
	}
	attach();
	/* Pairs with the auditor's launch and its destructor. */
	atomic_store_explicit(&link->finish, finish, memory_order_release);
	atomic_store_explicit(&link->attach, attach, memory_order_release);
}
