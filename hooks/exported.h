/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols that a loaded object exports, from its memory. Context of all: call. */
#ifndef HOOKS_EXPORTED_H
#define HOOKS_EXPORTED_H

#include <stdbool.h>
#include <stdint.h>

struct exported {
	uint64_t bias;
	uint64_t symbols, strings, filter, buckets, chains;
	uint32_t nbuckets, first, nfilter, shift;
};

/* Of the object whose header is at that address; false if it has no table of hashes. */
bool exported_open(struct exported *exported, uint64_t header);

/* A symbol's address, and its size; 0 if it is not there. */
uint64_t exported_find(const struct exported *exported, const char *name, uint64_t *size);

#endif
