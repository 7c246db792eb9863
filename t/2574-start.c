/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the core starts, forks and ends, by itself: each part has its turn once, none after one
 * that failed, and what the auditor may call is there once that works.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pid_t process, other_answer;	/* whose this is; what kill says of another, 0 or an error */
static long watched_call(long number, ...);
static _Noreturn void watched_end(int status);
static int watched_on_exit(void (*function)(int, void *), void *data);
static int watched_kill(pid_t of, int number);
static int watched_flush(FILE *file);

#define getpid() (process)
#define syscall watched_call
#define _exit watched_end
#define on_exit watched_on_exit
#define kill watched_kill
#define fflush watched_flush
#define exits exits_of_core
#define __register_atfork register_atfork
#define __cxa_atexit register_waiter
#include "hooks/core.c"
#undef __cxa_atexit
#undef __register_atfork
#undef fflush
#undef kill
#undef on_exit
#undef _exit
#undef syscall
#undef getpid

#include "t/tap.h"

enum { OWN = 1000, OTHER = 1001, THREAD = 4711 };

struct link_table *cuaudit_core_link;
static struct link_table table;

static char steps[1024];	/* their names, each after a space */
static const char *fails;	/* the one that does */
static bool strict, wants_exit;
static bool all_blocked, uncancelled, as_setup;	/* so far, in all steps */
static jmp_buf out;
static int ended;		/* the status, -1: it has not */
static char said[256];

static int step(const char *name)
{
	sigset_t now;
	int cancel;

	snprintf(steps + strlen(steps), sizeof(steps) - strlen(steps), " %s", name);
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	all_blocked &= sigismember(&now, SIGUSR1) && sigismember(&now, SIGSEGV) && sigismember(&now, SIGALRM);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	uncancelled &= cancel == PTHREAD_CANCEL_DISABLE;
	pthread_setcancelstate(cancel, &cancel);
	as_setup &= table.setup_thread == THREAD && !table.attach && !table.finish;
	return fails && !strcmp(fails, name) ? -ENOMEM : 0;
}

#define STEP(name) void name(void) { step(#name); }
#define TRY(name) int name(void) { return step(#name); }
STEP(lock_setup) STEP(lock_forked) STEP(log_setup) STEP(log_finish) STEP(log_close) STEP(output_setup)
STEP(layout_setup) STEP(settings_check) STEP(settings_list) STEP(module_prepare_all) STEP(module_list) STEP(module_start_all)
STEP(module_report_gaps) STEP(module_finish_all) STEP(module_forked) STEP(entry_setup)
STEP(library_setup) STEP(unwound_setup) STEP(clock_read_setup) STEP(clock_setup) STEP(clock_calibrate) STEP(registry_attach)
STEP(clock_forked) STEP(registry_forked) STEP(version_ask) STEP(thread_forked) STEP(coverage_forked)
STEP(unmatched_forked) STEP(unmatched_report) STEP(hook_reap) STEP(range_publish) STEP(range_report)
STEP(unwound_forked) STEP(range_loss_forked) STEP(runtime_row_setup) STEP(runtime_table_finish)
STEP(libc_function_setup) STEP(export_slot_setup) STEP(export_table_finish) STEP(provider_types_setup)
TRY(thread_setup) TRY(procaddr_setup) TRY(tables_setup)

static void (*in_child)(void);

int register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *handle)
{
	in_child = !prepare && !parent && !handle ? child : NULL;
	return -step("atfork");
}

bool strict_checks(void)
{
	return strict;
}

void strict_pass(void)
{
	step("strict_pass");
	longjmp(out, 1);
}

bool module_wants_process_exit(void)
{
	return wants_exit;
}

void unwound_process_ends(bool by_exit)
{
	(void)by_exit;
	step("ends");
}

void module_process_exit(int status, int by_exit)
{
	char name[32];

	snprintf(name, sizeof(name), "process_exit(%d,%d)", status, by_exit);
	step(name);
}

const char *io_reason(int error)
{
	return error == -ENOMEM ? "no memory" : "?";
}

