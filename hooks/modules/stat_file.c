/* SPDX-License-Identifier: Apache-2.0 */
/* A report that takes the place of the one before, for who reads it at any time. */
#include "hooks/modules/stat_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cuaudit/hook.h>

/* What is wrong, and what to do about it. strerror may not be called here. */
const char *stat_file_reason(int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
		return "the directory does not exist; create it";
	case EACCES:
	case EPERM:
		return "no permission to write there; choose another directory";
	case EROFS:
		return "the file system is read-only; choose another directory";
	case ENOSPC:
		return "the file system is full; free some space or choose another directory";
	case EDQUOT:
		return "the disk quota is used up; free some space or choose another directory";
	case EFBIG:
		return "the limit on the size of files is too low; raise it with ulimit -f";
	case EMFILE:
	case ENFILE:
		return "too many files are open; raise the limit with ulimit -n";
	case EEXIST:
		return "all names from this to .9999 are taken; remove old files";
	case ENAMETOOLONG:
		return "the path is too long; choose a shorter one";
	case ENOMEM:
		return "there is no memory";
	case ESTALE:
		return "the file was removed or replaced; leave it while the process runs";
	case EISDIR:
		return "it is a directory; choose the path of a file";
	case EPIPE:
		return "its reader is gone";
	default:
		return "input/output error; choose another path";
	}
}

/* What is no file, a pipe or a terminal, cannot be replaced. stat has no version older than 2.33. */
static int is_file(const char *path)
{
	struct statx status;

	return statx(AT_FDCWD, path, 0, STATX_TYPE, &status) || S_ISREG(status.stx_mode);
}

static int write_through(struct out *out)
{
	int fd = cuaudit_output(""), error;

	if (fd < 0)
		return fd;
	error = out_write(out, fd);
	close(fd);
	if (error)
		cuaudit_log(CUAUDIT_WARN, "stat: the report is incomplete: %s",
			    stat_file_reason(-error));
	return error;
}

static int write_new(struct out *out, const char *path)
{
	int fd, error;

	unlink(path);	/* left by a process of the same number that was killed */
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	error = out_write(out, fd);
	return close(fd) && !error ? -errno : error;
}

static int replace(struct out *out, const char *path)
{
	char temporary[PATH_MAX + 32];
	int error;

	snprintf(temporary, sizeof(temporary), "%s.%d", path, (int)getpid());
	error = write_new(out, temporary);
	if (!error && rename(temporary, path))
		error = -errno;
	if (error)
		unlink(temporary);
	return error;
}

int stat_file_write(struct out *out)
{
	char path[PATH_MAX] = "";
	int error = cuaudit_output_path("", path, sizeof(path));

	if (error == -ENOENT || (!error && !is_file(path)))
		return write_through(out);
	if (!error)
		error = replace(out, path);
	if (error)
		cuaudit_log(CUAUDIT_WARN, "stat: cannot write the report: %s: %s",
			    stat_file_reason(-error), path);
	return error;
}
