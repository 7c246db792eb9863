/* SPDX-License-Identifier: Apache-2.0 */
/* Messages on stderr, by one write each. */
#include "hooks/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hooks/core.h"
#include "names/text.h"
#include "report/io.h"

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

void cuaudit_log(enum cuaudit_level level, const char *format, ...)
{
	static const char prefix[] = "cuaudit: ";
	char text[1024], line[1024];
	int error = errno, length;
	size_t used = sizeof(prefix) - 1;
	va_list arguments;

	if ((level > threshold && !(raised && level <= CUAUDIT_WARN)) ||
	    !cuaudit_core_link->may_say())
		return;
	memcpy(line, prefix, sizeof(prefix));
	va_start(arguments, format);
	length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	/* What came from outside may hold anything; a message is one line. */
	if (length > 0)
		used += text_print(line + used, sizeof(line) - used, text, strlen(text));
	line[used++] = '\n';
	if (io_write(STDERR_FILENO, line, used, patience))
		atomic_fetch_add_explicit(&unsaid, 1, memory_order_relaxed);
	errno = error;
}
