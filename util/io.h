/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptors inside of somebody else's process. Context: call. Nothing here is
 * a cancellation point, no SIGPIPE, SIGXFSZ or SIGTTOU of ours reaches the
 * program, none of its own is taken, no flag of a descriptor it shares is
 * changed, and errno is kept. Errors are -errno.
 */
#ifndef UTIL_IO_H
#define UTIL_IO_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* How long to wait for a reader that takes nothing, in milliseconds. */
enum {
	IO_NOW = 0,
	IO_MESSAGE = 100,
	IO_REPORT = 5000,
	IO_FOREVER = -1
};

/*
 * Opens as open(2) does, with O_CLOEXEC. Where that would wait for a FIFO's
 * reader it waits for patience, then it is -EPIPE. With O_EXCL a directory of
 * that name is -EISDIR.
 *
 * A file that is made has mode 0644, whatever the program's umask allows beyond
 * it: who may write into a file that is mapped may end the process. To be
 * written to, without O_EXCL or O_NOFOLLOW, a symbolic link is not followed
 * (-ELOOP), but for a user's or root's own to what is no regular file, and what
 * others have put there is refused (-PLANTED, planted.h). Of a descriptor's name
 * it is a copy: what is written follows what was written there.
 */
int io_open(const char *path, int flags, int patience);

/*
 * This process records into the file, maps it maybe, or has read what it is told from it: io_open gives it to nobody who
 * would write something else there (-EBUSY), by whatever name.
 */
void io_claim(int fd);
void io_claim_name(const char *path);

/*
 * The descriptor of this process that a name stands for, as /dev/stdout does, by links
 * or by itself. It may be closed. -1: none.
 */
int io_descriptor(const char *path);

/*
 * S_IFMT of what a name leads to, 0 for nothing. A descriptor's name has that of a
 * device, whatever it is of: no file is made by it, nor beside it.
 */
mode_t io_type(const char *path);

/*
 * Another descriptor of the same file, with O_CLOEXEC: its number is a high one
 * where that is allowed, and never 0, 1 or 2. io_open's numbers are the same, as
 * a program that closed those expects the next it opens to take their place.
 */
int io_copy(int fd);

/*
 * Such a copy in the place of fd; without one fd itself, or -errno and it is
 * closed if it is 0, 1 or 2.
 */
int io_move(int fd);

/* The same, for those alone: a descriptor that is closed again at once. */
int io_avoid_stdio(int fd);

/* 0 or -errno: some file systems refuse only then what was written. */
int io_close(int fd);

/*
 * Writes everything. -ETIMEDOUT: the reader took nothing for patience, which
 * must not be above 65535. One that has let a writer wait in vain is not waited
 * for again until it takes something.
 */
int io_write(int fd, const void *data, size_t count, int patience);

/*
 * 0 or -errno. Behind what is in a file, which is made if it is not there, by a descriptor of its own each time: the
 * program may close any.
 */
int io_append(const char *path, const void *data, size_t count);

/*
 * Reads a file of size - 1 bytes at most and ends text by NUL: how many it
 * were. A FIFO's writer is waited for as above, then it is -ENODATA.
 */
long io_read_file(const char *path, char *text, size_t size, int patience);

/* The number that text begins with, as files of /proc have them; 0 if it does with none. */
uint64_t io_number(const char *text);

/* Takes room on disk, so that no store to a mapping of it is a SIGBUS; the file is that long then. 0 or -errno. */
int io_reserve(int fd, uint64_t offset, uint64_t length);

struct io_signals {
	uint64_t saved, pending;	/* the kernel's sets */
};

/* Around code that writes by other means: nor do its SIGPIPE and the others reach the program. */
void io_enter(struct io_signals *signals);
void io_leave(const struct io_signals *signals);

/* What an error is called, never NULL: strerror may call malloc. */
const char *io_reason(int error);

/* Why a file cannot be written, and what to do about it. */
const char *io_remedy(int error);

#endif
