/* SPDX-License-Identifier: Apache-2.0 */
/* What plug-ins may crash in without taking the program along. */
#include "hooks/crash.h"

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const int signals[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV };

enum { COUNT = sizeof(signals) / sizeof(signals[0]), STACK = 64 * 1024 };

static struct sigaction saved[COUNT];
static sigjmp_buf out;
static pid_t thread;
static const char *named;	/* whom to blame; NULL: jump out */

static pid_t self(void)
{
	return (pid_t)syscall(SYS_gettid);
}

static void caught(int number, siginfo_t *info, void *context)
{
	(void)context;
	if (self() == thread && !named)
		siglongjmp(out, number);
	if (self() == thread)
		cuaudit_log(CUAUDIT_ERROR, "%s crashed while it was loaded", named);
	/* A fault comes again on return, and meets the handler there was before. */
	for (int i = 0; i < COUNT; i++)
		if (signals[i] == number)
			sigaction(number, &saved[i], NULL);
	if (info->si_code <= 0)
		syscall(SYS_tgkill, getpid(), self(), number);
}

static void watch(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_ONSTACK };

	action.sa_sigaction = caught;
	sigemptyset(&action.sa_mask);
	thread = self();
	for (int i = 0; i < COUNT; i++)
		sigaction(signals[i], &action, &saved[i]);
}

/* A handler the plug-in has set stays. */
static void unwatch(void)
{
	struct sigaction now;

	for (int i = 0; i < COUNT; i++)
		if (!sigaction(signals[i], NULL, &now) && (now.sa_flags & SA_SIGINFO) &&
		    now.sa_sigaction == caught)
			sigaction(signals[i], &saved[i], NULL);
}

void crash_name(const char *name)
{
	named = name;
	if (name)
		watch();
	else
		unwatch();
}

int crash_run(int (*init)(const struct cuaudit_options *options),
	      const struct cuaudit_options *options, int *number)
{
	/* For what has used up the thread's own. */
	static char stack[STACK];
	stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) }, before;
	bool stacked = !sigaltstack(NULL, &before) && (before.ss_flags & SS_DISABLE) &&
		       !sigaltstack(&own, NULL);
	volatile int result = 0;

	watch();
	*number = sigsetjmp(out, 1);
	if (!*number)
		result = init(options);
	unwatch();
	if (stacked) {
		before.ss_flags = SS_DISABLE;
		sigaltstack(&before, NULL);
	}
	return result;
}
