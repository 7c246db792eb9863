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
	else
		failed = of_library();
	return failed;
}
