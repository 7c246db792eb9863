/* SPDX-License-Identifier: Apache-2.0 */
/* Whether what is not understood ends the process: CUAUDIT_STRICT. Context: setup. */
#ifndef HOOKS_STRICT_H
#define HOOKS_STRICT_H

#include <stdbool.h>

/* enforces: it is of a module that enforces something, as limit does. */
bool strict_stops(bool enforces);

/* Nothing is started: the settings are judged for cuaudit run. */
bool strict_checks(void);

/* Ends the process; what is wrong has been reported. */
_Noreturn void strict_stop(void);

/* What enforces something does not start, and the process goes on: cuaudit check is told. */
void strict_left_out(void);

/* A line of a process that only judges: what a setting was understood as. */
__attribute__((format(printf, 1, 2)))
void strict_list(const char *format, ...);

/* Ends a process that only judges, with nothing wrong. */
_Noreturn void strict_pass(void);

/*
 * Reports what is wrong and ends the process; or, where it goes on, reports it
 * with what happens instead, "; it is left out", as a warning.
 */
__attribute__((format(printf, 3, 4)))
void strict_fault(bool enforces, const char *instead, const char *format, ...);

#endif
