/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's table by which runtimes report their calls to tools. */
#ifndef HOOKS_RUNTIME_TABLE_H
#define HOOKS_RUNTIME_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* Context: call. The driver hands out an export table; uuid: 16 bytes. */
void runtime_table_answered(const uint8_t *uuid, uint64_t *table);

/* Context: call. Somebody asked for an export table, by the address of the call, whatever the answer. */
void runtime_table_asked(const uint8_t *uuid, const void *caller);

/* Context: call. The driver has no such table for a library, by the address of its call. */
void runtime_table_refused(const uint8_t *uuid, const void *caller);

/* Context: any. Whether calls of a runtime were not seen, which has been reported. */
bool runtime_table_unseen(void);

/* Context: setup. The end of the process: the tables are as they were. */
void runtime_table_finish(void);

#endif
