/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of the fault hook: which calls, and what happens to them. */
#ifndef MODULES_FAULT_RULE_H
#define MODULES_FAULT_RULE_H

#include <cuaudit/call.h>
#include <stdbool.h>

#include "hooks/modules/fault/fault_condition.h"

enum { FAULT_CONDITIONS = 4 };

enum fault_answer {
	FAULT_NONE,
	FAULT_ERROR,	/* result, and the driver is not called */
	FAULT_RESULT	/* result in place of the driver's */
};

/* One whose fields are 0 takes no call. */
struct fault_rule {
	const char *text;	/* as it was given */
	const char *functions;
	const char *libraries;	/* globs, or NULL for all */
	int range;		/* a selector of NVTX ranges, -1: all calls */
	uint32_t number;	/* from 1 */
	enum fault_answer answer;
	int32_t result;
	uint64_t delay_enter;	/* ns */
	uint64_t delay_exit;
	uint64_t first;		/* numbers of calls, from 1 */
	uint64_t last;
	uint64_t step;
	uint64_t chance;	/* of FAULT_CERTAIN */
	uint64_t seed;
	uint32_t nconditions;
	struct fault_condition conditions[FAULT_CONDITIONS];
	_Atomic uint64_t matched __attribute__((aligned(64)));
	_Atomic uint64_t injected;
};

/*
 * Context: setup. Reads "SELECTOR:key=value:..."; copy is room for as much and
 * stays the rule's, as does text. 0, or -EINVAL after one message.
 */
int fault_rule_read(struct fault_rule *rule, uint32_t number, const char *text, char *copy);

/* Context: call. Counts the call if it is the rule's; its number where it is due, else 0. */
uint64_t fault_rule_due(struct fault_rule *rule, const struct cuaudit_call *call);

#endif
