/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of memory functions that are checked before they are made. */
#ifndef HOOKS_MODULES_DBGMEM_DBGMEM_H
#define HOOKS_MODULES_DBGMEM_DBGMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hooks/libc_function.h"

struct cuaudit_call;
struct cuaudit_function;

/* A call, and how much of it may not be done. */
struct dbgmem_call {
	const char *function;
	const void *caller;
	uintptr_t to, from;
	size_t writes, reads;	/* bytes */
	bool bad_to, bad_from, overlap;
};

struct maps_line;

/* Context: setup. Pages and what the kernel can be asked. */
void dbgmem_look_setup(void);

/* Context: call. Whether all of it can be read, or written to; nothing of it changes. */
bool dbgmem_look(uintptr_t at, size_t size, bool write);

/* Context: call. Whether a mapping, whose line it is, can be read or written to from `at` on, up to its end or `end`. */
bool dbgmem_allows(const struct maps_line *line, uintptr_t at, uintptr_t end, bool write);

/* Context: call. Bytes of a string before its end, at most `most`; false: they cannot be read. */
bool dbgmem_string(uintptr_t at, size_t most, size_t *length);

/* Context: setup. The checked function that stands in for one of libc's. */
void *dbgmem_function(const struct cuaudit_function *function);

/* The hook, where there are others: looks at what the function is given. */
int dbgmem_enter(struct cuaudit_call *call, void *data);

/* Context: setup. Whether it was called, so that calls which no hook saw were not checked. */
bool dbgmem_entered(void);

struct buffer;

/* Context: call. What a range is that cannot be used. */
void dbgmem_describe(struct buffer *out, uintptr_t at, size_t size, bool write);

/* Context: call. The driver's object that an address is in, if it is in one, behind `before`. */
void dbgmem_object(struct buffer *out, const char *before, uintptr_t at);

/* Context: call. "4 MiB" or "4097 bytes". */
void dbgmem_size(struct buffer *out, uint64_t size);

/* Context: setup. Whether there is a name for a file of objects. */
bool dbgmem_json_possible(void);

/* Context: setup. Findings are written as objects, too. */
void dbgmem_json_setup(void);

/* Context: call, under the lock of findings. Writes the object of one that is printed as `finding`. */
void dbgmem_json(const struct dbgmem_call *call, const char *finding);

/* Context: setup. Prints how many could not be written. */
void dbgmem_json_finish(void);

/* Context: call, in the child of fork, whose file may be another one. */
void dbgmem_json_forked(void);

/* Context: setup. Whether a finding ends the process. */
void dbgmem_report_setup(bool abort);

/* Context: call. Prints a finding, the first of a call site; may end the process. */
void dbgmem_report(const struct dbgmem_call *call);

/* Context: setup. Prints how many there were. */
void dbgmem_report_finish(void);

/* Context: call, in the child of fork. */
void dbgmem_report_forked(void);

#endif
