/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that fork and execute others. The argument says how. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t/fake/driver.h"
#include "t/routes/checks.h"

extern char **environ;

static const char *self;

static int wait_for(pid_t child)
{
	int status = -1;

	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* 0 if n calls in a child are seen and arrive, else a number that says what is wrong. */
static int child_calls(int n)
{
	int before = cuaudit_fake_calls("cuInit");

	observe_reset();
	for (int i = 0; i < n; i++)
		if (cuInit(0))
			return 1;
	if (cuaudit_fake_calls("cuInit") != before + n)
		return 2;
	if (!observe_routed())
		return 0;
	if (observe_enters("cuInit") != n || observe_exits("cuInit") != n)
		return 3;
	if (observe_from("cuInit", NULL) != n)
		return 4;
	return observe_unhooked_calls() || observe_unwound_calls() ? 5 : 0;
}

/* Looks a function up, and what no driver has; 0, or what counts of it are wrong. */
static int look_up(uint64_t before)
{
	const struct cuaudit_escape *(*escape)(uint32_t);
	void *function;

	if (!observe_routed())
		return 0;
	escape = (const struct cuaudit_escape *(*)(uint32_t))observe_core("cuaudit_escape_get");
	if (observe_bound("cuInit", CUAUDIT_ROUTE_PROCADDR) != before)
		return 6;
	if (escape(0) && escape(0)->count != before)
		return 7;
	if (cuGetProcAddress("cuInit", &function, 13000, 0) ||
	    cuGetProcAddress("cuHidden", &function, 13000, 0))
		return 8;
	return observe_bound("cuInit", CUAUDIT_ROUTE_PROCADDR) == before + 1 && escape(0) ? 0 : 9;
}

static void simple_fork(void)
{
	pid_t child;

	observe_start(RTLD_DEFAULT);
	for (int i = 0; i < 3; i++)
		cuInit(0);
	is_int(look_up(0), 0, "a look-up");
	child = fork();
	if (!child)
		_exit(child_calls(2) + look_up(0));
	is_int(wait_for(child), 0, "the child's calls");
	cuInit(0);
	seen("cuInit", 4, NULL);
}

/* How often the auditor could not route an indirect function; -1: there are other escapes. */
static int indirect_functions(void)
{
	const struct cuaudit_escape *(*get)(uint32_t), *escape;
	int count = 0;

	get = (const struct cuaudit_escape *(*)(uint32_t))observe_core("cuaudit_escape_get");
	for (uint32_t i = 0; get && (escape = get(i)); i++)
		count = escape->kind == CUAUDIT_ESCAPE_IFUNC && count >= 0 ?
			count + (int)escape->count : -1;
	return count;
}

/* How often an export table was handed out, of those that are known. */
static int export_tables(void)
{
	const struct cuaudit_export_table *(*get)(uint32_t), *table;
	int count = 0;

	get = (const struct cuaudit_export_table *(*)(uint32_t))
		observe_core("cuaudit_export_table_get");
	for (uint32_t i = 0; get && (table = get(i)); i++)
		count += (int)table->count;
	return count;
}

/* What holds for the process holds for a child; what its calls were given is the parent's. */
static int child_inherits(void)
{
	static const unsigned char uuid[16] = { 1 };
	const void *table;

	if (indirect_functions() != 1 || indirect_functions() != 1)
		return 1;
	if (export_tables())
		return 2;
	return cuGetExportTable(&table, uuid) || export_tables() != 1 ? 3 : 0;
}

static void inherited(const char *path)
{
	static const unsigned char uuid[16] = { 1 };
	const void *table;
	void *driver;
	pid_t child;

	observe_start(RTLD_DEFAULT);
	driver = dlopen(path, RTLD_NOW);
	ok(driver, "a driver with an indirect function");
	if (!observe_routed())
		return;
	is_int(indirect_functions(), 1, "which is not intercepted");
	is_int(indirect_functions(), 1, "once");
	is_int(cuGetExportTable(&table, uuid) + cuGetExportTable(&table, uuid), 0, "export tables");
	is_int(export_tables(), 2, "are seen");
	child = fork();
	if (!child)
		_exit(child_inherits());
	is_int(wait_for(child), 0, "a child knows of the first, not of the others");
	is_int(export_tables(), 2, "ours are ours");
}

/*
 * One child by fork, one that nobody told the core of. Both end as any process, and the latter
 * does not report: what it has of the parent's calls is the parent's.
 */
static void reporting(void)
{
	pid_t child;

	for (int i = 0; i < 3; i++)
		cuInit(0);
	fflush(NULL);
	child = fork();
	if (!child) {
		cuInit(0);
		exit(cuInit(0));
	}
	is_int(wait_for(child), 0, "a child");
	fflush(NULL);
	child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
	if (!child)
		exit(0);
	is_int(wait_for(child), 0, "a child without fork handlers");
}

static void first_in_child(void)
{
	pid_t child = fork();

	if (!child) {
		cuInit(0);
		if (observe_loaded() != observe_routed())
			_exit(99);
		observe_attach();
		_exit(child_calls(1));
	}
	is_int(wait_for(child), 0, "the child's first call");
	is_int(observe_loaded(), 0, "loads no core here");
	cuInit(0);
	is_int(observe_loaded(), observe_routed(), "ours does");
}

static atomic_bool stop;

static void *keep_calling(void *data)
{
	while (!stop)
		cuInit(0);
	return data;
}

static void fork_among_threads(void)
{
	enum { THREADS = 8, FORKS = 50 };
	pthread_t threads[THREADS];
	int failed = 0;

	observe_start(RTLD_DEFAULT);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, keep_calling, NULL);
	for (int i = 0; i < FORKS && !failed; i++) {
		pid_t child = fork();

		if (!child) {
			alarm(300);
			_exit(child_calls(100));
		}
		failed = wait_for(child);
	}
	stop = true;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	is_int(failed, 0, "%d children", FORKS);
	is_int(observe_enters("cuInit"), observe_exits("cuInit"), "each call was seen twice");
	if (observe_routed())
		is_int(observe_enters("cuInit"), cuaudit_fake_calls("cuInit"), "and arrived");
}

static void executed(const char *how, const char *what)
{
	char *const arguments[] = { (char *)self, (char *)what, NULL };
	pid_t child = -1;

	observe_start(RTLD_DEFAULT);
	if (!strcmp(how, "spawn")) {
		posix_spawn(&child, self, NULL, NULL, arguments, environ);
	} else {
		child = strcmp(how, "vfork") ? fork() : vfork();
		if (!child) {
			execv(self, arguments);
			_exit(98);
		}
	}
	is_int(wait_for(child), 0, "the program executed");
	cuInit(0);
	seen("cuInit", 1, NULL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	self = argv[0];
	if (!strcmp(how, "fork"))
		simple_fork();
	else if (!strcmp(how, "inherited"))
		inherited(argc > 2 ? argv[2] : "");
	else if (!strcmp(how, "reporting"))
		reporting();
	else if (!strcmp(how, "fork-first"))
		first_in_child();
	else if (!strcmp(how, "fork-threads"))
		fork_among_threads();
	else if (!strcmp(how, "child"))
		executed("", "last");
	else if (!strcmp(how, "last") || !strcmp(how, "alone")) {
		cuInit(0);
		is_int(observe_loaded(), observe_routed() && *how == 'l', "the core");
	} else
		executed(how, argc > 2 ? argv[2] : "");
	return done_testing();
}
