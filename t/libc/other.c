/* SPDX-License-Identifier: Apache-2.0 */
/* A library that copies, too. */
#include "t/libc/other.h"

#include <string.h>

void *other_copies(void *to, const void *from, size_t size)
{
	memcpy(to, from, size);
	return to;
}
