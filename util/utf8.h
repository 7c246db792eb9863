/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of processes as UTF-8, which they need not be. */
#ifndef UTIL_UTF8_H
#define UTIL_UTF8_H

#include <stdbool.h>
#include <stddef.h>

enum { UTF8_GROWTH = 3 };	/* times as long, at most */

/* Copies size bytes with U+FFFD for each that is no UTF-8, and ends them with a NUL; the new size. */
size_t utf8_copy(char *to, const char *text, size_t size);

/* The same of a text; what had to be changed is in scratch. */
struct utf8_scratch {
	char *at;
	size_t size;
	bool failed;	/* memory was out for one of them */
};

/* NULL when memory is out. */
const char *utf8_clean(struct utf8_scratch *scratch, const char *text);

#endif
