/* SPDX-License-Identifier: Apache-2.0 */
/* An output that is there as a whole or not at all. */
#ifndef TOOLS_ATOMIC_FILE_H
#define TOOLS_ATOMIC_FILE_H

#include <stdbool.h>

enum atomic_file_kind {
	ATOMIC_FILE,
	ATOMIC_DIRECTORY		/* of files and of directories of files */
};

/*
 * Whether target can be written to, before a program starts that may take days. what: is to be
 * written. 0, or -1 after a message.
 */
int atomic_file_check(const char *target, const char *what);

/* The same, and it is no program or script, nor the one that is to run: its path, as program_find has it. */
int atomic_file_check_run(const char *target, const char *what, const char *program);

/* Whether it is a program or a script, as where the option's own value was forgotten: --junit ./app ARGUMENT. */
bool atomic_file_is_program(const char *target);

/* Whether both are names of one file, which may not be there yet. */
bool atomic_file_same(const char *target, const char *other);

/* Between begin and end; one at a time. */
struct atomic_file {
	int fd;			/* where to write; -1 for a directory */
	const char *path;	/* the same by name, NULL for a descriptor that we were given */
	const char *target;	/* what the user called it */
};

/*
 * Begins an output under a temporary name in the directory of target, or at
 * standard output where target is NULL or "-". A device, a pipe or a descriptor
 * that the target stands for (io_descriptor) is written to as it is; a FIFO's
 * reader is waited for by IO_REPORT. A link to a file is followed, one to nothing
 * is refused. What was begun is removed when the process exits, or is ended by a
 * signal other than SIGKILL, before atomic_file_end.
 * TOOL_OK, or TOOL_FAILED after a line on stderr.
 */
int atomic_file_begin(struct atomic_file *file, const char *target, enum atomic_file_kind kind);

/*
 * Gives it its name, in place of a file or an empty directory of that name.
 * TOOL_OK, or TOOL_FAILED after a line on stderr, and nothing is left.
 */
int atomic_file_end(struct atomic_file *file);

/* Removes what was begun. */
void atomic_file_drop(struct atomic_file *file);

#endif
