/* SPDX-License-Identifier: Apache-2.0 */
/* How the process of a trace ended, as far as anybody knows. */
#include "tracefile/ending.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tracefile/proc.h"

enum { SECOND = 1000000000 };

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

bool trace_processes_known(void)
{
	return !access("/proc/self/stat", R_OK);
}

/* A process that began at these ticks after boot did so before the trace, as the clock stands now. */
static bool began_before(const struct cuaudit_trace_header *header, uint64_t ticks)
{
	uint64_t boot = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME);

	return boot + ticks * SECOND / (uint64_t)sysconf(_SC_CLK_TCK) <= header->start_ns + SECOND;
}

/* exec leaves the number to another program. */
static bool is_program(const struct cuaudit_trace_header *header)
{
	static const char gone[] = " (deleted)";
	char path[32], program[sizeof(header->program) + sizeof(gone)], *end;
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%u/exe", header->pid);
	length = readlink(path, program, sizeof(program) - 1);
	if (length < 0)
		return errno != ENOENT && errno != ESRCH;
	program[length] = '\0';
	end = program + length - (sizeof(gone) - 1);
	if (end > program && !strcmp(end, gone))
		*end = '\0';
	/* One that is longer ends with "..." in the header. */
	return !strncmp(program, header->program, strlen(program) < sizeof(header->program) - 1 ?
			sizeof(header->program) : sizeof(header->program) - sizeof("..."));
}

/*
 * Another process of its number would have begun after the trace did. Where the ticks are those that were
 * recorded, the clock may have been set since; a time namespace has others for the same process.
 */
static bool runs(const struct cuaudit_trace_header *header)
{
	uint64_t ticks = trace_process_ticks(header->pid);

	return (ticks && ((uint32_t)ticks == header->process_start || began_before(header, ticks)) &&
		is_program(header)) ||
	       (header->process_start && trace_namespace_pid(header->pid, header->process_start, 0));
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
	if (quit)
		return TRACE_QUIT;
	return trace_processes_known() ? TRACE_ENDED_OTHERWISE : TRACE_NOT_ENDED;
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
