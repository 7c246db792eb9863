/* SPDX-License-Identifier: Apache-2.0 */
/* A library that looks functions up for itself. */
#ifndef T_ROUTES_ASKER_H
#define T_ROUTES_ASKER_H

typedef int (*asker_look_up_fn)(const char *, void **, int, unsigned long long, int *);

/* What that cuGetProcAddress_v2 answers the library for cuInit. */
void *asker_by(asker_look_up_fn look_up);

/* What dlsym answers the library for cuInit. */
void *asker_by_dlsym(void *driver);

/* Calls init from the library. */
int asker_call(int (*init)(unsigned int));

#endif
