/* SPDX-License-Identifier: Apache-2.0 */
/* An output that is there as a whole or not at all. */
#ifndef TOOLS_REPLACE_H
#define TOOLS_REPLACE_H

enum replace_kind {
	REPLACE_FILE,
	REPLACE_FOLDER		/* of files and of directories of files */
};

/* Between begin and end; one at a time. */
struct replace {
	int fd;			/* where to write; -1 for a directory */
	const char *path;	/* the same by name, NULL for standard output */
	const char *target;	/* what the user called it */
};

/*
 * Begins an output under a temporary name in the directory of target, or at
 * standard output where target is NULL or "-". A device or a pipe is written
 * to as it is, a link is followed. What was begun is removed when the process
 * exits, or is ended by a signal other than SIGKILL, before replace_end.
 * TOOL_OK, or TOOL_FAILED after a line on stderr.
 */
int replace_begin(struct replace *replace, const char *target, enum replace_kind kind);

/*
 * Gives it its name, in place of a file or an empty directory of that name.
 * TOOL_OK, or TOOL_FAILED after a line on stderr, and nothing is left.
 */
int replace_end(struct replace *replace);

/* Removes what was begun. */
void replace_drop(struct replace *replace);

#endif
