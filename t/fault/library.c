/* SPDX-License-Identifier: Apache-2.0 */
/* A library that allocates for itself. */
#include "t/fake/driver.h"

int library_alloc(size_t size);

int library_alloc(size_t size)
{
	unsigned long long pointer;
	/* Not a tail call: the return address is ours. */
	volatile int result = cuMemAlloc_v2(&pointer, size);

	return result;
}
