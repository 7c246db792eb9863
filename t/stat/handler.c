/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts its own calls, exactly: in a loop that a timer's handler interrupts, which calls
 * too; of a callback that is left by longjmp; of functions that a hook may answer. Prints
 * how many there were of cuDriverGetVersion and cuDeviceGetCount together.
 */
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>

enum { HANDLED = 5000 };

static int (*version)(int *);
static int (*count)(int *);
static int (*host_func)(void *, void (*)(void *), void *);
static int (*alloc)(unsigned long long *, size_t);
static volatile long handled;
static jmp_buf out;

static void on_timer(int number)
{
	int value;

	(void)number;
	count(&value);
	handled++;
}

static long in_handler(void)
{
	struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = on_timer };
	sigset_t mask;
	long calls = 0;
	int value;

	sigaction(SIGALRM, &action, NULL);
	count(&value);
	setitimer(ITIMER_REAL, &often, NULL);
	for (; handled < HANDLED; calls++)
		version(&value);
	setitimer(ITIMER_REAL, &never, NULL);
	/* One may be pending. */
	sigemptyset(&mask);
	sigaddset(&mask, SIGALRM);
	sigprocmask(SIG_BLOCK, &mask, NULL);
	return calls + handled + 1;
}

static void leave(void *unused)
{
	(void)unused;
	longjmp(out, 1);
}

static long unwound(int n)
{
	volatile int i = n;

	setjmp(out);
	if (i-- > 0)
		host_func(NULL, leave, NULL);
	return 0;
}

int main(int argc, char **argv)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned int);
	long calls = 0;

	if (!driver || argc < 2)
		return 77;
	init = (int (*)(unsigned int))dlsym(driver, "cuInit");
	version = (int (*)(int *))dlsym(driver, "cuDriverGetVersion");
	count = (int (*)(int *))dlsym(driver, "cuDeviceGetCount");
	host_func = (int (*)(void *, void (*)(void *), void *))dlsym(driver, "cuLaunchHostFunc");
	alloc = (int (*)(unsigned long long *, size_t))dlsym(driver, "cuMemAlloc_v2");
	init(0);
	if (!strcmp(argv[1], "handler")) {
		calls = in_handler();
	} else if (!strcmp(argv[1], "unwound")) {
		calls = unwound(5);
		init(0);
	} else {
		unsigned long long at;
		int value;

		for (; calls < 10; calls++)
			count(&value);
		for (int i = 0; i < 7; i++)
			alloc(&at, (size_t)1 << 21);
	}
	printf("%ld\n", calls);
	return 0;
}
