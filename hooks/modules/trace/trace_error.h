/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver says of errors, in a trace. */
#ifndef HOOKS_MODULES_TRACE_TRACE_ERROR_H
#define HOOKS_MODULES_TRACE_TRACE_ERROR_H

#include "hooks/modules/trace/trace_writer.h"

/* Context: call. Describes what the driver said of a call that failed, if it did. */
void trace_error(const struct trace_writer *writer, const struct cuaudit_call *call);

/* Context: call, in the child of fork. */
void trace_error_forked(void);

#endif
