/* SPDX-License-Identifier: Apache-2.0 */
/* A file of rows that processes share, each the only writer of the row whose byte it locks. */
#include "hooks/modules/limit/limit_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "util/io.h"
#include "util/pages.h"

enum { PATIENCE = 5000 };	/* for the file's first process, which may have to wait for a processor */

bool file_broken(struct limit_file *file, const char *why)
{
	file->fault = why;
	return false;
}

static uint64_t milliseconds(void)
{
	struct timespec time = { .tv_sec = 0 };

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static uint64_t size_whole(const struct limit_file *file)
{
	return (uint64_t)(file->kind->rows + 1) * file->kind->size;
}

static struct flock range_of(const struct limit_file *file, uint32_t row, uint32_t count,
			     short type)
{
	return (struct flock){
		.l_type = type,
		.l_whence = SEEK_SET,
		.l_start = (off_t)row * file->kind->size,
		.l_len = (off_t)(count - 1) * file->kind->size + 1,
	};
}

bool file_lock(struct limit_file *file, uint32_t row, uint32_t count, short type)
{
	struct flock what = range_of(file, row, count, type);

	return !syscall(SYS_fcntl, file->fd, F_OFD_SETLK, &what);
}

bool file_is_taken(struct limit_file *file, uint32_t row)
{
	struct flock what = range_of(file, row, 1, F_WRLCK);

	return syscall(SYS_fcntl, file->fd, F_OFD_GETLK, &what) || what.l_type != F_UNLCK;
}

void file_find_last(struct limit_file *file)
{
	while (file->last < file->kind->rows) {
		struct flock what = range_of(file, file->last + 1, file->kind->rows - file->last,
					     F_WRLCK);
		uint64_t row;

		if (syscall(SYS_fcntl, file->fd, F_OFD_GETLK, &what) || what.l_type == F_UNLCK)
			return;
		row = (uint64_t)what.l_start / file->kind->size;
		/* Who is no process of ours may have locked more than a row. */
		file->last = row > file->last ? (uint32_t)row : file->last + 1;
	}
}

static bool write_rows(struct limit_file *file, uint32_t row, uint32_t count, const void *from)
{
	size_t size = (size_t)count * file->kind->size;
	ssize_t done = syscall(SYS_pwrite64, file->fd, from, size,
			       (off_t)row * file->kind->size);

	return done == (ssize_t)size ||
	       file_broken(file, done >= 0 || errno == EFBIG || errno == ENOSPC ?
			   "it cannot be written, for a full disk or a limit of file sizes" :
			   "it cannot be written");
}

bool file_write(struct limit_file *file, uint32_t row, const void *from)
{
	return write_rows(file, row, 1, from);
}

bool file_read(struct limit_file *file, uint32_t row, uint32_t count, void *to)
{
	size_t size = (size_t)count * file->kind->size;
	ssize_t done = syscall(SYS_pread64, file->fd, to, size, (off_t)row * file->kind->size);

	return done == (ssize_t)size ||
	       file_broken(file, done < 0 ? "it cannot be read" : "it was truncated");
}

static bool look(int at, struct statx *its)
{
	return !syscall(SYS_statx, at, "", AT_EMPTY_PATH, STATX_BASIC_STATS, its);
}

static bool is_same(const struct limit_file *file, const struct statx *its)
{
	return its->stx_ino == file->inode &&
	       ((uint64_t)its->stx_dev_major << 32 | its->stx_dev_minor) == file->device;
}

/* The program may have closed it, and opened another under its number; or it was removed. */
bool file_is_there(const struct limit_file *file)
{
	struct statx its;

	return file->fd >= 0 && look(file->fd, &its) && is_same(file, &its) && its.stx_nlink;
}

static void close_ours(struct limit_file *file)
{
	struct statx its;

	if (file->fd >= 0 && look(file->fd, &its) && is_same(file, &its))
		syscall(SYS_close, file->fd);
	file->fd = -1;
}

static bool judge(struct limit_file *file, const struct statx *its)
{
	if (!S_ISREG(its->stx_mode))
		return file_broken(file, "it is no regular file");
	if (its->stx_uid != geteuid() && its->stx_uid)
		return file_broken(file, "it belongs to another user");
	return true;
}

static const char *reason(int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
	case EROFS:
		return "it may not be written";
	case ELOOP:
		return "it is a symbolic link";
	case EISDIR:
		return "it is a directory";
	case ENOENT:
	case ENOTDIR:
		return "its directory does not exist";
	case EMFILE:
	case ENFILE:
		return "no file descriptor is left";
	default:
		return "it cannot be opened";
	}
}

static bool write_empty(struct limit_file *file)
{
	uint32_t most = (uint32_t)sizeof(file->room) / file->kind->size;

	for (uint32_t row = 0; row <= file->kind->rows; row += most) {
		uint32_t count = file->kind->rows + 1 - row < most ? file->kind->rows + 1 - row : most;

		file->kind->fill(&file->room, row, count);
		if (!row)
			file->room.magic = file->kind->magic;
		if (!write_rows(file, row, count, &file->room))
			return false;
	}
	return true;
}

/*
 * Makes the file whole, where its file system can do that: none is found half
 * made because its maker was stopped.
 */