void io_enter(struct io_signals *signals)
{
	(void)signals;
	step("(");
}

void io_leave(const struct io_signals *signals)
{
	(void)signals;
	step(")");
}

void cuaudit_log(enum cuaudit_level level, const char *format, ...)
{
	va_list arguments;

	(void)level;
	va_start(arguments, format);
	vsnprintf(said, sizeof(said), format, arguments);
	va_end(arguments);
}

static long watched_call(long number, ...)
{
	return number == SYS_gettid ? THREAD : number == SYS_getpid ? process : -1;
}

static _Noreturn void watched_end(int status)
{
	ended = status;
	longjmp(out, 1);
}

static void (*at_exit)(int, void *);

static int watched_on_exit(void (*function)(int, void *), void *data)
{
	at_exit = data ? NULL : function;
	return step("on_exit");
}

static int waiters;		/* that a signal handler cannot interrupt */

int register_waiter(void (*function)(void *), void *data, void *library)
{
	sigset_t now;

	pthread_sigmask(SIG_SETMASK, NULL, &now);
	waiters += function == waits && !data && !library && sigismember(&now, SIGALRM);
	return 0;
}

uint64_t cuaudit_clock_monotonic(void)
{
	return 0;
}

static int watched_kill(pid_t of, int number)
{
	if (of != OWN || number || !other_answer)
		return 0;
	errno = other_answer;
	return -1;
}

static int watched_flush(FILE *file)
{
	return step(file ? "fflush(one)" : "fflush");
}

static void anew(void)
{
	steps[0] = said[0] = '\0';
	all_blocked = uncancelled = as_setup = true;
	ended = -1;
}

/* The core is loaded with a table: what its constructor does. */
static void start_with(const char *failing, bool strictly, bool exits)
{
	anew();
	memset(&table, 0, sizeof(table));
	table.version = LINK_VERSION;
	table.size = sizeof(table);
	cuaudit_core_link = &table;
	process = OWN;
	fails = failing;
	strict = strictly;
	wants_exit = exits;
	at_exit = NULL;
	in_child = NULL;
	if (!setjmp(out))
		load();
	fails = NULL;
}

static bool may_be_cancelled(void)
{
	int cancel;

	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel);
	return cancel == PTHREAD_CANCEL_ENABLE;
}

#define PREPARED " clock_read_setup lock_setup log_setup output_setup layout_setup libc_function_setup runtime_row_setup " \
	"export_slot_setup " \
	"settings_check provider_types_setup module_prepare_all"
#define READY                                                                            \
	PREPARED " entry_setup library_setup unwound_setup thread_setup procaddr_setup " \
		 "tables_setup atfork"

static void test_start(void)
{
	static const struct {
		const char *fails, *steps, *said;
	} cases[] = {
		{ "thread_setup", PREPARED " entry_setup library_setup unwound_setup thread_setup",
		  "cannot start: no memory" },
		{ "procaddr_setup", PREPARED " entry_setup library_setup unwound_setup thread_setup procaddr_setup",
		  "cannot start: no memory" },
		{ "tables_setup", PREPARED " entry_setup library_setup unwound_setup thread_setup procaddr_setup"
		  " tables_setup", "cannot start: no memory" },
		{ "atfork", READY, "cannot start: no memory" },
	};

	start_with(NULL, false, false);
	is_str(steps,
	       READY " clock_setup module_start_all module_report_gaps range_publish "
		     "registry_attach version_ask",
	       "each part of the core starts once");
	ok(uncancelled && may_be_cancelled(), "a thread is not cancelled meanwhile");
	ok(as_setup && !table.setup_thread,
	   "what it calls meanwhile is known to be ours, and nothing is there too early");
	ok(table.attach && table.finish && !table.process_exit && in_child && !at_exit, "what the auditor calls");
	anew();
	table.attach();
	is_str(steps, " registry_attach version_ask", "functions that come later");
	ok(uncancelled && may_be_cancelled(), "a thread is not cancelled meanwhile");
	start_with(NULL, false, true);
	is_str(steps,
	       READY " clock_setup module_start_all on_exit module_report_gaps range_publish "
		     "registry_attach version_ask",
	       "... with a module that is told of exits");
	ok(table.process_exit && at_exit, "what the auditor calls then");
	start_with(NULL, true, true);
	is_str(steps, PREPARED " settings_list module_list strict_pass", "where settings are looked at alone");
	may_be_cancelled();
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		start_with(cases[i].fails, false, true);
		is_str(steps, cases[i].steps, "nothing starts when %s failed", cases[i].fails);
		is_str(said, cases[i].said, "... which is said");
		ok(!table.attach && !table.finish && !table.process_exit && !table.setup_thread && may_be_cancelled(),
		   "... and nothing can be called");
	}
	for (int turn = 0; turn < 2; turn++) {
		anew();
		memset(&table, 0, sizeof(table));
		table.version = LINK_VERSION + !turn;
		table.size = sizeof(table) + (turn ? 8 : 0);
		load();
		ok(!*steps && !table.attach && strstr(said, "of different versions"),
		   "an auditor of another version, %d", turn);
	}
	anew();
	cuaudit_core_link = NULL;
	load();
	ok(!*steps && !*said, "without an auditor");
}

