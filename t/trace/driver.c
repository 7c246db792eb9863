/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that answers what it is told, see t/trace/driver.h. */
#include "t/trace/driver.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

__thread int trace_answer;
__thread uint64_t trace_ns;
__thread word trace_launch[TRACE_WORDS];
const word *trace_out;
const char *trace_kernel = "first";
int trace_nameless, trace_hangs;
word trace_nodes = 2;
unsigned int trace_us;
void (*trace_back)(void);

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

enum { CALLBACKS = 4 };

static struct trace_callback {
	void (*call)(void *data, int level, char *text, size_t length);
	void *data;
} callbacks[CALLBACKS];
static _Atomic int ncallbacks;
const char *const *trace_says;

static int answer(void)
{
	uint64_t end = trace_ns ? now() + trace_ns : 0;

	while (trace_ns && now() < end)
		;
	/* Not ended by a NUL, so that one who counts on it reads on. */
	for (const char *const *at = trace_says; trace_answer && at && *at; at++)
		for (int i = 0; i < ncallbacks; i++) {
			char *text = strdup(*at);
			size_t length = strlen(text);

			text[length] = '!';
			callbacks[i].call(callbacks[i].data, 0, text, length);
			text[length] = '\0';
			free(text);
		}
	return trace_answer;
}

static void linger(void)
{
	if (trace_us)
		usleep(trace_us);
	if (trace_back)
		trace_back();
}

static __attribute__((unused)) const char *name_of(void *function)
{
	static char text[32];

	snprintf(text, sizeof(text), "kernel%llx", (unsigned long long)function);
	return text;
}

#define UNUSED(name) (void)(name)
#define OUT(i, otherwise) (trace_out ? trace_out[i] : (word)(otherwise))
#define SET(pointer, i, otherwise) \
	do { \
		if (pointer) \
			*(pointer) = (__typeof__(*(pointer)))OUT(i, otherwise); \
	} while (0)

#define CALL(name, parameters, body) \
	int name parameters \
	{ \
		int answered = answer(); \
\
		if (!answered) { \
			body; \
		} \
		return answered; \
	}
#define HANDLE(name) CALL(name, (word handle), UNUSED(handle))
#include "t/trace/driver.def"
