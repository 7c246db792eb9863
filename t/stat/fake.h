/* SPDX-License-Identifier: Apache-2.0 */
/* A core of a few lines, for tests of the stat module alone. */
#ifndef T_STAT_FAKE_H
#define T_STAT_FAKE_H

#include <cuaudit/hook.h>

enum { FAKE_FUNCTIONS = 24, FAKE_LIBRARIES = 4, FAKE_QUERY = 23 };

extern const struct cuaudit_function fake_functions[FAKE_FUNCTIONS];
extern const struct cuaudit_library fake_libraries[FAKE_LIBRARIES];

/* What CUAUDIT_OUTPUT would be, "" for none. */
extern char fake_output[4096];

/* The coverage functions have something to say. */
extern int fake_escapes;

/* The process's number in its job. */
extern int fake_rank;

/* What the module has the process end with, -1 for its own status. */
extern int fake_status;

/* "key=value;key=value", as in CUAUDIT_HOOKS. Returns init's answer. */
int fake_start(const struct cuaudit_module *module, const char *options);

/* One call with this result; during, if not NULL, runs in place of the driver. */
void fake_call(uint32_t function, uint32_t library, int32_t result, void (*during)(void));

void fake_finish(void);

/* fork, with what the core does in the child. */
int fake_fork(void);

#endif
