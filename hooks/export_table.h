/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's export tables: their functions' addresses are replaced in place by stubs. */
#ifndef HOOKS_EXPORT_TABLE_H
#define HOOKS_EXPORT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* Context: call. A copy of the driver hands out an export table; uuid: 16 bytes. */
void export_table_answered(const uint8_t *uuid, uint64_t *table, uint32_t driver);

/* Context: any. Whether calls through a table are not seen, which has been reported. */
bool export_table_unseen(void);

/* Context: setup. The end of the process: what is still a stub is the driver's function again. */
void export_table_finish(void);

#endif
