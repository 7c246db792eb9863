/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions around which no hook can be. Context: any; needs no libc. */
#ifndef UTIL_UNFIT_H
#define UTIL_UNFIT_H

#include <stdbool.h>
#include <stddef.h>

/* name: without its library and its version, length bytes of it. */
bool unfit_name(const char *name, size_t length);

#endif
