/* SPDX-License-Identifier: Apache-2.0 */
/* A report that takes the place of the one before, for who reads it at any time. */
#ifndef HOOKS_MODULES_STAT_FILE_H
#define HOOKS_MODULES_STAT_FILE_H

#include <stdint.h>

#include "report/out.h"

/* Tells an open file from others: programs may close descriptors that are not theirs. */
struct stat_file_id {
	uint64_t inode;
	uint32_t major, minor;
};

/* Context: call. What file a descriptor is of; 0, or -errno where it is of none. */
int stat_file_identify(int fd, struct stat_file_id *id);

/* Context: call. Whether the descriptor is of that file still. */
int stat_file_is(int fd, const struct stat_file_id *id);

/*
 * Context: setup. Writes to what CUAUDIT_OUTPUT names, a file by way of
 * another name in its folder, so that it is whole at any time. 0 or -errno,
 * after a message.
 */
int stat_file_write(struct out *out);

#endif
