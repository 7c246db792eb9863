/* SPDX-License-Identifier: Apache-2.0 */
/* How large the driver's arrays are, by what describes them. */
#include "report/array.h"

uint64_t array_format_bytes(CUarray_format format)
{
	switch ((int)format) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
	case CU_AD_FORMAT_SIGNED_INT8:
		return 1;
	case CU_AD_FORMAT_UNSIGNED_INT16:
	case CU_AD_FORMAT_SIGNED_INT16:
	case CU_AD_FORMAT_HALF:
		return 2;
	case CU_AD_FORMAT_UNSIGNED_INT32:
	case CU_AD_FORMAT_SIGNED_INT32:
	case CU_AD_FORMAT_FLOAT:
		return 4;
	default:
		return 0;
	}
}

uint64_t array_volume(uint64_t width, uint64_t height, uint64_t depth)
{
	return width * (height ? height : 1) * (depth ? depth : 1);
}
