/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs whose name leads to what another user has put there. Context: call. */
#ifndef UTIL_PLANTED_H
#define UTIL_PLANTED_H

#include <errno.h>
#include <stdbool.h>
#include <sys/stat.h>

/* An error of ours: another user's file is there, or one that has another name as well. */
enum { PLANTED = ENOTUNIQ };

/*
 * Whether other users may put files into the directory of path. Nobody is
 * suspected of that in one which belongs to this user or to root and which only
 * they, or the group of an unsticky one, can write to.
 */
bool planted_possible(const char *path);

/* -PLANTED for a file of that status that another may have put there, else 0. */
int planted_file(const char *path, const struct stat *its);

/* The same for what has the name, which may be nothing or a link. */
int planted_name(const char *path);

#endif
