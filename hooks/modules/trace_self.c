/* SPDX-License-Identifier: Apache-2.0 */
/* Which file a descriptor is. */
#include "hooks/modules/trace_self.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

/* statx rather than fstat, which old libcs have by another name. */
int trace_self_look(int fd, struct trace_self *self)
{
	struct statx file;

	if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &file))
		return -errno;
	*self = (struct trace_self){ file.stx_ino, file.stx_dev_major, file.stx_dev_minor };
	return 0;
}

bool trace_self_is(int fd, const struct trace_self *self)
{
	struct trace_self now;

	return !trace_self_look(fd, &now) && now.inode == self->inode &&
	       now.major == self->major && now.minor == self->minor;
}
