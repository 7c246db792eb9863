/* SPDX-License-Identifier: Apache-2.0 */
/* Which file a descriptor is. */
#include "hooks/modules/trace/trace_self.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* statx rather than fstat, which old libcs have by another name. */
static int look(int fd, const char *path, int flags, struct trace_inode *inode)
{
	struct statx file;

	if (statx(fd, path, flags, STATX_BASIC_STATS, &file))
		return -errno;
	*inode = (struct trace_inode){ file.stx_ino, file.stx_dev_major, file.stx_dev_minor };
	return 0;
}

int trace_self_look(int fd, struct trace_self *self)
{
	if (look(AT_FDCWD, "/", 0, &self->root))
		self->root = (struct trace_inode){ .inode = 0 };
	return look(fd, "", AT_EMPTY_PATH, &self->file);
}

static bool is_same(const struct trace_inode *a, const struct trace_inode *b)
{
	return a->inode == b->inode && a->major == b->major && a->minor == b->minor;
}

bool trace_self_is(int fd, const struct trace_self *self)
{
	struct trace_inode now;

	return !look(fd, "", AT_EMPTY_PATH, &now) && is_same(&now, &self->file);
}

/* Takes no descriptor, and no permission to read: the program may have neither left. */
bool trace_self_is_gone(const char *path, const struct trace_self *self)
{
	struct trace_inode now;
	int error;

	if (look(AT_FDCWD, "/", 0, &now) || !is_same(&now, &self->root))
		return false;
	error = look(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &now);
	return error ? error == -ENOENT || error == -ENOTDIR : !is_same(&now, &self->file);
}

bool trace_self_is_named(const char *path, const struct trace_self *self)
{
	struct statx file;

	return !statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_TYPE, &file) &&
	       S_ISREG(file.stx_mode) && !trace_self_is_gone(path, self);
}
