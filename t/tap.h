/* SPDX-License-Identifier: Apache-2.0 */
/* TAP for test programs, C11 and C++: ok() and its kin, then `return done_testing();`. */
#ifndef T_TAP_H
#define T_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAP_PRINTF(text, first) __attribute__((format(printf, text, first), unused))

static struct {
	int planned, run, failed;
} tap;

static void tap_line(const char *start, const char *format, va_list list)
{
	fputs(start, stdout);
	vfprintf(stdout, format, list);
	putchar('\n');
	fflush(stdout);
}

/* A comment beside the results; one line. */
static TAP_PRINTF(1, 2) void diag(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	tap_line("# ", format, list);
	va_end(list);
}

/* The number of results to come; without it done_testing() says it at the end. */
static __attribute__((unused)) void plan(int n)
{
	tap.planned = n;
	printf("1..%d\n", n);
	fflush(stdout);
}

static __attribute__((unused)) bool tap_result(bool good, const char *format, va_list list)
{
	char start[32];

	tap.failed += !good;
	snprintf(start, sizeof(start), "%sok %d - ", good ? "" : "not ", ++tap.run);
	tap_line(start, format, list);
	return good;
}

#define TAP_RESULT(good)                                    \
	do {                                                \
		va_list list_;                              \
		va_start(list_, format);                    \
		tap_result(good, format, list_);            \
		va_end(list_);                              \
	} while (0)

/* Each returns whether it was good, so that a test can stop where going on is no use. */
static TAP_PRINTF(2, 3) bool ok(bool good, const char *format, ...)
{
	TAP_RESULT(good);
	return good;
}

static TAP_PRINTF(3, 4) bool is_int(long long got, long long want, const char *format, ...)
{
	TAP_RESULT(got == want);
	if (got != want)
		diag("got %lld, want %lld", got, want);
	return got == want;
}

static TAP_PRINTF(3, 4) bool is_ptr(const void *got, const void *want, const char *format, ...)
{
	TAP_RESULT(got == want);
	if (got != want)
		diag("got %p, want %p", got, want);
	return got == want;
}

static TAP_PRINTF(3, 4) bool is_str(const char *got, const char *want, const char *format, ...)
{
	bool good = got == want || (got && want && !strcmp(got, want));

	TAP_RESULT(good);
	if (!good)
		diag("got \"%s\", want \"%s\"", got ? got : "(null)", want ? want : "(null)");
	return good;
}

/* Results n tests would have had. */
static TAP_PRINTF(2, 3) void skip(int n, const char *format, ...)
{
	while (n-- > 0) {
		va_list list;
		char start[32];

		snprintf(start, sizeof(start), "ok %d # SKIP ", ++tap.run);
		va_start(list, format);
		tap_line(start, format, list);
		va_end(list);
	}
}

/* Ends the program; only before any plan and result. */
static TAP_PRINTF(1, 2) __attribute__((noreturn)) void skip_all(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	tap_line("1..0 # SKIP ", format, list);
	va_end(list);
	exit(0);
}

/* Ends the program and the whole suite's claim to have passed. */
static TAP_PRINTF(1, 2) __attribute__((noreturn)) void bail_out(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	tap_line("Bail out! ", format, list);
	va_end(list);
	exit(1);
}

/* main's result. */
static __attribute__((unused)) int done_testing(void)
{
	if (!tap.planned)
		plan(tap.run);
	else if (tap.planned != tap.run)
		diag("planned %d, ran %d", tap.planned, tap.run);
	if (tap.failed)
		diag("%d of %d failed", tap.failed, tap.run);
	return tap.failed || !tap.run || tap.planned != tap.run;
}

#endif
