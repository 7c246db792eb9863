/* SPDX-License-Identifier: Apache-2.0 */
/* Messages on stderr, by one write each. */
#include "hooks/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hooks/core_link.h"
#include "util/io.h"
#include "util/text.h"

static const char *const names[] = {
	[CUAUDIT_ERROR] = "error",
	[CUAUDIT_WARN] = "warn",
	[CUAUDIT_INFO] = "info",
	[CUAUDIT_DETAIL] = "debug",
};

static enum cuaudit_level threshold = CUAUDIT_WARN;
static int patience = IO_MESSAGE;
static _Atomic uint32_t unsaid;
static bool raised;

void log_setup(void)
{
	for (unsigned int i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(cuaudit_core_link->environment.log, names[i]))
			threshold = i;
}

void log_finish(void)
{
	patience = IO_REPORT;
}

void log_close(void)
{
	uint32_t count = atomic_exchange_explicit(&unsaid, 0, memory_order_relaxed);

	if (count)
		cuaudit_log(CUAUDIT_WARN, "messages that could not be written: %u", count);
}

void log_raise(bool is)
{
	raised = is;
}

/* A text alone goes without printf, which takes more than a kilobyte of the stack. */
static bool format_text(char *text, size_t room, const char *format, va_list arguments)
{
	const char *alone;

	if (strcmp(format, "%s") != 0)
		return vsnprintf(text, room, format, arguments) >= 0;
	alone = va_arg(arguments, const char *);
	text[0] = '\0';
	strncat(text, alone ? alone : "(null)", room - 1);
	return true;
}

/* As text_print, within room bytes: a call on a signal's stack has none for a second line. */
static size_t make_printable(char *text, size_t length, size_t room)
{
	const size_t size = sizeof(TEXT_REPLACEMENT) - 1;

	for (size_t at = 0; at < length;) {
		struct text_character next = text_next(text + at, length - at);
		size_t rest = length - at - next.length;

		if (text_prints(next)) {
			at += next.length;
			continue;
		}
		if (size > room - at)
			return at;
		if (rest > room - at - size)
			rest = room - at - size;
		memmove(text + at + size, text + at + next.length, rest);
		memcpy(text + at, TEXT_REPLACEMENT, size);
		at += size;
		length = at + rest;
	}
	return length;
}

void cuaudit_log(enum cuaudit_level level, const char *format, ...)
{
	static const char prefix[] = "cuaudit: ";
	char line[1024], *text = line + sizeof(prefix) - 1;
	const size_t room = sizeof(line) - sizeof(prefix);
	int error = errno;
	size_t used;
	bool good;
	va_list arguments;

	if ((level > threshold && !(raised && level <= CUAUDIT_WARN)) ||
	    !cuaudit_core_link->stderr_usable())
		return;
	memcpy(line, prefix, sizeof(prefix));
	va_start(arguments, format);
	good = format_text(text, room, format, arguments);
	va_end(arguments);
	/* What came from outside may hold anything; a message is one line. */
	used = good ? make_printable(text, strlen(text), room) : 0;
	text[used++] = '\n';
	if (io_write(STDERR_FILENO, line, sizeof(prefix) - 1 + used, patience))
		atomic_fetch_add_explicit(&unsaid, 1, memory_order_relaxed);
	errno = error;
}
