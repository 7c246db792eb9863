/* SPDX-License-Identifier: Apache-2.0 */
/* Texts by small numbers, the same for the same text. */
#ifndef UTIL_INTERNED_H
#define UTIL_INTERNED_H

#include <stddef.h>
#include <stdint.h>

#define INTERNED_NONE UINT32_MAX

/* All zero in the beginning. */
struct interned {
	char **texts;		/* by number */
	size_t count;
	uint32_t *slots;	/* numbers + 1, by the texts' hashes */
	size_t nslots;		/* a power of two */
};

/* The number of a text, which is copied; INTERNED_NONE when memory is out. */
uint32_t interned_number(struct interned *interned, const char *text);

void interned_free(struct interned *interned);

#endif
