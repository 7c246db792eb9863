/* SPDX-License-Identifier: Apache-2.0 */
/* export/nest.c: calls that come by their ends, by time and by what they are inside of. */
#include "export/nest.h"

#include <stdio.h>
#include <string.h>

#include "t/tap.h"

static char said[1 << 20];
static size_t length;
static uint64_t last;
static bool ordered, broken;

static int say(char kind, const struct trace_call *call, uint64_t ticks)
{
	ordered &= ticks >= last;
	last = ticks;
	broken |= call->size && memcmp(call->arguments, &call->correlation, 8);
	if (length < sizeof(said) - 32)
		length += (size_t)sprintf(said + length, "%c%llu ", kind,
					  (unsigned long long)call->correlation);
	return 0;
}

static int begin(struct convert *convert, const struct trace *trace,
		 const struct trace_call *call)
{
	(void)convert;
	(void)trace;
	return say('+', call, call->start);
}

static int end(struct convert *convert, const struct trace *trace, const struct trace_call *call)
{
	(void)convert;
	(void)trace;
	return say('-', call, call->end);
}

/* A call's name, and its parent's. */
static int take(struct convert *convert, const struct trace *trace, const struct trace_call *call,
		uint64_t parent, uint64_t *self)
{
	(void)convert;
	(void)trace;
	*self = call->correlation;
	say('<', call, last);
	if (length < sizeof(said) - 32)
		length += (size_t)sprintf(said + length - 1, "/%llu ",
					  (unsigned long long)parent) - 1;
	return 0;
}

static const struct nest_ops by_time = { .begin = begin, .end = end };
static const struct nest_ops backwards = { .take = take };
static struct nest nest = { .ops = &by_time };
static uint32_t thread;

static void give(uint64_t name, uint64_t from, uint64_t to, uint16_t depth, bool arguments)
{
	uint64_t bytes = name;
	const struct trace_call call = {
		.start = from, .end = to, .correlation = name, .depth = depth, .thread = thread,
		.arguments = arguments ? (const uint8_t *)&bytes : NULL,
		.size = arguments ? 8 : 0 };

	nest_call(&nest, NULL, NULL, &call);
	bytes = 0;
}

static void start(void)
{
	length = 0;
	said[0] = '\0';
	last = 0;
	ordered = true;
	broken = false;
}

static bool is_said(const char *text)
{
	nest_flush(&nest, NULL, NULL);
	if (strcmp(said, text))
		diag("said %s", said);
	return ordered && !broken && !strcmp(said, text);
}

int main(void)
{
	start();
	give(1, 10, 20, 0, true);
	ok(!strcmp(said, "+1 -1 "), "a call alone is not held");
	give(2, 20, 30, 0, false);
	ok(is_said("+1 -1 +2 -2 "), "calls one after the other");

	start();
	give(3, 12, 14, 2, true);
	give(2, 11, 15, 1, true);
	give(4, 16, 18, 1, true);
	ok(!length, "inner calls are held");
	give(1, 10, 20, 0, true);
	give(5, 20, 21, 0, true);
	ok(is_said("+1 +2 +3 -3 -2 +4 -4 -1 +5 -5 "), "inner calls are within their outer one");

	start();
	give(2, 10, 14, 1, true);
	give(1, 10, 14, 0, true);
	ok(is_said("+1 +2 -2 -1 "), "... of the same times too");

	start();
	give(2, 10, 12, 1, true);
	give(3, 12, 14, 1, true);
	give(1, 10, 20, 0, true);
	ok(is_said("+1 +2 -2 +3 -3 -1 "), "... that begin with it, or when another one ends");

	start();
	give(1, 10, 11, 1, true);
	give(2, 12, 13, 1, true);
	ok(is_said("+1 -1 +2 -2 "), "inner calls whose outer one did not end");

	start();
	for (uint64_t i = 0; i < NEST_CALLS; i++)
		give(i, 10 + 2 * i, 11 + 2 * i, 1, false);
	ok(length && ordered && !nest.count, "as many as are held, and no more");

	nest.ops = &backwards;
	start();
	give(1, 10, 20, 0, true);
	ok(!strcmp(said, "<1/0 "), "parents: a call alone has none, and is not held");
	give(4, 32, 34, 2, true);
	give(3, 31, 35, 1, true);
	give(5, 36, 38, 1, true);
	ok(!strcmp(said, "<1/0 "), "... inner calls are held");
	give(2, 30, 40, 0, true);
	ok(is_said("<1/0 <2/0 <5/2 <3/2 <4/3 "), "... and come after their outer one, backwards");

	start();
	give(2, 31, 34, 2, true);
	give(1, 30, 40, 0, true);
	ok(is_said("<1/0 <2/1 "), "... those of a call that is not there are their next outer one's");

	start();
	give(2, 30, 34, 1, true);
	give(1, 30, 40, 0, true);
	ok(is_said("<1/0 <2/1 "), "... that begins with it");

	start();
	give(2, 10, 12, 1, true);
	give(1, 20, 30, 0, true);
	ok(is_said("<1/0 <2/0 "), "... but of none that began after them");

	start();
	give(2, 31, 34, 1, true);
	thread++;
	give(1, 30, 40, 0, true);
	ok(is_said("<2/0 <1/0 "), "... nor of another thread's");

	start();
	for (uint64_t i = 1; i < NEST_TAKEN; i++)
		give(i, 10 + 2 * i, 11 + 2 * i, 1, false);
	ok(!length, "... as many as are held");
	give(NEST_TAKEN, 10, 11, 1, false);
	ok(length && !nest.count, "... and no more");
	nest_free(&nest);
	return done_testing();
}
