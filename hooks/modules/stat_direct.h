/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics' own ways, for calls of a function that nothing else hooks. */
#ifndef HOOKS_MODULES_STAT_DIRECT_H
#define HOOKS_MODULES_STAT_DIRECT_H

#include <cuaudit/hook.h>

/*
 * Context: setup, once the cells' key is there. cuaudit_hook_add of a timed
 * exit hook, with ways for calls that have a cell and were answered with 0.
 */
int stat_direct_add(const struct cuaudit_hook *hook);

#endif
