/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes of a job: each argument starts one, which calls cuDriverGetVersion as often as
 * the argument's number says and ends as its word says: exit, _exit, quick, kill, abort,
 * exec (this program again, with "exit=3"), bare (after a child by clone(2)), sleep (until somebody kills it), silent (no
 * call, then _exit). "here:" before it is this process itself. Prints the calls of all.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int (*version)(int *);
static int ready[2];	/* closed by a child that sleeps, when it has called */

static void call(long n)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int value;

	version = driver ? (int (*)(int *))dlsym(driver, "cuDriverGetVersion") : NULL;
	if (!version)
		_exit(77);
	while (n-- > 0)
		version(&value);
}

/* A child that runs no fork handlers calls five times what nobody called before. */
static void clone_bare(void)
{
	int (*init)(unsigned int);
	int (*count)(int *);
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	long pid;
	int status;

	init = (int (*)(unsigned int))dlsym(driver, "cuInit");
	count = (int (*)(int *))dlsym(driver, "cuDeviceGetCount");
	pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (!pid) {
		for (int i = 0; i < 5; i++)
			count(NULL);
		syscall(SYS_exit_group, 0);
	}
	waitpid((pid_t)pid, &status, 0);
	for (int i = 0; i < 7; i++)
		init(0);
}

static void end(const char *how, const char *program)
{
	if (!strcmp(how, "bare")) {
		clone_bare();
		exit(0);
	}
	if (!strcmp(how, "exit"))
		exit(0);
	if (!strcmp(how, "exit3"))
		exit(3);
	if (!strcmp(how, "_exit"))
		_exit(0);
	if (!strcmp(how, "_exit4"))
		_exit(4);
	if (!strcmp(how, "quick"))
		quick_exit(0);
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	if (!strcmp(how, "term"))
		raise(SIGTERM);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "exec"))
		execl(program, program, "here:exit=3", (char *)NULL);
	if (!strcmp(how, "exec-other"))
		execlp("true", "true", (char *)NULL);
	if (!strcmp(how, "sleep")) {
		/* Its parent, and who reads what it prints, need not wait for it from here on. */
		close(ready[1]);
		fclose(stdin);
		fclose(stdout);
		for (;;)
			pause();
	}
	_exit(78);
}

static void work(const char *what, const char *program)
{
	char how[32];
	const char *equals = strchr(what, '=');

	snprintf(how, sizeof(how), "%.*s", (int)(equals - what), what);
	if (strcmp(how, "silent"))
		call(atol(equals + 1));
	else
		_exit(0);
	end(how, program);
}

/* The program knows the driver before it forks, if its first argument is "warm". */
int main(int argc, char **argv)
{
	int first = 1;

	if (argc > 1 && !strcmp(argv[1], "warm")) {
		call(0);
		first = 2;
	}
	for (int i = first; i < argc; i++) {
		pid_t pid;
		int status;

		if (!strncmp(argv[i], "here:", 5))
			work(argv[i] + 5, argv[0]);
		if (pipe(ready))
			return 79;
		pid = fork();
		if (!pid)
			work(argv[i], argv[0]);
		close(ready[1]);
		if (pid < 0)
			return 79;
		if (!strncmp(argv[i], "sleep", 5)) {
			char byte;

			while (read(ready[0], &byte, 1) > 0)
				;
			printf("%d\n", (int)pid);
			fflush(stdout);
		} else {
			waitpid(pid, &status, 0);
		}
		close(ready[0]);
	}
	return 0;
}
