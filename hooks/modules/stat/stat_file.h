/* SPDX-License-Identifier: Apache-2.0 */
/* A report that takes the place of the one before, for who reads it at any time. */
#ifndef HOOKS_MODULES_STAT_STAT_FILE_H
#define HOOKS_MODULES_STAT_STAT_FILE_H

#include <stdbool.h>

#include "util/out.h"

/*
 * Context: setup. Writes to what CUAUDIT_OUTPUT names, a file by way of
 * another name in its directory, so that it is whole at any time. 0 or -errno,
 * after a message, unless *told is that error: then it was said before.
 */
int stat_file_write(struct out *out, int *told);

/*
 * Whether this is another reason than the one that was told before: with interval= once is
 * enough. 0 is none, and forgets it.
 */
bool stat_file_is_news(int error, int *told);

#endif
