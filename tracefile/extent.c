/* SPDX-License-Identifier: Apache-2.0 */
/* Where a file that may be sparse has data. */
#include "tracefile/extent.h"

#include <errno.h>
#include <unistd.h>

uint64_t extent_data(int fd, uint64_t offset)
{
	off_t at = lseek(fd, (off_t)offset, SEEK_DATA);

	if (at >= 0)
		return (uint64_t)at;
	return errno == ENXIO ? UINT64_MAX : offset;
}

uint64_t extent_hole(int fd, uint64_t offset)
{
	off_t at = lseek(fd, (off_t)offset, SEEK_HOLE);

	return at >= 0 ? (uint64_t)at : UINT64_MAX;
}
