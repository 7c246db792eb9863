/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals that come while a plug-in starts, of any origin and whatever the program does with
 * them: what is the plug-in's ends it, the rest goes where it would have gone without us.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "hooks/crash.c"

#include "t/tap.h"

enum { PAGE = 4096, RESULT = 7, VALUE = 42, WRONG = 90 };

static const char name[] = "a plug-in";

/* How it starts: in its init, or while the loader has it. */
enum mode { INIT, LOAD, MODES };

/* What happens there. */
enum event { FAULT, RAISE, KILL, QUEUE, FROM_PROCESS, FROM_KERNEL, THREAD_RAISE, THREAD_FAULT, EVENTS };
static const char *const events[EVENTS] = {
	"a fault", "raise", "kill", "sigqueue", "another process", "the kernel's", "another thread's",
	"another thread's fault",
};

/* What the program does with it. */
enum action { DEFAULT, IGNORE, PLAIN, INFO, ONCE, ACTIONS };
static const char *const actions[ACTIONS] = {
	"by default", "ignored", "handled", "handled with its origin", "handled once",
};

/* What came of it, of a process that may be gone. */
static struct seen {
	int handled, wrong, logged, result, number, action;
	bool mask_kept;
} *seen;

static int number;		/* the signal */
static enum event event;	/* the present one */
static enum event sequence[2];
static unsigned int times;
static char *page;		/* without access, until a fault is handled */

void cuaudit_log(enum cuaudit_level level, const char *format, ...)
{
	seen->logged++;
	seen->wrong += level != CUAUDIT_ERROR || strcmp(format, "%s crashed while it was loaded") != 0;
}

static void handle(int given)
{
	sigset_t now;

	seen->handled++;
	sigprocmask(SIG_SETMASK, NULL, &now);
	seen->wrong += given != number || !sigismember(&now, SIGUSR2) || !sigismember(&now, number);
	mprotect(page, PAGE, PROT_READ | PROT_WRITE);
}

static void handle_info(int given, siginfo_t *info, void *context)
{
	static const int codes[EVENTS] = {
		SEGV_ACCERR, SI_TKILL, SI_USER, SI_QUEUE, SI_USER, SI_ASYNCIO, SI_TKILL, SEGV_ACCERR,
	};

	handle(given);
	seen->wrong += info->si_code != codes[event] || !context ||
		       (event == QUEUE && info->si_value.sival_int != VALUE) ||
		       ((codes[event] == SEGV_ACCERR) && info->si_addr != page) ||
		       (codes[event] == SI_USER && (info->si_pid == getpid()) == (event == FROM_PROCESS));
}

static void set(enum action action)
{
	struct sigaction wanted = { .sa_handler = action == IGNORE ? SIG_IGN : SIG_DFL };

	sigaddset(&wanted.sa_mask, SIGUSR2);
	if (action == PLAIN || action == ONCE)
		wanted.sa_handler = handle;
	if (action == INFO)
		wanted.sa_sigaction = handle_info;
	wanted.sa_flags = action == INFO ? SA_SIGINFO : action == ONCE ? (int)SA_RESETHAND : 0;
	sigaction(number, &wanted, NULL);
}

static enum action get(void)
{
	struct sigaction now;

	sigaction(number, NULL, &now);
	if (now.sa_flags & SA_SIGINFO)
		return now.sa_sigaction == handle_info ? INFO : ACTIONS;
	if (now.sa_handler == handle)
		return now.sa_flags & (int)SA_RESETHAND ? ONCE : PLAIN;
	return now.sa_handler == SIG_DFL ? DEFAULT : now.sa_handler == SIG_IGN ? IGNORE : ACTIONS;
}

static void fault(void)
{
	mprotect(page, PAGE, PROT_NONE);
	*(volatile char *)page = 1;
}

static void *in_thread(void *unused)
{
	if (event == THREAD_FAULT)
		fault();
	else
		raise(number);
	return unused;
}

static void happen(void)
{
	const union sigval value = { .sival_int = VALUE };
	siginfo_t info = { .si_code = SI_ASYNCIO };
	pthread_t other;
	pid_t process;

	switch (event) {
	case FAULT:
		fault();
		break;
	case RAISE:
		raise(number);
		break;
	case KILL:
		kill(getpid(), number);
		break;
	case QUEUE:
		sigqueue(getpid(), number, value);
		break;
	case FROM_PROCESS:
		process = fork();
		if (!process)
			_exit(kill(getppid(), number) != 0);
		while (waitpid(process, NULL, 0) < 0)
			;
		break;
	case FROM_KERNEL:
		syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), number, &info);
		break;
	case THREAD_RAISE:
	case THREAD_FAULT:
		if (pthread_create(&other, NULL, in_thread, NULL))
			_exit(WRONG);
		pthread_join(other, NULL);
		break;
	case EVENTS:
		break;
	}
}

static int start(const struct cuaudit_options *options)
{
	(void)options;
	for (unsigned int i = 0; i < times; i++) {
		event = sequence[i];
		happen();
	}
	return RESULT;
}

static void start_as(enum mode mode, int (*init)(const struct cuaudit_options *options))
{
	sigset_t before, after;

	sigprocmask(SIG_SETMASK, NULL, &before);
	if (mode == INIT) {
		seen->result = crash_run(init, NULL, &seen->number);
	} else {
		crash_name(name);
		seen->result = init(NULL);
		crash_name(NULL);
	}
	sigprocmask(SIG_SETMASK, NULL, &after);
	seen->mask_kept = !memcmp(&before, &after, sizeof(long));
	seen->action = (int)get();
}

