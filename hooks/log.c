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
	char line[1024];
	int error = errno, used;
	va_list arguments;

	if ((level > threshold && !(raised && level <= CUAUDIT_WARN)) ||
	    !cuaudit_core_link->may_say())
		return;
	memcpy(line, prefix, sizeof(prefix));
	va_start(arguments, format);
	used = vsnprintf(line + sizeof(prefix) - 1, sizeof(line) - sizeof(prefix), format, arguments);
	va_end(arguments);
	if (used < 0)
		used = 0;
	used += (int)sizeof(prefix) - 1;
	if (used > (int)sizeof(line) - 1)
		used = sizeof(line) - 1;
	/* What came from outside may hold anything; a message is one line. */
	for (int i = 0; i < used; i++)
		if ((unsigned char)line[i] < ' ' || line[i] == 127)
			line[i] = '?';
	line[used++] = '\n';
	if (io_write(STDERR_FILENO, line, (size_t)used, patience))
		atomic_fetch_add_explicit(&unsaid, 1, memory_order_relaxed);
	errno = error;
}
