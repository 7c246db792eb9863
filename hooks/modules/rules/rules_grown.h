/* SPDX-License-Identifier: Apache-2.0 */
/* Which calls allocated what is left at the end of a range. */
#ifndef HOOKS_MODULES_RULES_RULES_GROWN_H
#define HOOKS_MODULES_RULES_RULES_GROWN_H

#include <cuaudit/call.h>
#include <cuaudit/params.h>

#include "analysis/check_record.h"

enum { RULES_GROWN_CALL = 512 };

/* A call that allocated device memory. */
struct rules_grown {
	uint64_t number;	/* of all that were kept; 0: there is none */
	uint64_t handle;
	const struct cuaudit_function *function;
	uint32_t nframes;
	struct cuaudit_stack_frame frames[CHECK_FRAMES];
	char text[RULES_GROWN_CALL];
};

/* Context: call. One range more is open, by 1, or one less, by -1. How many calls were kept before. */
uint64_t rules_grown_range(int by);

/* Context: call, of exit hooks. Keeps a call that allocated while a range is open. */
void rules_grown_add(const struct cuaudit_call *call);

/* Context: call. The last call since then of which the memory is there still, if it was kept. */
void rules_grown_last(uint64_t since, struct rules_grown *grown);

/* Context: call, in the child of fork. */
void rules_grown_forked(void);

#endif
