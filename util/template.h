/* SPDX-License-Identifier: Apache-2.0 */
/* The %-fields of CUAUDIT_OUTPUT. */
#ifndef UTIL_TEMPLATE_H
#define UTIL_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

/* What stands for %p, %e, %r and %t; %h is the name of the host. */
struct template_values {
	pid_t process;
	const char *program, *rank;
	time_t time;
};

/* The first %-field of template that is none, or NULL. Context: bind, setup. */
const char *template_fault(const char *template);

/* Whether it can be no file's path: it ends in a slash, or in "." or ".." by itself. Context: bind, setup. */
bool template_is_directory(const char *template);

/*
 * Fills template in, which has no fault: the length of path, or -ENAMETOOLONG
 * where size bytes do not hold it; path is then what fits. No value leads to
 * another directory: a slash, and a dot at its beginning, are "_". It is cut to 128 bytes.
 * Context: call, setup.
 */
int template_path(const char *template, const struct template_values *values, char *path, size_t size);

#endif
