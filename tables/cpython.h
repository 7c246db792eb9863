/* SPDX-License-Identifier: Apache-2.0 */
/* What tells a version of CPython, of which tables/cpython.def has the layout. */
#ifndef TABLES_CPYTHON_H
#define TABLES_CPYTHON_H

#include <stdint.h>

enum {
	PYTHON_NEWEST = 14,	/* 3.14 */
	PYTHON_DEBUG = 13,	/* since then _PyRuntime begins with _Py_DebugOffsets: ... */
	PYTHON_FREE_THREADED = 16	/* ... at 0 the cookie, at 8 the version, here 1 without the lock */
};

#define PYTHON_COOKIE "xdebugpy"

/* Versions without Py_Version are told by what is new in them, the newest first. */
static const struct {
	const char *symbol;
	uint32_t minor;
} python_since[] = { { "PyModule_AddObjectRef", 10 }, { "PyFrame_GetBack", 9 } };

#endif
