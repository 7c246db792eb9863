/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the driver a number of times, then ends in the way its arguments say. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int (*version)(int *);
static int (*count)(int *);

static void look_up(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned int);

	if (!driver) {
		fprintf(stderr, "%s\n", dlerror());
		exit(77);
	}
	init = (int (*)(unsigned int))dlsym(driver, "cuInit");
	version = (int (*)(int *))dlsym(driver, "cuDriverGetVersion");
	count = (int (*)(int *))dlsym(driver, "cuDeviceGetCount");
	if (init(0))
		exit(77);
}

/* n calls that succeed, n that do not. */
static void call(int n)
{
	int value;

	while (n--) {
		version(&value);
		count(NULL);
	}
}

static void *thread(void *unused)
{
	call(10);
	return unused;
}

/* Each of them ended before the next begins. */
static void threads(int n)
{
	pthread_t id;

	while (n--)
		if (pthread_create(&id, NULL, thread, NULL) || pthread_join(id, NULL))
			exit(77);
}

static void *end_main(void *unused)
{
	pthread_join(*(pthread_t *)unused, NULL);
	call(1);
	exit(0);
}

/* exec comes back to this program, as another process of the same pid. */
static void end(const char *how, char **argv)
{
	static pthread_t self;
	pthread_t id;
	int status = 0;

	if (!strcmp(how, "exit"))
		exit(0);
	if (!strcmp(how, "_exit"))
		_exit(0);
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "fault"))
		*(volatile int *)8 = 1;
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	if (!strcmp(how, "exec"))
		execl("/proc/self/exe", argv[0], "5", "exit", (char *)NULL);
	if (!strcmp(how, "fork") || !strcmp(how, "fork-silent")) {
		if (!fork()) {
			if (!strcmp(how, "fork"))
				call(3);
			exit(0);
		}
		wait(&status);
	}
	if (!strcmp(how, "threads"))
		threads(100);
	if (!strcmp(how, "main-first")) {
		self = pthread_self();
		pthread_create(&id, NULL, end_main, &self);
		pthread_exit(NULL);
	}
	exit(status != 0);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	if (!strcmp(argv[2], "uncalled"))
		return !dlopen("libcuda.so.1", RTLD_NOW);
	look_up();
	call(atoi(argv[1]));
	if (!strcmp(argv[2], "return"))
		return 0;
	end(argv[2], argv);
	return 1;
}
