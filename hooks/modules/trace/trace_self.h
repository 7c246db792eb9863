/* SPDX-License-Identifier: Apache-2.0 */
/* Which file a descriptor is: the program may close any, and have another there. */
#ifndef HOOKS_MODULES_TRACE_TRACE_SELF_H
#define HOOKS_MODULES_TRACE_TRACE_SELF_H

#include <stdbool.h>
#include <stdint.h>

struct trace_self {
	struct trace_inode {
		uint64_t inode;
		uint32_t major, minor;
	} file, root;
};

/* Context: call. 0 or -errno. */
int trace_self_look(int fd, struct trace_self *self);

/* Context: call. Whether the descriptor is that file. */
bool trace_self_is(int fd, const struct trace_self *self);

/*
 * Context: call. Whether the path leads to another file or to none; where nobody can tell, no,
 * as after chroot(2).
 */
bool trace_self_is_gone(const char *path, const struct trace_self *self);

/* Context: call. Whether the path is that file's own, which is no pipe, device or link. */
bool trace_self_is_named(const char *path, const struct trace_self *self);

#endif
