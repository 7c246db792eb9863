/* SPDX-License-Identifier: Apache-2.0 */
/* The injection of another tool, which gets all that the program calls too. */
#include "nvtx/nvtx_next.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <internal/range_ops.h>

/* Opened again for each copy of NVTX, and never closed: the loader counts. */
void *nvtx_next(const char *name, char why[NVTX_WHY])
{
	const char *path = secure_getenv("CUAUDIT_NVTX");
	struct statx file;
	void *handle, *found;

	*why = '\0';
	if (!path || !*path)
		return NULL;
	/* The loader would wait for a FIFO's writer, for ever. */
	if (strchr(path, '/') && !statx(AT_FDCWD, path, 0, STATX_TYPE, &file) &&
	    S_ISFIFO(file.stx_mode)) {
		snprintf(why, NVTX_WHY, "no other tool gets ranges: CUAUDIT_NVTX is a FIFO: %s", path);
		return NULL;
	}
	handle = dlopen(path, RTLD_LAZY);
	if (!handle) {
		snprintf(why, NVTX_WHY, "no other tool gets ranges: CUAUDIT_NVTX: %s", dlerror());
		return NULL;
	}
	/* This very library, or a copy of it, would record all of them once more. */
	if (dlsym(handle, RANGES_SYMBOL))
		return NULL;
	found = dlsym(handle, name);
	if (!found)
		snprintf(why, NVTX_WHY, "no other tool gets ranges: CUAUDIT_NVTX has no %s: %s", name, path);
	return found;
}
