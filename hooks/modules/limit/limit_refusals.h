/* SPDX-License-Identifier: Apache-2.0 */
/* Which call sites were refused memory, the first refused first. */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_REFUSALS_H
#define HOOKS_MODULES_LIMIT_LIMIT_REFUSALS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <cuaudit/call.h>

struct refusal {
	const struct cuaudit_function *function;
	const struct cuaudit_library *library;
	const void *caller;
	uint64_t bytes;			/* of the first one */
	_Atomic uint64_t count;
	_Atomic bool ready;
};

/* Context: call, any thread. */
void refusals_count(const struct cuaudit_call *call, uint64_t bytes);

/* Context: setup. The index-th call site, with all that it was refused; NULL past the last. */
const struct refusal *refusals_get(uint32_t *index, uint64_t *count);

/* Of call sites there was no room for. */
uint64_t refusals_others(void);

/* Context: call, in the child of fork. */
void refusals_forked(void);

#endif
