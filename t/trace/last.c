/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A main thread that leaves by pthread_exit: where what runs at the end of the process runs, and
 * with what. Arguments: fork, a child does too, and one that calls nothing; other, a thread is left.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int (*init)(unsigned int);
static __thread int own = 1;

static void at_exit(void)
{
	printf("the end: on the main thread %d, its own data %d, the driver answers %d\n",
	       syscall(SYS_gettid) == getpid(), own, init(0));
	fflush(stdout);
}

/* glibc 2.43 lets the main thread be joined before it has counted itself as gone. */
static void *outlive(void *unused)
{
	char state = 0;

	own = 3;
	while (state != 'Z') {
		FILE *stat = fopen("/proc/self/stat", "r");

		if (!stat || fscanf(stat, "%*d (%*[^)]) %c", &state) != 1)
			_exit(78);
		fclose(stat);
	}
	init(0);
	return unused;
}

static void fork_one(int calls)
{
	int status = -1;

	if (fork()) {
		wait(&status);
		printf("a child's status %d\n", status);
		fflush(stdout);
	} else if (calls) {
		init(0);
	}
}

int main(int argc, char **argv)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	pthread_t other;

	init = driver ? (int (*)(unsigned int))dlsym(driver, "cuInit") : NULL;
	if (!init || init(0) || atexit(at_exit))
		return 77;
	own = 2;
	if (argc > 1 && !strcmp(argv[1], "fork")) {
		fork_one(1);
		fork_one(0);
	} else if (argc > 1) {
		pthread_create(&other, NULL, outlive, NULL);
	}
	pthread_exit(NULL);
}
