/* SPDX-License-Identifier: Apache-2.0 */
/* Makes calls of known numbers, the first of the process among them. The argument says how. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t/fake/driver.h"
#include "t/routes/asker.h"

enum { THREADS = 16, CALLS = 1000 };

static pthread_barrier_t barrier;

static int call(int (*init)(unsigned int), int times)
{
	int failed = 0;

	while (times--)
		failed |= init(0);
	return failed;
}

static void *worker(void *data)
{
	pthread_barrier_wait(&barrier);
	call(cuInit, CALLS);
	return data;
}

static void threads(void)
{
	pthread_t all[THREADS];

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&all[i], NULL, worker, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(all[i], NULL);
}

static int three_ways(void)
{
	int (*found)(unsigned int) = (int (*)(unsigned int))dlsym(RTLD_DEFAULT, "cuInit");
	int (*answer)(unsigned int) = NULL;

	cuGetProcAddress_v2("cuInit", (void **)&answer, 13000, 0, NULL);
	return call(cuInit, 5) | call(found, 5) | call(answer, 5);
}

static int forked(void)
{
	int status = -1;
	pid_t child;

	call(cuInit, 3);
	child = fork();
	if (!child)
		exit(call(cuInit, 2));
	waitpid(child, &status, 0);
	return status | call(cuInit, 1);
}

static int of_library(void)
{
	call(cuInit, 2);
	return asker_call(cuInit) | asker_call(cuInit) | asker_call(cuInit);
}

static void late(void)
{
	call(cuInit, 2);
}

static void __attribute__((destructor)) latest(void)
{
	if (getenv("LATE"))
		call(cuInit, 1);
}

static pthread_key_t key;

/* Of a thread's key: runs again until the core's own is done, too. */
static void at_thread_end(void *data)
{
	long left = (long)data;

	call(cuInit, 1);
	if (left > 1)
		pthread_setspecific(key, (void *)(left - 1));
}

static void *ending(void *data)
{
	pthread_setspecific(key, (void *)3);
	call(cuInit, 1);
	return data;
}

/* Each of ten threads calls once, and three times while it ends. */
static void thread_ends(void)
{
	pthread_t thread;

	pthread_key_create(&key, at_thread_end);
	for (int i = 0; i < 10; i++) {
		pthread_create(&thread, NULL, ending, NULL);
		pthread_join(thread, NULL);
	}
}

static void leaves(void *data)
{
	call(cuInit, 1);
	exit((int)(long)data);
}

static void *endless(void *data)
{
	for (;;)
		call(cuInit, 1);
	return data;
}

/* The process ends while other threads are in the driver. */
static void busy(void)
{
	pthread_t thread;

	for (int i = 0; i < 8; i++)
		pthread_create(&thread, NULL, endless, NULL);
	call(cuInit, 1000);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int failed = 0;

	if (!strcmp(how, "threads"))
		threads();
	else if (!strcmp(how, "three"))
		failed = three_ways();
	else if (!strcmp(how, "fork"))
		failed = forked();
	else if (!strcmp(how, "exit"))
		failed = atexit(late) | setenv("LATE", "1", 1) | call(cuInit, 1);
	else if (!strcmp(how, "thread-ends"))
		thread_ends();
	else if (!strcmp(how, "callback"))
		cuLaunchHostFunc(NULL, leaves, NULL);
	else if (!strcmp(how, "busy"))
		busy();
	else
		failed = of_library();
	return failed;
}
