/* SPDX-License-Identifier: Apache-2.0 */
/* Names of C++ functions, as kernels and libraries have them, for people. */
#ifndef TRACEFILE_DEMANGLE_H
#define TRACEFILE_DEMANGLE_H

#include <stdbool.h>

enum demangle {
	DEMANGLE_NO,
	DEMANGLE_BASE,	/* a::f of void a::f<int>(int) */
	DEMANGLE_SHORT,	/* a::f<int> */
	DEMANGLE_FULL
};

/* The words users have for them. */
#define DEMANGLE_WORDS "full|short|base|no"

/* One of these words. */
enum demangle demangle_named(const char *word);

/* Whether this tool was built with what it takes; else no name changes. */
bool demangle_is_there(void);

/* A name has no more than so many times the bytes of its symbol. */
enum { DEMANGLE_TIMES = 8 };

/*
 * What the ELF symbol means, to be freed: in that way, or in a shorter one if it
 * would be too long. NULL: it is no name of C++'s, it is too long in any way, or
 * memory is out, which errno says then.
 */
char *demangle(const char *symbol, enum demangle how);

#endif
