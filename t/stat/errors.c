/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that fail: a few results, or so many that not all can have a record. */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t/trace/driver.h"

static word address;

static int allocate(void *unused)
{
	(void)unused;
	return cuMemAlloc_v2(&address, 8);
}

static void fail(int (*call)(void *), int result, int times)
{
	trace_answer = result;
	while (times--)
		call(NULL);
	trace_answer = 0;
}

static int release(void *unused)
{
	(void)unused;
	return cuMemFree_v2(5);
}

static int query(void *unused)
{
	(void)unused;
	return cuEventQuery(7);
}

static void *on_thread(void *unused)
{
	fail(allocate, 2, 1);
	return unused;
}

static void in_library(void)
{
	void *library = dlopen("library.so", RTLD_NOW);
	void (*call)(int (*)(void *), long) = (void (*)(int (*)(void *), long))dlsym(library, "library_call");

	/* The call is the library's own. */
	trace_answer = 2;
	call((int (*)(void *))dlsym(RTLD_DEFAULT, "cuMemAlloc_v2"), 2);
	trace_answer = 0;
}

static void many(void)
{
	/* Each of more results than a function has records, the first the most often. */
	for (int result = 1; result <= 200; result++)
		fail(allocate, 10000 + result, result == 1 ? 50 : 1);
	for (int i = 0; i < 3; i++)
		fail(allocate, 10150, 1);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	cuInit(0);
	if (argc > 1 && !strcmp(argv[1], "many")) {
		many();
		return 0;
	}
	allocate(NULL);
	fail(allocate, 2, 3);
	fail(allocate, 1, 1);
	fail(allocate, -7, 1);
	fail(release, 1, 4);
	fail(query, 600, argc > 1 && !strcmp(argv[1], "polls") ? 9 : 5);
	fail(query, 999, 2);
	pthread_create(&thread, NULL, on_thread, NULL);
	pthread_join(thread, NULL);
	in_library();
	if (argc > 1 && !strcmp(argv[1], "fork")) {
		if (!fork()) {
			fail(allocate, 3, 6);
			/* The parent had it. */
			fail(allocate, 2, 10);
			return 0;
		}
		wait(NULL);
	}
	return 0;
}
