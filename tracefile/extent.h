/* SPDX-License-Identifier: Apache-2.0 */
/* Where a file that may be sparse has data. */
#ifndef TRACEFILE_EXTENT_H
#define TRACEFILE_EXTENT_H

#include <stdint.h>

/*
 * The first byte of data at offset or behind it, UINT64_MAX if there is none; the first
 * of a hole, which the file's end counts as. Where the file system does not tell, all is
 * data. They move the descriptor's position.
 */
uint64_t extent_data(int fd, uint64_t offset);
uint64_t extent_hole(int fd, uint64_t offset);

#endif