/* In a process of its own: the signal that it died of, 0 for none. */
static int apart(enum mode mode, enum action action, int (*init)(const struct cuaudit_options *options))
{
	const struct rlimit none = { 0, 0 };
	int status = WRONG;
	pid_t process;

	memset(seen, 0, sizeof(*seen));
	fflush(stdout);
	process = fork();
	if (!process) {
		setrlimit(RLIMIT_CORE, &none);
		set(action);
		start_as(mode, init);
		_exit(0);
	}
	if (process < 0 || waitpid(process, &status, 0) < 0)
		return WRONG;
	return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

/* What the kernel does with a signal, of which *action may remain another. */
static bool survives(enum event what, enum action *action, struct seen *model)
{
	bool is_fault = what == FAULT || what == THREAD_FAULT;

	if (*action == DEFAULT || (*action == IGNORE && is_fault))
		return false;
	model->handled += *action != IGNORE;
	if (*action == ONCE)
		*action = DEFAULT;
	return true;
}

/* What is to come of it: the signal that it dies of, or 0. */
static int expect(enum mode mode, enum action action, struct seen *model)
{
	bool watched = true;

	*model = (struct seen){ .result = RESULT, .mask_kept = true };
	for (unsigned int i = 0; i < times; i++) {
		bool own = sequence[i] <= QUEUE;

		if (own && watched && mode == INIT) {
			model->number = number;
			model->result = 0;
			break;
		}
		model->logged += own && watched;
		watched &= !own && sequence[i] != THREAD_FAULT;
		if (!survives(sequence[i], &action, model))
			return number;
	}
	model->action = (int)action;
	return 0;
}

/* What it lived through, where it did, is as expected. */
static bool is_as(const struct seen *model, bool lived)
{
	return !seen->wrong && seen->handled == model->handled && seen->logged == model->logged &&
	       (!lived || (seen->result == model->result && seen->number == model->number &&
			   seen->action == model->action && seen->mask_kept));
}

/* Once, twice, and followed by one of its own; the first that goes wrong is said. */
static void test_event(enum mode mode, enum event first)
{
	char wrong[256] = "";

	for (int k = 0; k < 3 * ACTIONS && !*wrong; k++) {
		enum action action = (enum action)(k % ACTIONS);
		struct seen model;
		int dies, died;

		times = k < ACTIONS ? 1 : 2;
		sequence[0] = first;
		sequence[1] = k < 2 * ACTIONS ? first : RAISE;
		dies = expect(mode, action, &model);
		died = apart(mode, action, start);
		if (died != dies || !is_as(&model, !died))
			snprintf(wrong, sizeof(wrong), " (%s, %u times%s: status %d, handled %d, printed %d, "
				 "then %d)", actions[action], times, k < 2 * ACTIONS ? "" : ", then raise",
				 died, seen->handled, seen->logged, seen->action);
	}
	ok(!*wrong, "%s, %s, signal %d%s", mode == INIT ? "init" : "loading", events[first], number, wrong);
}

static void test_signals(void)
{
	for (int mode = INIT; mode < MODES; mode++)
		for (int first = FAULT; first < EVENTS; first++)
			for (size_t i = 0; i < COUNT; i++) {
				number = signals[i];
				if ((first != FAULT && first != THREAD_FAULT) || number == SIGSEGV)
					test_event((enum mode)mode, (enum event)first);
			}
}

static void other_handler(int given)
{
	(void)given;
}

static int sets_handler(const struct cuaudit_options *options)
{
	(void)options;
	signal(number, other_handler);
	return RESULT;
}

/* As signal(2) gives and takes it: without its flags. */
static int sets_it_back(const struct cuaudit_options *options)
{
	(void)options;
	signal(number, signal(number, other_handler));
	return RESULT;
}

static void test_handlers(void)
{
	for (size_t i = 0; i < COUNT; i++) {
		number = signals[i];
		set(PLAIN);
		start_as(INIT, sets_handler);
		ok(signal(number, SIG_DFL) == other_handler, "signal %d: a handler of the plug-in's stays", number);
		set(INFO);
		start_as(INIT, sets_it_back);
		is_int((int)get(), INFO, "... one that it gave back is the program's again");
		set(DEFAULT);
	}
}

static int overflow(const struct cuaudit_options *options)
{
	volatile char room[PAGE];

	/* Always. */
	room[0] = (char)getpid() | 1;
	return room[0] ? overflow(options) + room[0] : 0;
}

static bool is_same_stack(const stack_t *a, const stack_t *b)
{
	return a->ss_flags == b->ss_flags &&
	       (a->ss_flags & SS_DISABLE || (a->ss_sp == b->ss_sp && a->ss_size == b->ss_size));
}

/* With a signal stack of the program's and without. */
static void *overflows(void *own)
{
	stack_t before, after, wanted = { .ss_sp = own, .ss_size = STACK };

	if (own)
		sigaltstack(&wanted, NULL);
	sigaltstack(NULL, &before);
	seen->result = crash_run(overflow, NULL, &seen->number);
	sigaltstack(NULL, &after);
	seen->mask_kept = is_same_stack(&before, &after);
	return NULL;
}

static void test_overflow(void)
{
	static char own[STACK];
	pthread_t other;

	for (int turn = 0; turn < 2; turn++) {
		memset(seen, 0, sizeof(*seen));
		if (pthread_create(&other, NULL, overflows, turn ? own : NULL))
			bail_out("no thread");
		pthread_join(other, NULL);
		ok(seen->number == SIGSEGV && !seen->result, "the stack overflows, signal stack %d", turn);
		ok(seen->mask_kept, "... which is as before");
	}
}

int main(void)
{
	seen = mmap(NULL, sizeof(*seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	page = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (seen == MAP_FAILED || page == MAP_FAILED)
		bail_out("no memory");
	test_signals();
	test_handlers();
	test_overflow();
	return done_testing();
}
