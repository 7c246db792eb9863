/* SPDX-License-Identifier: Apache-2.0 */
/* Files by build ID from the servers that DEBUGINFOD_URLS names. */
#ifndef ANALYSIS_DEBUGINFOD_H
#define ANALYSIS_DEBUGINFOD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum debuginfod_kind {
	DEBUGINFOD_EXECUTABLE,
	DEBUGINFOD_DEBUGINFO
};

/* Until it is called again, all downloads together take at most 40 seconds. */
void debuginfod_new_deadline(void);

/*
 * The open file, its path in libdebuginfod's cache copied to path, or -errno: -ENOSYS: there is
 * no DEBUGINFOD_URLS; -ENOENT: no server has the file; -EBADMSG: one sent another; -EFBIG: it
 * is larger than 4 GiB; -ELIBACC: no libdebuginfod; -ETIMEDOUT or an error of the network.
 */
int debuginfod_open(enum debuginfod_kind kind, const uint8_t *id, uint32_t id_size, char *path,
		    size_t size);

/* Whether others are asked for after that, or 0; if not, debuginfod_open returns -ENOSYS. */
bool debuginfod_goes_on(int error);

#endif
