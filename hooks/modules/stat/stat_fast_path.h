/* SPDX-License-Identifier: Apache-2.0 */
/* The fast paths of statistics, for calls like those before them. */
#ifndef HOOKS_MODULES_STAT_STAT_FAST_PATH_H
#define HOOKS_MODULES_STAT_STAT_FAST_PATH_H

#include <cuaudit/hook.h>

/*
 * Context: setup, once the cells' key is there. cuaudit_hook_add of a hook
 * inside of all others, and answered for the calls that one of these answered.
 */
int stat_fast_add_plain(const struct cuaudit_hook *hook,
			  void (*answered)(const struct cuaudit_call *call));

/* The same for an enter hook that counts each of its calls in its cell. */
int stat_fast_add_counter(const struct cuaudit_hook *hook,
			  void (*answered)(const struct cuaudit_call *call));

/*
 * The same for a timed exit hook that gives its calls to stat_cell_record,
 * with fast paths of its own. Its data is the result that is no error; at most
 * two hooks: one of those whose data no driver answers, and one other.
 */
int stat_fast_add(const struct cuaudit_hook *hook,
		    void (*answered)(const struct cuaudit_call *call));

#endif
