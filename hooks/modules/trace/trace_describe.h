/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptions of a trace: what its numbers stand for. */
#ifndef HOOKS_MODULES_TRACE_TRACE_DESCRIBE_H
#define HOOKS_MODULES_TRACE_TRACE_DESCRIBE_H

#include <stdbool.h>
#include <stddef.h>

#include <cuaudit/call.h>
#include <cuaudit/trace.h>

struct trace_plan;

/* Context of all: call, locked. None is written twice. */

/*
 * A zeroed record of size bytes and texts behind it, ended by a NUL each; NULL
 * where it cannot be, for the loss in *why. To be published before the lock is
 * given.
 */
void *trace_describe(size_t size, size_t texts, uint32_t *why);

/*
 * Texts come from the driver and the program, and may have any length. A text
 * of more than CUAUDIT_TRACE_TEXT_MOST bytes is cut, and then ends with "...".
 * The first says how many bytes a text takes, its NUL included; the second copies it
 * into so many, which are zeroed, and returns where they end.
 */
size_t trace_describe_size(const char *text);
char *trace_describe_text(void *to, const char *text, size_t size);

void trace_describe_publish(void *record, enum cuaudit_trace_type type);

/* The number of the library an address lies in; false as above. */
bool trace_describe_library(const struct cuaudit_library *library, uint32_t *number,
			    uint32_t *why);

/* The number of a call site. plan: the function's, whose steps are described. */
bool trace_describe_site(const struct cuaudit_call *call, const struct trace_plan *plan,
			 uint32_t *number, uint32_t *why);

/* How much of the file's last chunk they have, if it is theirs; else 0. */
uint32_t trace_describe_last(void);

/* In the child of fork. */
void trace_describe_forked(void);

#endif
