/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver will take for a request. */
#include "hooks/modules/limit_size.h"

enum { GRAIN = 512 };

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? SIZE_TOO_MUCH : product;
}

uint64_t size_linear(uint64_t bytes)
{
	return bytes > SIZE_TOO_MUCH - GRAIN ? SIZE_TOO_MUCH :
					       (bytes + GRAIN - 1) / GRAIN * GRAIN;
}

uint64_t size_pitched(uint64_t width, uint64_t height)
{
	return times(size_linear(width), height);
}

/* Bits of a texel, of a channel of it where channels is not 0. */
static uint64_t texel_bits(CUarray_format format, uint64_t channels)
{
	switch (format) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
	case CU_AD_FORMAT_SIGNED_INT8:
		return 8 * channels;
	case CU_AD_FORMAT_UNSIGNED_INT16:
	case CU_AD_FORMAT_SIGNED_INT16:
	case CU_AD_FORMAT_HALF:
		return 16 * channels;
	case CU_AD_FORMAT_BC1_UNORM:
	case CU_AD_FORMAT_BC1_UNORM_SRGB:
	case CU_AD_FORMAT_BC4_UNORM:
	case CU_AD_FORMAT_BC4_SNORM:
		return 4;
	case CU_AD_FORMAT_BC2_UNORM:
	case CU_AD_FORMAT_BC2_UNORM_SRGB:
	case CU_AD_FORMAT_BC3_UNORM:
	case CU_AD_FORMAT_BC3_UNORM_SRGB:
	case CU_AD_FORMAT_BC5_UNORM:
	case CU_AD_FORMAT_BC5_SNORM:
	case CU_AD_FORMAT_BC6H_UF16:
	case CU_AD_FORMAT_BC6H_SF16:
	case CU_AD_FORMAT_BC7_UNORM:
	case CU_AD_FORMAT_BC7_UNORM_SRGB:
	case CU_AD_FORMAT_UNORM_INT8X1:
	case CU_AD_FORMAT_SNORM_INT8X1:
		return 8;
	case CU_AD_FORMAT_NV12:
		return 12;
	case CU_AD_FORMAT_UNORM_INT8X2:
	case CU_AD_FORMAT_SNORM_INT8X2:
	case CU_AD_FORMAT_UNORM_INT16X1:
	case CU_AD_FORMAT_SNORM_INT16X1:
	case CU_AD_FORMAT_NV16:
	case CU_AD_FORMAT_YUY2:
		return 16;
	case CU_AD_FORMAT_P010:
	case CU_AD_FORMAT_P016:
	case CU_AD_FORMAT_Y444_PLANAR8:
	case CU_AD_FORMAT_YUV444_8bit_SemiPlanar:
		return 24;
	case CU_AD_FORMAT_UNORM_INT16X4:
	case CU_AD_FORMAT_SNORM_INT16X4:
	case CU_AD_FORMAT_Y416:
		return 64;
	case CU_AD_FORMAT_Y444_PLANAR10:
	case CU_AD_FORMAT_YUV444_16bit_SemiPlanar:
		return 48;
	case CU_AD_FORMAT_UNSIGNED_INT32:
	case CU_AD_FORMAT_SIGNED_INT32:
	case CU_AD_FORMAT_FLOAT:
		return 32 * channels;
	default:
		return 32;
	}
}

static uint64_t half(uint64_t extent, uint32_t level)
{
	extent = level < 64 ? extent >> level : 0;
	return extent ? extent : 1;
}

uint64_t size_array(const CUDA_ARRAY3D_DESCRIPTOR *array, uint32_t levels)
{
	uint64_t bits = texel_bits(array->Format, array->NumChannels), all = 0;
	/* Then the depth is a number of layers, which no level halves. */
	int layers = array->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP);

	if (array->Flags & (CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING))
		return 0;
	for (uint32_t level = 0; level < levels && level < 64; level++) {
		uint64_t texels = times(times(half(array->Width, level),
					      half(array->Height, level)),
					half(array->Depth, layers ? 0 : level));
		uint64_t size = times(texels, bits);

		if (size == SIZE_TOO_MUCH)
			return size;
		all += (size + 7) / 8;
		if (all < (size + 7) / 8)
			return SIZE_TOO_MUCH;
	}
	return size_linear(all);
}
