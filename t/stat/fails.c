/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that fail where its arguments say: here, on threads, in a child; then it ends so. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t/trace/driver.h"

static word address;

static void allocate(int result)
{
	trace_answer = result;
	cuMemAlloc_v2(&address, 8);
	trace_answer = 0;
}

static void *on_thread(void *unused)
{
	allocate(1);
	return unused;
}

static void threads(int count)
{
	for (pthread_t thread; count--;)
		if (!pthread_create(&thread, NULL, on_thread, NULL))
			pthread_join(thread, NULL);
}

static pthread_barrier_t made;

static void *run_on(void *unused)
{
	allocate(1);
	pthread_barrier_wait(&made);
	pause();
	return unused;
}

static void running(void)
{
	pthread_t thread;

	pthread_barrier_init(&made, NULL, 2);
	pthread_create(&thread, NULL, run_on, NULL);
	pthread_barrier_wait(&made);
}

static void child(int result)
{
	int status = -1;

	if (!fork()) {
		allocate(result);
		exit(0);
	}
	wait(&status);
	printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

int main(int argc, char **argv)
{
	int status = 0;

	cuInit(0);
	for (int i = 1; i < argc; i++) {
		const char *value = strchr(argv[i], '=');
		int number = value ? atoi(value + 1) : 0;

		if (!strncmp(argv[i], "error=", 6))
			allocate(number);
		else if (!strncmp(argv[i], "exit=", 5))
			status = number;
		else if (!strncmp(argv[i], "threads=", 8))
			threads(number);
		else if (!strcmp(argv[i], "running"))
			running();
		else if (!strncmp(argv[i], "fork", 4))
			child(argv[i][4] ? 0 : 1);
		else if (!strcmp(argv[i], "free"))
			cuMemFree_v2(5);
		else if (!strcmp(argv[i], "_exit"))
			_exit(0);
		else if (!strcmp(argv[i], "exec"))
			execl("/bin/sh", "sh", "-c", "exit 3", (char *)NULL);
		else if (!strcmp(argv[i], "not-ready")) {
			trace_answer = 600;
			cuEventQuery(7);
			trace_answer = 0;
		}
	}
	puts("printed");
	return status;
}
