/* SPDX-License-Identifier: Apache-2.0 */
/* A core of a few lines, for tests of the leak module alone. */
#ifndef T_LEAK_CORE_H
#define T_LEAK_CORE_H

#include <cuaudit/api.h>
#include <cuaudit/hook.h>

enum { CORE_WORDS = 16 };

/* One call, and what the driver does in it. */
struct core_call {
	int id;
	int32_t result;
	const void *caller;
	uint64_t words[CORE_WORDS];
	void (*driver)(struct core_call *call);
};

/* Starts the module; "key=value;key=value" as in CUAUDIT_HOOKS. init's answer. */
int core_start(const struct cuaudit_module *module, const char *options);

/* Runs the hooks around the driver. Returns the result. */
int32_t core_run(struct core_call *call);

/* core_run with words, from an address that is the function's. */
#define core_do(function, answer, ...) \
	core_run(&(struct core_call){ .id = CUAUDIT_ID_##function, .result = (answer), \
				      .caller = (const void *)(16 + CUAUDIT_ID_##function), \
				      .words = { __VA_ARGS__ } })

extern const struct cuaudit_library core_library;

/* How often the module has said something. */
extern int core_said;

/* What it asked the process to end with, -1 if nothing. */
extern int core_end;

/* The context that is current, as the driver would say. */
extern __thread uint64_t core_context;

/* The function of a row, NULL past the last. */
const struct cuaudit_function *core_function(int id);

#endif
