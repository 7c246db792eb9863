/* SPDX-License-Identifier: Apache-2.0 */
/* What processes that share devices tell each other, in rows of a file. */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_LEASE_ROWS_H
#define HOOKS_MODULES_LIMIT_LIMIT_LEASE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/share_record.h"

/* What was read last. Row 0 is the header. */
extern struct lease_header lease_header;
extern struct lease_row lease_rows[LEASE_ROWS + 1];

/*
 * Context of all: call, by one thread at a time. The group's file; NULL: the
 * user's. False: see rows_fault.
 */
bool rows_open(const char *directory, const char *group, uint32_t weight, uint32_t cap);

/* Another number each time that this process has a new row, in which nothing is yet. */
uint32_t rows_generation(void);

const char *rows_fault(void);
const char *rows_path(void);

/* Reads all rows, and finds out which is this process's and the last one in use. */
bool rows_read(void);
extern uint32_t rows_mine, rows_last;

/* Writes lease_rows[mine], and lease_header, which is under the gate. */
bool rows_write(void);
bool rows_write_header(void);

/* The header's lock, then the header is read again. Not waited for long: false without it. */
bool rows_lock(void);
void rows_unlock(void);

/* Whether a row's process lives. */
bool rows_is_alive(uint32_t row);

/* Waits until bell has another number than seen, or so many nanoseconds. */
void rows_wait(uint32_t seen, uint64_t ns);
void rows_wake(void);

void rows_close(void);
void rows_forked(void);

#endif
