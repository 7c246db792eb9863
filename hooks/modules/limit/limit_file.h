/* SPDX-License-Identifier: Apache-2.0 */
/* A file of rows that processes share, each the only writer of the row whose byte it locks. */
/*
 * The kernel unlocks a row however its process ends, and in whichever PID
 * namespace it was. Rows are read and written by system calls, as a mapping of
 * a file that another truncates would end the process. None is a cancellation
 * point. All here but the paths is under one lock of the owner's.
 */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_FILE_H
#define HOOKS_MODULES_LIMIT_LIMIT_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What is in a file: row 0 is its header, which begins with the magic number. */
struct file_kind {
	const char *other;	/* what is said of a file that is none */
	const char *version;	/* and of one that has another magic number */
	const char *crowded;	/* and when each row is taken */
	uint64_t magic;
	uint32_t size;		/* bytes of a row, a power of two */
	uint32_t rows;		/* beside the header */
	/* The rows of a new file, at most count of them from the first on. */
	void (*fill)(void *rows, uint32_t first, uint32_t count);
};

struct limit_file {
	const struct file_kind *kind;
	char path[PATH_MAX];
	const char *fault;	/* what was wrong last: a sentence without its end */
	uint32_t patience;	/* milliseconds for another process that fills it: see file_open */
	bool filling;		/* one was, for longer */
	bool jammed;		/* it was waited for in vain, and is not again */
	int fd;
	void *pin;		/* keeps the locks when the program closes the descriptor */
	_Atomic pid_t owner;
	uint64_t inode, device;
	uint32_t mine;		/* 0: no row yet */
	uint32_t last;		/* the last row that somebody has */
	/* While it is made: its directory, then new rows. Another file may be made at the time. */
	union {
		char path[PATH_MAX];
		uint64_t magic;
	} room;
};

/* Context of all but file_open: call. Sets fault; false. */
bool file_broken(struct limit_file *file, const char *why);

bool file_write(struct limit_file *file, uint32_t row, const void *from);
bool file_read(struct limit_file *file, uint32_t row, uint32_t count, void *to);

/* Locks or, by F_UNLCK, unlocks the first bytes of rows; false: another process has one. */
bool file_lock(struct limit_file *file, uint32_t row, uint32_t count, short type);

/* Whether some process, not this one, has the row. */
bool file_is_taken(struct limit_file *file, uint32_t row);

/* Looks for rows behind the last one that was known. */
void file_find_last(struct limit_file *file);

/* The program may have closed it, and opened another under its number; or it was removed. */
bool file_is_there(const struct limit_file *file);

/*
 * Opens what is there in place of a file that was never opened, was closed,
 * removed or replaced. *anew: this process has a new row, of which nothing is
 * written. False: see fault.
 */
bool file_attach(struct limit_file *file, bool *anew);

/*
 * Context: setup, where the loader has its lock: whether it can be shared. Who has to be waited for is waited for by
 * the first call that wants the file, for 5 seconds; not by those behind it.
 */
bool file_open(struct limit_file *file, bool (*attach)(void));

/* In the child of fork, which has no row. */
void file_forked(struct limit_file *file);

#endif
