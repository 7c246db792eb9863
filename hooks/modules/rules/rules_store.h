/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a process, mapped as it is. */
#ifndef HOOKS_MODULES_RULES_RULES_STORE_H
#define HOOKS_MODULES_RULES_RULES_STORE_H

#include "analysis/check_record.h"

/*
 * Context: setup, and call in a child of fork. Begins a file that is what template says, by the
 * path template save, NULL: in memory alone. 0 or -errno.
 */
int rules_store_begin(const char *save, const struct check_file *template);

/* Context: call. The begin failed: the last process before it that has a file says so. */
void rules_store_lost(void);

/* Context: call, in the child of fork: what is counted until the next begin is nobody's. */
void rules_store_forked(void);

/* Of a child of fork: it has no file until its first call begins one, on one of its threads. */
enum { STORE_THERE, STORE_ABSENT, STORE_BEGINS };
extern _Atomic int rules_store_absent;

#endif
