/* SPDX-License-Identifier: Apache-2.0 */
/* A report that takes the place of the one before, for who reads it at any time. */
#include "hooks/modules/stat/stat_file.h"

#include "util/io.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cuaudit/hook.h>

/* What is no file, a link or a pipe, is not replaced. stat has no version older than 2.33. */
static int is_file(const char *path)
{
	struct statx status;

	return statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &status) ||
	       S_ISREG(status.stx_mode);
}

bool stat_file_is_news(int error, int *told)
{
	bool news = error != *told;

	*told = error;
	return news;
}

/* cuaudit_output says itself why it cannot. */
static int write_through(struct out *out, const char *path, int *told)
{
	bool again = *path && *told;
	int fd = again ? io_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, IO_REPORT) : cuaudit_output("");
	int error;

	if (fd < 0 && stat_file_is_news(fd, told) && again)
		cuaudit_log(CUAUDIT_WARN, "stat: cannot write the report: %s: %s",
			    io_remedy(fd), path);
	if (fd < 0)
		return fd;
	error = out_write(out, fd, IO_REPORT);
	io_close(fd);
	if (stat_file_is_news(error, told) && error)
		cuaudit_log(CUAUDIT_WARN, "stat: the report is incomplete: %s",
			    io_remedy(error));
	return error;
}

static int write_new(struct out *out, const char *path)
{
	int fd, error, closed;

	unlink(path);	/* left by a process of the same number that was killed */
	fd = io_open(path, O_WRONLY | O_CREAT | O_EXCL, IO_NOW);
	if (fd < 0)
		return fd;
	error = out_write(out, fd, IO_REPORT);
	closed = io_close(fd);
	return error ? error : closed;
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

int stat_file_write(struct out *out, int *told)
{
	char path[PATH_MAX] = "";
	int error = cuaudit_output_path("", path, sizeof(path));

	if (error == -ENOENT || (!error && !is_file(path)))
		return write_through(out, path, told);
	if (!error)
		error = replace(out, path);
	if (stat_file_is_news(error, told) && error)
		cuaudit_log(CUAUDIT_WARN, "stat: cannot write the report: %s: %s",
			    io_remedy(error), path);
	return error;
}
