/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the system's clocks. Context: any. */
#ifndef HOOKS_CLOCK_READ_H
#define HOOKS_CLOCK_READ_H

#include <stdbool.h>
#include <time.h>

/* The program must not read the processor's counter: prctl(PR_SET_TSC). Set by setup. */
extern bool clock_read_by_kernel;

/*
 * As clock_gettime of libc, wherever the program may not read that counter. One that the program,
 * or a library such as libfaketime, has in its place tells another time, or stands still.
 */
int clock_read(clockid_t id, struct timespec *time);

/* Context: setup, before any clock is read. */
void clock_read_setup(void);

#endif
