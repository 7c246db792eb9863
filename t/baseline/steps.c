/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does what its arguments say, in their order:
 *   calls N  calls of cuDriverGetVersion, copy N  bytes to the device,
 *   launch NAME  a kernel of that name, fail  a call that fails, push NAME, pop  NVTX ranges,
 *   number FILE LIST  on two threads each as many calls of cuDeviceGetCount as an entry of LIST,
 *   "3,4,4", says, the one that FILE has the number of, from 0; FILE is counted up,
 *   threads N  so many threads race, child  a process that does the rest is waited for,
 *   stay  another goes on after its first call, exit N  with that status, kill  by SIGKILL
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/api.h"
#include "t/nvtx/copy.h"

static CUdeviceptr memory;
static atomic_long turns;
static atomic_bool over;

static void calls(long n)
{
	int version;

	while (n-- > 0)
		cuDriverGetVersion(&version);
}

static void *counts(void *data)
{
	int count;

	for (long n = (long)data; n > 0; n--)
		cuDeviceGetCount(&count);
	return NULL;
}

/* The first to come makes some calls; the others call until it has. */
static void *races(void *unused)
{
	int count;

	if (!atomic_fetch_add(&turns, 1)) {
		for (int i = 0; i < 2000; i++)
			cuDeviceGetCount(&count);
		atomic_store(&over, true);
	}
	while (!atomic_load(&over))
		cuDeviceGetCount(&count);
	return unused;
}

static void on_threads(void *(*function)(void *), long count, void *data)
{
	pthread_t threads[64];

	for (long i = 0; i < count; i++)
		if (pthread_create(&threads[i], NULL, function, data))
			_exit(70);
	for (long i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static void number(const char *path, const char *list)
{
	FILE *file = fopen(path, "r");
	int n = 0;

	if (file && fscanf(file, "%d", &n) != 1)
		n = 0;
	if (file)
		fclose(file);
	file = fopen(path, "w");
	if (!file || fprintf(file, "%d\n", n + 1) < 0 || fclose(file))
		_exit(71);
	while (n-- && strchr(list, ','))
		list = strchr(list, ',') + 1;
	if (atol(list))
		on_threads(counts, 2, (void *)atol(list));
}

static void copy(size_t size)
{
	void *from = calloc(1, size);

	if (!memory && cuMemAlloc_v2(&memory, 1 << 20))
		_exit(72);
	cuMemcpyHtoD_v2(memory, from, size);
	free(from);
}

static void launch(const char *name)
{
	char text[4096];
	CUfunction function;
	CUmodule module;

	snprintf(text, sizeof(text), ".version 8.0\n.target sm_80\n.address_size 64\n"
		 ".visible .entry %s()\n{\n ret;\n}\n", name);
	if (cuModuleLoadData(&module, text) || cuModuleGetFunction(&function, module, name) ||
	    cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL))
		_exit(73);
}

/* Its number is printed, for whoever ends it. */
static void stay(void)
{
	int ends[2];
	pid_t pid;
	char byte;

	if (pipe(ends))
		_exit(77);
	pid = fork();
	if (!pid) {
		calls(1);
		if (write(ends[1], "", 1) == 1)
			for (;;)
				pause();
		_exit(78);
	}
	if (read(ends[0], &byte, 1) != 1)
		_exit(79);
	printf("%d\n", (int)pid);
}

/* Words that have a value are told how many they took. */
static int step(const char *word, char **values)
{
	if (!strcmp(word, "calls"))
		calls(atol(*values));
	else if (!strcmp(word, "copy"))
		copy((size_t)atol(*values));
	else if (!strcmp(word, "launch"))
		launch(*values);
	else if (!strcmp(word, "push"))
		copy_push(*values);
	else if (!strcmp(word, "threads"))
		on_threads(races, atol(*values), NULL);
	else if (!strcmp(word, "exit"))
		exit(atoi(*values));
	else if (!strcmp(word, "number"))
		return number(values[0], values[1]), 2;
	else
		return 0;
	return 1;
}

static void lone(const char *word)
{
	int status;

	if (!strcmp(word, "fail"))
		cuMemFree_v2(3);
	else if (!strcmp(word, "pop"))
		copy_pop();
	else if (!strcmp(word, "kill"))
		raise(SIGKILL);
	else if (!strcmp(word, "child") && fork())
		_exit(wait(&status) < 0 || status ? 75 : 0);
	else if (!strcmp(word, "stay"))
		stay();
}

int main(int argc, char **argv)
{
	CUcontext context;

	copy_initialize();
	if (argc > 1 && (cuInit(0) || cuCtxCreate_v2(&context, 0, 0)))
		return 76;
	for (int i = 1; i < argc; i++) {
		int taken = step(argv[i], argv + i + 1);

		if (!taken)
			lone(argv[i]);
		i += taken;
	}
	return 0;
}
