/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses and calibrates the clock of the calls. Context: setup. */
#ifndef HOOKS_CLOCK_H
#define HOOKS_CLOCK_H

/* Chooses the clock and calibrates it over half a millisecond. */
void clock_setup(void);

/* Again, over all the time since: before a report. */
void clock_calibrate(void);

/* In a child of fork, which may be in another time namespace: over all the time since then. */
void clock_forked(void);

#endif
