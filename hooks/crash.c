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

static struct sigaction *saved_of(int number)
{
	int i = 0;

	while (signals[i] != number)
		i++;
	return &saved[i];
}

/* Not by the process itself, as abort(3) does it, nor for a fault. */
static bool from_outside(const siginfo_t *info)
{
	bool has_sender = info->si_code == SI_USER || info->si_code == SI_TKILL ||
			  info->si_code == SI_QUEUE;

	return info->si_code <= 0 && !(has_sender && info->si_pid == getpid());
}

static void requeue(int number, siginfo_t *info)
{
	syscall(SYS_rt_tgsigqueueinfo, getpid(), self(), number, info);
}

/* Does with a signal what would have been done without us; the next one is caught again. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	struct sigaction *before = saved_of(number), now = *before;

	if (!(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_IGN)
		return;
	if (!(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL) {
		sigaction(number, before, NULL);
		requeue(number, info);
		return;
	}
	if (now.sa_flags & (int)SA_RESETHAND)
		*before = (struct sigaction){ .sa_handler = SIG_DFL };
	/* Until caught returns, which has the mask there was before. */
	sigprocmask(SIG_BLOCK, &now.sa_mask, NULL);
	if (now.sa_flags & SA_SIGINFO)
		now.sa_sigaction(number, info, context);
	else
		now.sa_handler(number);
}

static void caught(int number, siginfo_t *info, void *context)
{
	bool ours = self() == thread && !from_outside(info);

	if (ours && !named)
		siglongjmp(out, number);
	if (ours) {
		cuaudit_log(CUAUDIT_ERROR, "%s crashed while it was loaded", named);
	} else if (info->si_code <= 0) {
		pass_on(number, info, context);
		return;
	}
	/* A fault comes again on return, and meets the handler there was before. */
	sigaction(number, saved_of(number), NULL);
	if (info->si_code <= 0)
		requeue(number, info);
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

/* A handler the plug-in has set stays; signal(2) gives ours back without its flags. */
static void unwatch(void)
{
	struct sigaction now;

	for (int i = 0; i < COUNT; i++)
		if (!sigaction(signals[i], NULL, &now) && now.sa_sigaction == caught)
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
	if (stacked)
		sigaltstack(&before, NULL);
	return result;
}
