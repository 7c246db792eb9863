/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses and calibrates the clock of the calls. Context: setup. */
#ifndef HOOKS_CLOCK_H
#define HOOKS_CLOCK_H

#include <time.h>

/* Context: call. As clock_gettime, and where a program must not read the processor's counter. */
int clock_read(clockid_t id, struct timespec *time);

/* Chooses the clock and calibrates it over half a millisecond. */
void clock_setup(void);

/* Again, over all the time since: before a report. */
void clock_calibrate(void);

#endif
