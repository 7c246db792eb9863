/* SPDX-License-Identifier: Apache-2.0 */
/* What the fault hook says it did. */
#ifndef MODULES_FAULT_LOG_H
#define MODULES_FAULT_LOG_H

#include <cuaudit/call.h>

#include "hooks/modules/fault/fault_rule.h"

/* Context: setup. At most lines injections are reported; the summary always is. json: a line each is an object. */
void fault_log_setup(uint64_t lines, bool json);

/* Context: call. Tells of an injection; driver: its own result, for FAULT_RESULT. */
void fault_log_injection(const struct fault_rule *rule, const struct cuaudit_call *call,
			 uint64_t number, enum fault_answer answer, int32_t driver);

/* Context: setup. How many calls of a rule there were, and how many were injected. */
void fault_log_summary(const struct fault_rule *rule);

/* Context: call, in the child of fork. */
void fault_log_forked(void);

#endif
