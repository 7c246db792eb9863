/* SPDX-License-Identifier: Apache-2.0 */
/* Reports what is wrong in the environment, and ends a process that must not run with it. */
#ifndef AUDIT_JUDGE_H
#define AUDIT_JUDGE_H

#include <stdbool.h>

#include <internal/link.h>

/*
 * Context: bind, the process's start. Ends the process where CUAUDIT_STRICT
 * asks for it and something that can be judged without the core is wrong.
 * trial: it is a child of the command, which asks about the settings and runs nothing.
 */
void judge_start(struct link_table *table, bool trial);

/* Context: bind. The loader does not report what CUAUDIT_PROVIDERS asks for. */
void judge_no_providers(void);

/* Context: bind. A library whose functions are hooked is here: a checked command is told if the hooks are not its. */
void judge_replaced(void);

/*
 * Context: bind. The driver is looked for, and CUAUDIT_DISABLE=1: a policy
 * that does not hold is reported once.
 */
void judge_disabled(void);

/*
 * Context: bind. An excluded library is given the driver: where something is
 * enforced that is reported, once and if the core, which would, is not loaded.
 */
void judge_excluded(const struct link_object *library);

/* Context: the end. Whether CUAUDIT_INCLUDE names no library, and so kept one out. */
bool judge_unmatched(void);

/*
 * Context: bind. Calls of the driver by that file, or of that copy of it, are not intercepted: ends the
 * process if memory is limited, unless its on-error lets it go on.
 */
void judge_uncounted(const char *path);

/*
 * Context: bind. There is no core: what that means, for the message of why, and
 * the end of the process where that breaks a policy.
 */
const char *judge_unaudited(void);
void judge_end_unaudited(void);

#endif
