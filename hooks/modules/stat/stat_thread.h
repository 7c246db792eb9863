/* SPDX-License-Identifier: Apache-2.0 */
/* The records of threads: live ones, the busiest ended ones, all others in one. */
#ifndef HOOKS_MODULES_STAT_STAT_THREAD_H
#define HOOKS_MODULES_STAT_STAT_THREAD_H

#include <cuaudit/stat.h>

enum { STAT_THREADS_MAX = 1000 };

/* Context: setup. keep: ended threads with a record of their own. */
void stat_thread_setup(uint32_t keep);

/* Context: call, locked. The calling thread's new record; NULL when memory is out. */
struct cuaudit_stat_thread *stat_thread_begin(void);

/*
 * Context: call, locked, in the thread that ends, with its cells and what they
 * sum up to. One thread, this or a quieter one that ended before, may lose its
 * record to the others': returns that one's cells, else NULL.
 */
struct cuaudit_stat_cell *stat_thread_end(struct cuaudit_stat_thread *record,
					  struct cuaudit_stat_cell *cells, uint64_t calls,
					  uint64_t errors, uint64_t total);

/* Context: setup, locked. Reads the names live threads have now. */
void stat_thread_refresh(void);

/* Context: call, in the child of fork. */
void stat_thread_forked(void);

#endif
