/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's table by which runtimes report their calls to tools. */
#ifndef HOOKS_RUNTIME_TABLE_H
#define HOOKS_RUNTIME_TABLE_H

#include <stdint.h>

/* Context: call. The driver hands out an export table; uuid: 16 bytes. */
void runtime_table_answered(const uint8_t *uuid, uint64_t *table);

/* Context: setup. The end of the process: the tables are as they were. */
void runtime_table_finish(void);

#endif
