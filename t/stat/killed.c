/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Argument: how many processes. Each calls in threads until it is killed, at no time in
 * particular, and counts its calls in shared memory. Prints how many returned, and how many
 * began.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 3, ALIVE = 10 };

static _Atomic unsigned long long *begun, *returned;
static int (*version)(int *);
static int (*count)(int *);

static void *call(void *unused)
{
	int value;

	for (;;) {
		++*begun;
		version(&value);
		++*returned;
		++*begun;
		count(NULL);
		++*returned;
	}
	return unused;
}

static void work(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	pthread_t id;

	version = driver ? (int (*)(int *))dlsym(driver, "cuDriverGetVersion") : NULL;
	count = driver ? (int (*)(int *))dlsym(driver, "cuDeviceGetCount") : NULL;
	if (!version || !count)
		_exit(77);
	for (int i = 0; i < THREADS - 1; i++)
		pthread_create(&id, NULL, call, NULL);
	call(NULL);
}

int main(int argc, char **argv)
{
	int processes = argc > 1 ? atoi(argv[1]) : 1, status;
	pid_t pids[ALIVE];

	begun = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (begun == MAP_FAILED)
		return 77;
	returned = begun + 1;
	for (int i = 0; i < processes; i += ALIVE) {
		for (int j = 0; j < ALIVE; j++) {
			pids[j] = fork();
			if (!pids[j])
				work();
			if (pids[j] < 0)
				return 77;
		}
		for (int j = 0; j < ALIVE; j++) {
			struct timespec pause = { 0, (i * 7919 + j * 104729) % 2000000 };

			nanosleep(&pause, NULL);
			kill(pids[j], SIGKILL);
			waitpid(pids[j], &status, 0);
		}
	}
	printf("%llu %llu\n", *returned, *begun);
	return 0;
}
