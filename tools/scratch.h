/* SPDX-License-Identifier: Apache-2.0 */
/* The directory in which the processes of a run leave files for the command. */
#ifndef TOOLS_SCRATCH_H
#define TOOLS_SCRATCH_H

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>

/* The pattern of its name in TMPDIR, /tmp if that is not set; to be freed. command: its user. */
char *scratch_pattern(const char *command);

/*
 * Makes one of that pattern, or takes keep, unless it is NULL: its absolute path. what: is to
 * be in it. 0, or -1 after a message.
 */
int scratch_make(const char *pattern, const char *keep, const char *what, char path[PATH_MAX]);

/* Removes the files that are ours, and the directory; one that stays is reported. */
void scratch_remove(const char *path, bool (*is_ours)(const struct dirent *entry));

#endif
