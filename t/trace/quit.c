/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the driver, then ends with a status as its arguments say: HOW STATUS. */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int (*version)(int *);

static void call(int n)
{
	int value;

	while (n--)
		version(&value);
}

static _Atomic long called;

static void *calls(void *unused)
{
	for (;;) {
		call(1000);
		called += 1000;
	}
	return unused;
}

static void *ends(void *status)
{
	_exit(*(int *)status);
}

static void killed(void)
{
	raise(SIGKILL);
}

static void quits(void)
{
	_exit(9);
}

static void handler(int number)
{
	_exit(number);
}

/* A child that is not to be taken for its parent. */
static void child(const char *how)
{
	pid_t pid = 0;

	if (!strcmp(how, "vfork")) {
		pid = vfork();
		if (!pid)
			_exit(9);
	} else if (!strcmp(how, "clone")) {
		pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		if (!pid)
			_exit(9);
	} else if (!strcmp(how, "fork")) {
		pid = fork();
		if (!pid)
			_exit(9);
	} else if (!strcmp(how, "worker")) {
		pid = fork();
		if (!pid) {
			call(3);
			_exit(9);
		}
	}
	if (pid && waitpid(pid, NULL, 0) != pid)
		exit(99);
}

static void end(const char *how, int status)
{
	pthread_t thread;

	if (!strcmp(how, "_exit"))
		_exit(status);
	if (!strcmp(how, "_Exit"))
		_Exit(status);
	if (!strcmp(how, "quick_exit"))
		quick_exit(status);
	if (!strcmp(how, "exit"))
		exit(status);
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	if (!strcmp(how, "killed-at-exit")) {
		atexit(killed);
		exit(status);
	}
	if (!strcmp(how, "quits-at-exit")) {
		atexit(quits);
		exit(status);
	}
	if (!strcmp(how, "handler")) {
		signal(SIGUSR1, handler);
		raise(SIGUSR1);
	}
	if (!strcmp(how, "system-call"))
		syscall(SYS_exit_group, status);
	if (!strcmp(how, "only-thread"))
		syscall(SYS_exit, status);
	if (!strcmp(how, "crowd")) {
		for (int i = 0; i < 8; i++)
			pthread_create(&thread, NULL, calls, NULL);
		while (called < 8 * 100000)
			usleep(1000);
		printf("%ld\n", called);
		exit(status);
	}
	if (!strcmp(how, "thread")) {
		for (int i = 0; i < 3; i++)
			pthread_create(&thread, NULL, calls, NULL);
		call(1000);
		pthread_create(&thread, NULL, ends, &status);
		pthread_join(thread, NULL);
	}
}

int main(int argc, char **argv)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);

	if (argc < 3 || !driver)
		return 98;
	version = (int (*)(int *))dlsym(driver, "cuDriverGetVersion");
	call(10);
	if (argc > 3)
		child(argv[3]);
	end(argv[1], atoi(argv[2]));
	return atoi(argv[2]);
}
