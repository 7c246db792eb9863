/* SPDX-License-Identifier: Apache-2.0 */
/* What the library of the tests offers. */
#ifndef T_ROUTES_LIBRARY_H
#define T_ROUTES_LIBRARY_H

typedef int (*library_query_fn)(void *stream);

/* Calls cuInit. */
int library_init(void);

/* The address of cuStreamQuery. */
library_query_fn library_address(void);

/* Calls cuCtxGetCurrent. */
int library_by_table(void);

#endif
