/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of processes as UTF-8, which they need not be. */
#ifndef CONVERT_UTF8_H
#define CONVERT_UTF8_H

#include <stddef.h>

/* Bytes of the character at text, of which size are there; 0 if it is none. */
size_t utf8_character(const char *text, size_t size);

/* The same text with a question mark for each byte of none; what had to be changed is in scratch. */
struct utf8_scratch {
	char *at;
	size_t size;
};

/* NULL when memory is out. */
const char *utf8_clean(struct utf8_scratch *scratch, const char *text);

#endif
