/* SPDX-License-Identifier: Apache-2.0 */
/* Which results are errors: CUDA_ERROR_NOT_READY is what a query answers. */
#ifndef TABLES_QUERY_H
#define TABLES_QUERY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define QUERY_WORD "Query"	/* in the names of such functions, and of no others */

enum { QUERY_NOT_READY = 600 };	/* CUDA_ERROR_NOT_READY */

static inline bool query_is(const char *function)
{
	return strstr(function, QUERY_WORD);
}

static inline bool query_is_error(const char *function, int32_t result)
{
	return result && (result != QUERY_NOT_READY || !query_is(function));
}

#endif
