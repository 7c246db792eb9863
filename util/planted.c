/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs whose name leads to what another user has put there: a link to a file
 * that is to be written over, a file kept open, a FIFO to wait for. The kernel's
 * fs.protected_* do the same where they are set; not all systems set them.
 */
#include "util/planted.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/pages.h"

/* stat has no version older than glibc 2.33. */
static int look(const char *path, int flags, struct stat *its)
{
	return syscall(SYS_newfstatat, AT_FDCWD, path, its, flags) ? -errno : 0;
}

/* Its directory. The name is cut in memory of its own: a signal's stack has no room for it. */
static int look_at_directory(const char *path, struct stat *its)
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) + 1 : 0;
	char *copy;
	int error;

	if (!slash)
		return look(".", 0, its);
	copy = pages_map(NULL, length + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (copy == MAP_FAILED)
		return -ENOMEM;
	memcpy(copy, path, length);
	error = look(copy, 0, its);
	pages_unmap(copy, length + 1);
	return error;
}

static bool is_shared(const struct stat *directory)
{
	mode_t mode = directory->st_mode;

	return mode & S_IWOTH || (mode & S_ISVTX && mode & S_IWGRP) ||
	       (directory->st_uid && directory->st_uid != geteuid());
}

bool planted_possible(const char *path)
{
	struct stat directory;

	return look_at_directory(path, &directory) || is_shared(&directory);
}

int planted_file(const char *path, const struct stat *its)
{
	struct stat directory;
	int error = look_at_directory(path, &directory);

	if (error || !is_shared(&directory))
		return error;
	/* Whose directory it is may replace all in it anyway. */
	if (its->st_uid && its->st_uid != geteuid() && its->st_uid != directory.st_uid)
		return -PLANTED;
	return S_ISREG(its->st_mode) && its->st_nlink > 1 ? -PLANTED : 0;
}

int planted_name(const char *path)
{
	struct stat its;

	return look(path, AT_SYMLINK_NOFOLLOW, &its) ? 0 : planted_file(path, &its);
}
