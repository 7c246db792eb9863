/* SPDX-License-Identifier: Apache-2.0 */
/* Which file a descriptor is. */
#include "hooks/modules/trace_self.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* statx rather than fstat, which old libcs have by another name. */
static int look(int fd, const char *path, int flags, struct trace_self *self)
{
	struct statx file;

	if (statx(fd, path, flags, STATX_BASIC_STATS, &file))
		return -errno;
	*self = (struct trace_self){ file.stx_ino, file.stx_dev_major, file.stx_dev_minor };
	return 0;
}

int trace_self_look(int fd, struct trace_self *self)
{
	return look(fd, "", AT_EMPTY_PATH, self);
}

static bool is_same(const struct trace_self *a, const struct trace_self *b)
{
	return a->inode == b->inode && a->major == b->major && a->minor == b->minor;
}

bool trace_self_is(int fd, const struct trace_self *self)
{
	struct trace_self now;

	return !trace_self_look(fd, &now) && is_same(&now, self);
}

/* Takes no descriptor, and no permission to read: the program may have neither left. */
bool trace_self_is_gone(const char *path, const struct trace_self *self)
{
	struct trace_self now;
	int error = look(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &now);

	return error ? error == -ENOENT || error == -ENOTDIR : !is_same(&now, self);
}
