/* SPDX-License-Identifier: Apache-2.0 */
/* What all processes of a user hold together, in a file they share. */
/*
 * Each process has a row, and keeps that row's byte of the file locked as
 * long as it lives; the kernel unlocks it however the process ends, and in
 * whichever PID namespace it was. What stands in the row of a byte that
 * nobody locks is of the dead. Rows are added up and written under a lock of
 * the file's first byte, but for what a process gives back. These are locks
 * of open file descriptions: threads share them, so a lock of this process
 * comes first.
 */
#include "hooks/modules/limit_shared.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hooks/modules/limit_spin.h"

#define MAGIC UINT64_C(0x3174696d696c7563)	/* "culimit1" */

enum { ROWS = 1023, LOW_FD = 700 };

/* The bytes locked are the rows' own, so row 0 is the header; used there: rows ever taken. */
struct row {
	_Atomic uint64_t used;
	uint64_t magic;		/* of row 0 */
	uint64_t padding[6];
};

static char path[PATH_MAX];
static struct row *rows;
static int fd = -1;

/* Under the lock. */
static atomic_flag lock;
static uint32_t mine;	/* 0: no row yet */
static uint64_t held;	/* by this process; what its row says */

static int file_lock(uint32_t row, short type, bool wait)
{
	struct flock what = {
		.l_type = type,
		.l_whence = SEEK_SET,
		.l_start = (off_t)(row * sizeof(struct row)),
		.l_len = 1,
	};
	int result;

	do
		result = fcntl(fd, wait ? F_OFD_SETLKW : F_OFD_SETLK, &what);
	while (result && errno == EINTR);
	return result;
}

static bool dead(uint32_t row)
{
	struct flock what = {
		.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = (off_t)(row * sizeof(struct row)),
		.l_len = 1,
	};

	return !fcntl(fd, F_OFD_GETLK, &what) && what.l_type == F_UNLCK;
}

/* statx rather than fstat, which old libcs have by another name. */
static int look(struct statx *file)
{
	return statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, file) ? -errno : 0;
}

/* The program may have closed it, and opened another under its number. */
static bool still_ours(void)
{
	static struct statx first;
	struct statx now;

	if (fd < 0 || look(&now))
		return false;
	if (!first.stx_ino)
		first = now;
	return now.stx_ino == first.stx_ino && now.stx_dev_major == first.stx_dev_major &&
	       now.stx_dev_minor == first.stx_dev_minor;
}

static int open_file(void)
{
	int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600), high;

	if (file < 0)
		return -errno;
	high = fcntl(file, F_DUPFD_CLOEXEC, LOW_FD);
	if (high >= 0) {
		close(file);
		file = high;
	}
	fd = file;
	return 0;
}

static bool enter(void)
{
	spin_lock(&lock);
	if (!still_ours()) {
		/* Our row's lock went with it: what stands there may be another's by now. */
		mine = 0;
		fd = -1;
		if (open_file() || !still_ours())
			goto failed;
	}
	if (!file_lock(0, F_WRLCK, true))
		return true;
failed:
	spin_unlock(&lock);
	return false;
}

static void leave(void)
{
	file_lock(0, F_UNLCK, false);
	spin_unlock(&lock);
}

static void hold(uint64_t bytes)
{
	held = bytes;
	if (mine)
		atomic_store(&rows[mine].used, held);
}

static bool take_row(void)
{
	for (uint32_t row = 1; row <= ROWS; row++) {
		if (!dead(row) || file_lock(row, F_WRLCK, false))
			continue;
		if (row > rows[0].used)
			rows[0].used = row;
		mine = row;
		hold(held);
		return true;
	}
	return false;
}

static uint64_t sum(void)
{
	uint64_t all = 0;

	for (uint32_t row = 1; row <= rows[0].used && row <= ROWS; row++)
		all += atomic_load_explicit(&rows[row].used, memory_order_relaxed);
	return all;
}

static void bury(void)
{
	for (uint32_t row = 1; row <= rows[0].used && row <= ROWS; row++)
		if (row != mine && atomic_load(&rows[row].used) && dead(row))
			atomic_store(&rows[row].used, 0);
}

static bool fits(uint64_t bytes, uint64_t limit)
{
	uint64_t all = sum();

	return all <= limit && bytes <= limit - all;
}

bool shared_take(uint64_t bytes, uint64_t limit, bool force)
{
	int error = errno;
	bool taken = force;

	if (!rows)
		return true;
	if (enter()) {
		if (mine || take_row()) {
			if (!taken)
				taken = fits(bytes, limit);
			if (!taken) {
				bury();
				taken = fits(bytes, limit);
			}
		}
		if (taken)
			hold(held + bytes);
		leave();
	} else if (force) {
		spin_lock(&lock);
		hold(held + bytes);
		spin_unlock(&lock);
	}
	errno = error;
	return taken;
}

void shared_give(uint64_t bytes)
{
	if (!rows)
		return;
	spin_lock(&lock);
	hold(held - bytes);
	spin_unlock(&lock);
}

uint64_t shared_used(void)
{
	int error = errno;
	uint64_t all = 0;

	if (rows && enter()) {
		bury();
		all = sum();
		leave();
	}
	errno = error;
	return all;
}

static int map(void)
{
	size_t size = (ROWS + 1) * sizeof(struct row);
	struct statx file;
	int error = look(&file);
	void *at;

	if (error)
		return error;
	if (file.stx_uid != geteuid() && file.stx_uid != 0)
		return -EPERM;
	if (file.stx_size && file.stx_size != size)
		return -EINVAL;
	if (!file.stx_size && ftruncate(fd, (off_t)size))
		return -errno;
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return -errno;
	rows = at;
	if (!rows[0].magic)
		rows[0].magic = MAGIC;
	return rows[0].magic == MAGIC ? 0 : -EINVAL;
}

int shared_open(const char *where)
{
	int error;

	if (where)
		snprintf(path, sizeof(path), "%s", where);
	else
		snprintf(path, sizeof(path), "/dev/shm/cuaudit-limit-%u", (unsigned int)geteuid());
	error = open_file();
	if (error)
		return error;
	if (!enter())
		return -EIO;
	error = map();
	leave();
	if (error)
		rows = NULL;
	return error;
}

void shared_forked(void)
{
	atomic_flag_clear(&lock);
	mine = 0;
	held = 0;
	if (still_ours())
		close(fd);
	fd = -1;
}

void shared_close(void)
{
	if (!rows)
		return;
	spin_lock(&lock);
	hold(0);
	spin_unlock(&lock);
}
