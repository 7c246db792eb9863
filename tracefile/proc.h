/* SPDX-License-Identifier: Apache-2.0 */
/* Processes by their numbers: here, or in PID namespaces below this one. */
#ifndef TRACEFILE_PROC_H
#define TRACEFILE_PROC_H

#include <stdint.h>

/* When a process began, field 22 of /proc/PID/stat; 0: there is none, or it is dead. */
uint64_t trace_process_ticks(uint32_t pid);

/*
 * The number here of the first one that has pid there and runs; 0: none. start: the low bits of field 22 of
 * /proc/PID/stat, 0 for any; after: of those that are behind this number here.
 */
uint32_t trace_namespace_pid(uint32_t pid, uint32_t start, uint32_t after);

#endif
