/* SPDX-License-Identifier: Apache-2.0 */
/* Whether what is not understood ends the process: CUAUDIT_STRICT. */
#include "hooks/strict.h"

#include <cuaudit/hook.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hooks/core_link.h"
#include "util/text.h"

enum { STATUS = 85, TEXT = 960 };	/* a line with what comes before it */

static const char *setting(void)
{
	return cuaudit_core_link->environment.strict;
}

bool strict_checks(void)
{
	return !strcmp(setting(), "check");
}

bool strict_stops(bool enforces)
{
	return strict_checks() || !strcmp(setting(), "1") || (enforces && strcmp(setting(), "0"));
}

void strict_left_out(void)
{
	if (cuaudit_core_link->leave_unchecked)
		cuaudit_core_link->leave_unchecked();
}

/*
 * At once, with no destructor and nothing flushed: this is the loader's lock,
 * perhaps a signal handler, and stdio's locks may be anybody's.
 */
void strict_stop(void)
{
	strict_left_out();
	_exit(STATUS);
}

/* Always, as all lines of such a process: who asked reads them. */
void strict_list(const char *format, ...)
{
	char text[TEXT];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (length >= TEXT)
		text_cut(text, sizeof(text));
	if (length >= 0)
		cuaudit_log(CUAUDIT_ERROR, "CUAUDIT_STRICT=check: %s", text);
}

void strict_pass(void)
{
	/* Who asked knows by this line that it was not somebody's _exit(0). */
	strict_left_out();
	strict_list("the settings are understood, and the process ends here");
	_exit(0);
}

void strict_fault(bool enforces, const char *instead, const char *format, ...)
{
	char text[TEXT];
	va_list arguments;

	va_start(arguments, format);
	if (vsnprintf(text, sizeof(text), format, arguments) < 0)
		text[0] = '\0';
	va_end(arguments);
	if (!strict_stops(enforces)) {
		cuaudit_log(CUAUDIT_WARN, "%s%s", text, instead);
		return;
	}
	cuaudit_log(CUAUDIT_ERROR, "%s", text);
	strict_stop();
}
