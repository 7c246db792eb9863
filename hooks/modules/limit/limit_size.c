/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver will take for a request. */
#include "hooks/modules/limit/limit_size.h"

#include "tables/array.h"

enum { GRANULARITY = 512 };

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? SIZE_TOO_MUCH : product;
}

uint64_t size_linear(uint64_t bytes)
{
	return bytes > SIZE_TOO_MUCH - GRANULARITY ? SIZE_TOO_MUCH :
					       (bytes + GRANULARITY - 1) / GRANULARITY * GRANULARITY;
}

uint64_t size_fitting(uint64_t bytes)
{
	return bytes / GRANULARITY * GRANULARITY;
}

uint64_t size_pitched(uint64_t width, uint64_t height)
{
	return times(size_linear(width), height);
}

uint64_t size_array(const CUDA_ARRAY3D_DESCRIPTOR *array, uint32_t levels)
{
	CUDA_ARRAY3D_DESCRIPTOR most = *array;
	uint64_t bytes;

	if (!array_bytes(array, levels, &bytes)) {
		/* One newer than the table counts as the largest there is. */
		most.Format = CU_AD_FORMAT_FLOAT;
		most.NumChannels = 4;
		array_bytes(&most, levels, &bytes);
	}
	return size_linear(bytes);
}
