/* SPDX-License-Identifier: Apache-2.0 */
/* A library that copies, too. */
#ifndef T_LIBC_OTHER_H
#define T_LIBC_OTHER_H

#include <stddef.h>

void *other_copies(void *to, const void *from, size_t size);

#endif
