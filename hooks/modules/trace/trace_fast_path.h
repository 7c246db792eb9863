/* SPDX-License-Identifier: Apache-2.0 */
/* The fast paths of a trace, for calls whose record is one of the common ones. */
#ifndef HOOKS_MODULES_TRACE_TRACE_FAST_PATH_H
#define HOOKS_MODULES_TRACE_TRACE_FAST_PATH_H

#include <cuaudit/hook.h>
#include <stdbool.h>

/*
 * Context: setup, once the writer's key is there. cuaudit_hook_add, with fast paths
 * for the calls that those can do. hook: an exit hook that writes a record of
 * every call, with arguments or without.
 */
int trace_fast_add(const struct cuaudit_hook *hook, bool arguments);

#endif
