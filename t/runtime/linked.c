/* SPDX-License-Identifier: Apache-2.0 */
/* A library that a runtime is linked into. */
#include "t/runtime/runtime.h"

int linked_malloc(void **pointer, size_t size)
{
	int status = cudaMalloc(pointer, size);

	return status;
}
