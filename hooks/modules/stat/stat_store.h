/* SPDX-License-Identifier: Apache-2.0 */
/* Where the stat hook's records lie: in memory, or in a file that outlives the process. */
#ifndef HOOKS_MODULES_STAT_STAT_STORE_H
#define HOOKS_MODULES_STAT_STAT_STORE_H

#include <signal.h>
#include <stdbool.h>

#include <cuaudit/stat.h>

#include "analysis/stat_records.h"

/*
 * Context: call. One lock for whatever the stat hook does seldom. Signals are
 * blocked while it is held, so no handler finds it taken by its own thread.
 */
void stat_lock(sigset_t *mask);
void stat_unlock(const sigset_t *mask);

/*
 * Context: setup. save: "no", "auto" (a file beside CUAUDIT_OUTPUT, if that
 * is set) or the file's path. 0 or -ENOMEM; a file that cannot be is a
 * warning.
 */
int stat_store_setup(const char *save, const struct cuaudit_stat_header *header);

/* The header; NULL in a child that has taken no record yet. */
struct cuaudit_stat_header *stat_store_header(void);

/* 1 if a file is written, and 1 if all there is to report is in it. */
int stat_store_saved(void);
int stat_store_whole(void);

/*
 * Context: call, locked. A zeroed record of size bytes, NULL when memory is
 * out. To be filled and published before the lock is given up.
 */
void *stat_store_take(uint32_t size);
void stat_store_publish(void *record, enum cuaudit_stat_type type);

/* Context: call, locked. Returns how many segments there are. */
size_t stat_store_segments(const struct segment **segments);

/* Counts calls there was no memory for. */
void stat_store_lost(void);

/* Context: call, in the child of fork: everything begins anew, empty. */
void stat_store_forked(void);

/* Context: setup. Removes the file. */
void stat_store_finish(void);

/* Leaves the file, if there is one, and says where, or that something took it away. */
void stat_store_keep(bool silent);

#endif
