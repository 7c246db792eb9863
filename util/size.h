/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes as people write them: 512M, 1.5GiB, 4gb. */
#ifndef UTIL_SIZE_H
#define UTIL_SIZE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Context: bind, call. A number, perhaps with a fraction, perhaps with K, M, G, T or P
 * behind it in either case: alone or before iB a power of 1024, before B one of
 * 1000; or with B alone. False for anything else, a fraction of bytes, and what
 * is no number of 64 bits. What a fraction leaves of a byte is cut.
 */
bool size_parse(const char *text, uint64_t *size);

#endif
