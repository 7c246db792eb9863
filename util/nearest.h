/* SPDX-License-Identifier: Apache-2.0 */
/* The known word nearest to one that is not known. Context: bind, setup. */
#ifndef UTIL_NEAREST_H
#define UTIL_NEAREST_H

#include <stddef.h>

/* Of words, ended by NULL, the one with the least edit distance, capitals or not; NULL if all are far. */
const char *nearest(const char *word, size_t length, const char *const *words);

#endif
