/* SPDX-License-Identifier: Apache-2.0 */
/* Whether processes that were started here still run, by what /proc tells. */
#ifndef TOOLS_PROCESS_H
#define TOOLS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Whether the process of that pid, here or in a PID namespace below, runs, and began then: field 22 of
 * /proc/PID/stat; see trace_processes_known.
 */
bool process_runs(uint32_t pid, uint64_t start);

/* Processes that were started with this text in their environment, or hide it and may have been started below this one. */
size_t process_count(const char *environment);

/* One of those that process_count has last taken for one though it hides its environment; 0: there was none. */
unsigned long process_hidden(void);

/*
 * Whether one of that pid, here or in a PID namespace below, runs that was started with this text in its
 * environment, or whose environment cannot be read.
 */
bool process_may_have(uint32_t pid, const char *environment);

/* Another number for each program that a process executes, and each process; 0: there is none. */
uint64_t process_image(const char *pid);

enum process_text { PROCESS_ENVIRONMENT, PROCESS_MAPS };

/* Whether a process has the text in its environment when it started, or its list of mappings. */
bool process_has(const char *pid, enum process_text where, const char *text);

#endif
