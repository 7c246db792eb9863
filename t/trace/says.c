/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that fail, of which the driver says this and that. "own": the program listens, and calls meanwhile. */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t/trace/driver.h"

static word address;
static __thread int inside;
static int heard;

static void fail(int result, const char *const *says, int times)
{
	trace_answer = result;
	trace_says = says;
	while (times--)
		cuMemAlloc_v2(&address, (word)result);
	trace_answer = 0;
	trace_says = NULL;
}

/* Fails in turn, with a text of its own. */
static void listen(void *data, int level, char *text, size_t length)
{
	static const char *const inner[] = { "inner words", NULL };
	const char *const *saved = trace_says;
	int answer = trace_answer;

	heard += data == &heard && !level && length == strlen("outer words") &&
		 !memcmp(text, "outer words", length);
	if (inside++)
		return;
	trace_answer = 77;
	trace_says = inner;
	cuMemFree_v2(5);
	trace_answer = answer;
	trace_says = saved;
	inside = 0;
}

static void *on_thread(void *unused)
{
	static const char *const says[] = { "of the thread", NULL };

	fail(9, says, 1);
	return unused;
}

int main(int argc, char **argv)
{
	static char large[70000];
	static const char *const one[] = { "one line", "Returning 1 (CUDA_ERROR_INVALID_VALUE) from cuMemAlloc_v2", NULL };
	static const char *const known[] = { "Returning 1 (CUDA_ERROR_INVALID_VALUE) from cuMemAlloc_v2", NULL };
	static const char *const several[] = { "first", "second", "third", "", "fourth", "fifth", NULL };
	static const char *const evil[] = { "\033[31mred\nnew line \xff\xfe %n%s \"quoted\" \\", NULL };
	static const char *const empty[] = { "", NULL };
	static const char *const outer[] = { "outer words", NULL };
	const char *const huge[] = { large, large, large, large, large, NULL };
	pthread_t thread;
	void *handle;

	memset(large, 'L', sizeof(large) - 1);
	cuInit(0);
	if (argc > 1 && !strcmp(argv[1], "own")) {
		cuLogsRegisterCallback((void *)listen, &heard, &handle);
		fail(4, outer, 1);
		printf("heard %d\n", heard);
		return 0;
	}
	fail(1, one, 1);
	fail(2, known, 1);
	fail(3, several, 1);
	fail(4, evil, 1);
	fail(5, empty, 1);
	fail(6, huge, 1);
	fail(7, NULL, 1);
	cuMemFree_v2(1);
	pthread_create(&thread, NULL, on_thread, NULL);
	pthread_join(thread, NULL);
	fail(8, one, 100);
	return 0;
}
