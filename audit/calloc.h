/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the loader from starting the program's malloc too early. Context: bind. */
#ifndef AUDIT_CALLOC_H
#define AUDIT_CALLOC_H

#include <stdbool.h>
#include <stdint.h>

/*
 * ld.so of glibc 2.32 and later calls the program's calloc as soon as it has
 * looked it up. For auditors with la_symbind64 it relocates its own PLT, where
 * it has one (2.36 has, 2.41 has none), by a calloc before libc learns that
 * it is the program's: malloc then takes itself for that of an inner namespace,
 * which must not use brk. That one call is given memory of ours.
 */

/* Each object, before it is bound; the first one of the base namespace is the program. */
void calloc_open(bool base, const uintptr_t *cookie);

/* What a look-up of name, as by dlsym, is to yield: value, or what stands in for it. */
uintptr_t calloc_bind(const uintptr_t *from, uintptr_t value, const char *name);

/* All that starts with the program is bound. */
void calloc_settle(const uintptr_t *cookie);

#endif
