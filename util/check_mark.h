/* SPDX-License-Identifier: Apache-2.0 */
/* By what cuaudit check knows of a process that its rules do not judge. */
#ifndef UTIL_CHECK_MARK_H
#define UTIL_CHECK_MARK_H

#include <stdbool.h>
#include <stddef.h>

/* Beginnings of names of empty files, which the process's number follows. */
#define CHECK_MARK_UNCHECKED "unchecked-"	/* by its environment, or as it could not be audited */
#define CHECK_MARK_REPLACED "replaced-"		/* it has other hooks, by cuaudit, started inside, too */

/* The argument of the command's child whose settings are judged: it is no process of a checked program. */
#define CHECK_TRIAL_WORD "--cuaudit-trial"

/* Context: bind, setup. Whether hooks, a value of CUAUDIT_HOOKS, have the option save=SAVED. */
bool check_mark_has(const char *hooks, const char *saved);

/*
 * Context: bind, setup. The path of such a file, in the directory of saved, a value of CUAUDIT_CHECK. False:
 * it is empty, or there is no room.
 */
bool check_mark_path(const char *saved, const char *name, long process, char *path, size_t room);

#endif
