/* SPDX-License-Identifier: Apache-2.0 */
/* How the process of a trace ended, as far as anybody knows. */
#include "trace/ending.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The number may be another process's by now, and exec leaves it to another program. */
static bool runs(const struct cuaudit_trace_header *header)
{
	char path[32], program[sizeof(header->program)];
	ssize_t length;

	if (!header->pid || header->pid > INT32_MAX ||
	    (kill((pid_t)header->pid, 0) && errno != EPERM))
		return false;
	snprintf(path, sizeof(path), "/proc/%u/exe", header->pid);
	length = readlink(path, program, sizeof(program) - 1);
	if (length < 0)
		return errno != ENOENT && errno != ESRCH;
	program[length] = '\0';
	return !strncmp(program, header->program, strlen(program) < sizeof(program) - 1 ?
			sizeof(program) : sizeof(program) - sizeof("..."));
}

const char *trace_ending_name(const struct cuaudit_trace_header *header)
{
	if (header->flags & CUAUDIT_TRACE_FINISHED)
		return "exit";
	return header->ending == CUAUDIT_TRACE_BY_QUIT ? "_exit" : NULL;
}

/* What exit() was called with is the status only if nothing else ended the process meanwhile. */
int trace_status(const struct cuaudit_trace_header *header)
{
	bool known = header->ending == CUAUDIT_TRACE_BY_QUIT ||
		     (header->ending == CUAUDIT_TRACE_BY_EXIT &&
		      header->flags & CUAUDIT_TRACE_FINISHED);

	return known && header->status <= UINT8_MAX ? (int)header->status : -1;
}

enum trace_ending trace_ending(const struct cuaudit_trace_header *header)
{
	bool quit = header->ending == CUAUDIT_TRACE_BY_QUIT;
	char host[sizeof(header->host)] = "";

	if (header->flags & CUAUDIT_TRACE_FINISHED)
		return TRACE_ENDED;
	if (gethostname(host, sizeof(host) - 1) || strcmp(host, header->host) != 0)
		return quit ? TRACE_QUIT : TRACE_NOT_ENDED;
	if (runs(header))
		return TRACE_RUNS;
	return quit ? TRACE_QUIT : TRACE_ENDED_OTHERWISE;
}

const char *trace_ending_text(enum trace_ending ending)
{
	static const char *const texts[TRACE_ENDINGS] = {
		[TRACE_ENDED] = "ended",
		[TRACE_QUIT] = "ended by _exit",
		[TRACE_RUNS] = "still running",
		[TRACE_ENDED_OTHERWISE] = "ended by _exit, exec or a signal",
		[TRACE_NOT_ENDED] = "ended by _exit, exec or a signal, or still running",
	};

	return texts[ending];
}
