/* SPDX-License-Identifier: Apache-2.0 */
/* What parts of the auditor take of audit/sys.c, from the libc, for tests that build them alone. */
#ifndef T_SYS_H
#define T_SYS_H

#include <string.h>

#include "audit/sys.h"

char *sys_copy(const char *text, size_t length)
{
	return strndup(text, length);
}

size_t sys_strlen(const char *text)
{
	return strlen(text);
}

const char *sys_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

#endif