static void make_file(struct limit_file *file)
{
	char *directory = file->room.path, name[32], *slash;

	memcpy(directory, file->path, sizeof(file->path));
	slash = strrchr(directory, '/');
	if (!slash)
		return;
	slash[1] = 0;
	file->fd = io_avoid_stdio((int)syscall(SYS_openat, AT_FDCWD, directory,
					 O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
	if (file->fd < 0)
		return;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", file->fd);
	/* A umask may have taken away what the user's own need. */
	if (!syscall(SYS_fchmod, file->fd, 0600) && write_empty(file))
		syscall(SYS_linkat, AT_FDCWD, name, AT_FDCWD, file->path, AT_SYMLINK_FOLLOW);
	syscall(SYS_close, file->fd);
	file->fd = -1;
}

/* Linux says of directories such as /proc that a new file in them does not exist. */
static bool has_directory(const struct limit_file *file)
{
	char directory[PATH_MAX], *slash;

	memcpy(directory, file->path, sizeof(file->path));
	slash = strrchr(directory, '/');
	if (!slash)
		return false;
	slash[1] = 0;
	return !syscall(SYS_faccessat, AT_FDCWD, directory, F_OK);
}

static bool open_file(struct limit_file *file, struct statx *its)
{
	const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	int first = (int)syscall(SYS_openat, AT_FDCWD, file->path, flags), error;

	if (first < 0 && errno == ENOENT) {
		make_file(file);
		first = (int)syscall(SYS_openat, AT_FDCWD, file->path, flags | O_CREAT, 0600);
	}
	error = errno;
	if (first < 0)
		return file_broken(file, error == ENOENT && has_directory(file) ?
				   "its directory takes no files" : reason(error));
	if (!look(first, its) || !judge(file, its)) {
		syscall(SYS_close, first);
		return false;
	}
	first = io_move(first);
	if (first < 0)
		return file_broken(file, reason(-first));
	file->fd = first;
	return true;
}

/* Some other process has a row. */
static bool is_shared(struct limit_file *file)
{
	struct flock what = range_of(file, 1, file->kind->rows, F_WRLCK);

	return syscall(SYS_fcntl, file->fd, F_OFD_GETLK, &what) || what.l_type != F_UNLCK;
}

/* With the byte behind it locked. */
static bool fill(struct limit_file *file)
{
	struct statx its;
	bool done = true;

	if (look(file->fd, &its) && !its.stx_size) {
		done = is_shared(file) ? file_broken(file, "it was truncated") : write_empty(file);
		if (!done)
			syscall(SYS_ftruncate, file->fd, (off_t)0);
	}
	file_lock(file, file->kind->rows + 1, 1, F_UNLCK);
	return done;
}

static uint64_t size_now(const struct limit_file *file)
{
	struct statx its;

	return look(file->fd, &its) ? its.stx_size : 0;
}

/* It has some other size than it should, and nobody is just filling it. */
static bool is_cut(const struct limit_file *file)
{
	struct flock what = range_of(file, file->kind->rows + 1, 1, F_WRLCK);
	uint64_t size = size_now(file);

	return size && size != size_whole(file) &&
	       !syscall(SYS_fcntl, file->fd, F_OFD_GETLK, &what) && what.l_type == F_UNLCK && size_now(file) == size;
}

static void rest(void)
{
	static const struct timespec moment = { .tv_nsec = 100000 };

	syscall(SYS_nanosleep, &moment, NULL);
}

static bool has_magic(struct limit_file *file)
{
	uint64_t magic;

	if (syscall(SYS_pread64, file->fd, &magic, sizeof(magic), (off_t)0) != sizeof(magic))
		return file_broken(file, "it cannot be read");
	return magic == file->kind->magic || file_broken(file, file->kind->version);
}

/* Whoever finds it empty fills it. */
static bool begin_file(struct limit_file *file)
{
	uint64_t until = milliseconds() + (file->jammed ? 0 : file->patience);	/* 0 until file_open is done */

	file->filling = false;
	while (size_now(file) != size_whole(file)) {
		if (is_cut(file))
			return file_broken(file, file->kind->other);
		file->filling = !file_lock(file, file->kind->rows + 1, 1, F_WRLCK);
		if (!file->filling && !fill(file))
			return false;
		if (file->filling && milliseconds() >= until) {
			file->jammed = file->patience;
			return file_broken(file, "it is empty, and another process is filling it");
		}
		rest();
	}
	file->filling = file->jammed = false;
	return has_magic(file);
}

static bool take_row(struct limit_file *file)
{
	for (file->mine = 1; file->mine <= file->kind->rows; file->mine++)
		if (file_lock(file, file->mine, 1, F_WRLCK)) {
			file->last = file->mine;
			return true;
		}
	return file_broken(file, file->kind->crowded);
}

/*
 * A child has no part in this mapping, so none in the locks either. Nobody but
 * the kernel reads it, for a futex.
 */
static void pin_file(struct limit_file *file)
{
	if (file->pin)
		pages_unmap(file->pin, file->kind->size);
	file->pin = pages_map(NULL, file->kind->size, PROT_READ, MAP_SHARED, file->fd, 0);
	if (file->pin == MAP_FAILED)
		file->pin = NULL;
	else
		madvise(file->pin, file->kind->size, MADV_DONTFORK);
}

/* What is there in place of a file that was closed, removed or replaced. */
bool file_attach(struct limit_file *file, bool *anew)
{
	bool known = file->mine && file->pin;
	struct statx its;

	*anew = false;
	close_ours(file);
	if (!open_file(file, &its))
		return false;
	io_claim(file->fd);
	if (known && is_same(file, &its))
		return true;
	file->inode = its.stx_ino;
	file->device = (uint64_t)its.stx_dev_major << 32 | its.stx_dev_minor;
	file->owner = getpid();
	file->mine = file->last = 0;
	if (begin_file(file) && take_row(file)) {
		pin_file(file);
		*anew = true;
		return true;
	}
	file->mine = 0;
	close_ours(file);
	return false;
}

bool file_open(struct limit_file *file, bool (*attach)(void))
{
	bool done = attach();

	file->patience = PATIENCE;
	return done || file->filling;
}

void file_forked(struct limit_file *file)
{
	close_ours(file);
	file->pin = NULL;
	file->mine = 0;
	file->owner = 0;
}