/* A child is the process of its own files. */
static void test_fork(void)
{
	sigset_t before, after;

	start_with(NULL, false, true);
	anew();
	sigemptyset(&before);
	sigaddset(&before, SIGUSR2);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	process = OTHER;
	in_child();
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	is_str(steps, " lock_forked clock_forked registry_forked thread_forked unwound_forked range_loss_forked"
	       " coverage_forked unmatched_forked module_forked", "in a child each part begins anew");
	ok(all_blocked && sigismember(&after, SIGUSR2) && !sigismember(&after, SIGUSR1),
	   "with signals blocked meanwhile");
	sigemptyset(&before);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	anew();
	table.process_exit(3);
	at_exit(4, NULL);
	is_str(steps, " ends process_exit(3,0) ends process_exit(4,1)", "its exits are told");
}

#define REPORT                                                                                     \
	" ( log_finish export_table_finish runtime_table_finish clock_calibrate unmatched_report range_report " \
	"ends module_finish_all hook_reap " \
	"log_close"

static void test_end(void)
{
	start_with(NULL, false, true);
	anew();
	table.process_exit(0x1ff);
	at_exit(0x102, NULL);
	is_str(steps, " ends process_exit(255,0) ends process_exit(2,1)", "exits are told by the status that others see");
	anew();
	table.finish();
	is_str(steps, REPORT " )", "each part ends once");
	is_int(waiters, EXIT_WAITERS, "threads that exit meanwhile wait, and signals are blocked as that is asked for");
	waits(NULL);
	is_int(waiters, EXIT_WAITERS, "... for nothing once it has ended");
	ok(ended < 0 && uncancelled && may_be_cancelled(), "the process goes on, and was not cancelled");
	for (int answer = 0; answer < 3; answer++) {
		anew();
		process = OTHER;
		other_answer = answer == 0 ? 0 : answer == 1 ? ESRCH : EPERM;
		table.process_exit(3);
		at_exit(4, NULL);
		table.finish();
		is_str(steps, "", "nothing is told of a process that shares our memory");
		is_str(said,
		       answer != 1 ? ""
				   : "the calls of process 1001 are not reported: the core was "
				     "loaded by "
				     "process 1000, by a clone(2) without fork(3)",
		       "... but if nobody else reports it, case %d", answer);
	}
	process = OWN;
	cuaudit_set_exit_status(23);
	cuaudit_set_exit_status(24);
	anew();
	if (!setjmp(out))
		table.finish();
	is_str(steps, REPORT " fflush ends process_exit(23,1)",
	       "a module's own status: the program's texts are written");
	is_int(ended, 23, "and it is the first that was given");
}

int main(void)
{
	ok(!*steps, "nothing starts without an auditor");
	test_start();
	test_fork();
	test_end();
	return done_testing();
}
