/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the records of ranges, see cuaudit-trace(5). */
#ifndef HOOKS_MODULES_TRACE_TRACE_RANGE_RECORD_H
#define HOOKS_MODULES_TRACE_TRACE_RANGE_RECORD_H

#include <cuaudit/range.h>

#include "hooks/modules/trace/trace_writer.h"

/* Context: setup. Ranges are wanted. */
void trace_range_want(void);

/* Context: call. Writes an event where the writer has room, and ends the chunk there. */
void trace_range_record(struct trace_writer *writer, const struct cuaudit_range *range);

/*
 * Context: call. The thread's open ranges, where what is written begins anew. False: there is no
 * room for them, and nothing was written.
 */
bool trace_range_begin(struct trace_writer *writer, const struct cuaudit_call *call);

/* Context: call. Whether the program has given names that are not described yet; describes them. */
bool trace_range_has_names(void);
void trace_range_names(void);

/* Context: call, not locked. The names that no event of a range has brought into the file. */
void trace_range_rest(void);

/* Context: call. An event that the file has no room for. */
void trace_range_lost(void);

/* Context: call. The file's counters are those of now. */
void trace_range_count(void);

/* Context: call, in the child of fork, locked. */
void trace_range_forked(void);

#endif
