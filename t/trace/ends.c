/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that call from ever new call sites while the process ends.
 *
 * ends HOW THREADS CALLS: once CALLS were made, the main thread ends by return,
 * exit, quick_exit, _exit, thread (pthread_exit; the others end then), callback
 * (exit within a driver call), child (of fork, by return) or idle (pthread_exit
 * of a main thread that never called, long before the others end).
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 1 << 20, STEP = 128 };

typedef int (*call_fn)(int *value);
typedef int (*site_fn)(call_fn function, int *value);

static call_fn version;
static int (*launch)(void *stream, void (*function)(void *), void *data);
static _Atomic long calls;
static _Atomic int over;

/* Copied, each copy is a call site. */
__attribute__((noinline, noclone, aligned(STEP)))
static int site(call_fn function, int *value)
{
	int result = function(value);

	__asm__ volatile("" : "+r"(result));
	return result;
}

static void begin(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned int) = driver ? (int (*)(unsigned int))dlsym(driver, "cuInit") : NULL;

	if (!init || init(0))
		exit(77);
	version = (call_fn)dlsym(driver, "cuDriverGetVersion");
	launch = (int (*)(void *, void (*)(void *), void *))dlsym(driver, "cuLaunchHostFunc");
}

static void *call(void *unused)
{
	int value;

	while (!over) {
		char *at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (at == MAP_FAILED)
			exit(78);
		for (size_t i = 0; i < SIZE && !over; i += STEP) {
			memcpy(at + i, (const void *)site, STEP);
			__builtin___clear_cache(at + i, at + i + STEP);
			((site_fn)(void *)(at + i))(version, &value);
			calls++;
		}
	}
	return unused;
}

static void leave(void *unused)
{
	(void)unused;
	exit(0);
}

static void *idle(void *unused)
{
	struct timespec wait = { 0, 700000000 };
	int value;

	begin();
	version(&value);
	nanosleep(&wait, NULL);
	version(&value);
	return unused;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	long threads = argc > 2 ? atol(argv[2]) : 1, enough = argc > 3 ? atol(argv[3]) : 0;
	pthread_t id;
	int status;

	if (!strcmp(how, "idle")) {
		pthread_create(&id, NULL, idle, NULL);
		pthread_exit(NULL);
	}
	begin();
	if (!strcmp(how, "child")) {
		pid_t child = fork();

		if (child) {
			waitpid(child, &status, 0);
			return status != 0;
		}
	}
	while (threads-- > 0)
		if (pthread_create(&id, NULL, call, NULL))
			return 77;
	while (calls < enough)
		;
	if (!strcmp(how, "exit"))
		exit(0);
	if (!strcmp(how, "quick_exit"))
		quick_exit(0);
	if (!strcmp(how, "_exit"))
		_exit(0);
	if (!strcmp(how, "callback"))
		launch(NULL, leave, NULL);
	if (!strcmp(how, "thread")) {
		over = 1;
		pthread_exit(NULL);
	}
	return 0;
}
