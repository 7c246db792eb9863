/* SPDX-License-Identifier: Apache-2.0 */
/* convert/nest.c: calls that come by their ends, as beginnings and ends by time. */
#include "convert/nest.h"

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

static int begin(void *data, const struct trace_call *call)
{
	(void)data;
	return say('+', call, call->start);
}

static int end(void *data, const struct trace_call *call)
{
	(void)data;
	return say('-', call, call->end);
}

static const struct nest_ops ops = { begin, end };
static struct nest nest = { .ops = &ops };

static void give(uint64_t name, uint64_t from, uint64_t to, uint16_t depth, bool arguments)
{
	uint64_t bytes = name;
	const struct trace_call call = {
		.start = from, .end = to, .correlation = name, .depth = depth,
		.arguments = arguments ? (const uint8_t *)&bytes : NULL,
		.size = arguments ? 8 : 0 };

	nest_call(&nest, &call);
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
	nest_flush(&nest);
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
	give(1, 10, 11, 1, true);
	give(2, 12, 13, 1, true);
	ok(is_said("+1 -1 +2 -2 "), "inner calls whose outer one did not end");

	start();
	for (uint64_t i = 0; i < NEST_CALLS; i++)
		give(i, 10 + 2 * i, 11 + 2 * i, 1, false);
	ok(length && ordered && !nest.count, "as many as are held, and no more");
	nest_free(&nest);
	return done_testing();
}
