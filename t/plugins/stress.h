/* SPDX-License-Identifier: Apache-2.0 */
/* What the stress test calls: driver functions, through the auditor or without one. */
#ifndef T_PLUGINS_STRESS_H
#define T_PLUGINS_STRESS_H

enum { STRESS_FUNCTIONS = 3 };

/* Selectors of each of the functions alone, and of all. */
extern const char *const stress_names[STRESS_FUNCTIONS + 1];

/* Loads the core. */
void stress_start(void);

/* Calls a function; 0, or what was wrong with it. Any thread. */
int stress_call(int function);

/* How many of its calls arrived. */
long stress_arrived(int function);

#endif
