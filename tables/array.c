/* SPDX-License-Identifier: Apache-2.0 */
/* How large the driver's arrays are, by what describes them. */
#include "tables/array.h"

#include <stddef.h>
#include <string.h>

/*
 * As an H200 with driver 580.159.04 made arrays of 4096 x 4096 texels of them;
 * t/3460-array.c asks for a row of each enumerator.
 */
static const struct {
	CUarray_format format;
	struct array_format is;
} rows[] = {
	{ CU_AD_FORMAT_AYUV, { 1, 1, 4, 4 } },
	{ CU_AD_FORMAT_BC1_UNORM, { 4, 4, 8, 4 } },
	{ CU_AD_FORMAT_BC1_UNORM_SRGB, { 4, 4, 8, 4 } },
	{ CU_AD_FORMAT_BC2_UNORM, { 4, 4, 16, 4 } },
	{ CU_AD_FORMAT_BC2_UNORM_SRGB, { 4, 4, 16, 4 } },
	{ CU_AD_FORMAT_BC3_UNORM, { 4, 4, 16, 4 } },
	{ CU_AD_FORMAT_BC3_UNORM_SRGB, { 4, 4, 16, 4 } },
	{ CU_AD_FORMAT_BC4_SNORM, { 4, 4, 8, 1 } },
	{ CU_AD_FORMAT_BC4_UNORM, { 4, 4, 8, 1 } },
	{ CU_AD_FORMAT_BC5_SNORM, { 4, 4, 16, 2 } },
	{ CU_AD_FORMAT_BC5_UNORM, { 4, 4, 16, 2 } },
	{ CU_AD_FORMAT_BC6H_SF16, { 4, 4, 16, 3 } },
	{ CU_AD_FORMAT_BC6H_UF16, { 4, 4, 16, 3 } },
	{ CU_AD_FORMAT_BC7_UNORM, { 4, 4, 16, 4 } },
	{ CU_AD_FORMAT_BC7_UNORM_SRGB, { 4, 4, 16, 4 } },
	{ CU_AD_FORMAT_FLOAT, { 1, 1, 4, 0 } },
	{ CU_AD_FORMAT_HALF, { 1, 1, 2, 0 } },
	{ CU_AD_FORMAT_NV12, { 2, 2, 6, 3 } },
	{ CU_AD_FORMAT_NV16, { 2, 1, 4, 3 } },
	{ CU_AD_FORMAT_P010, { 2, 2, 12, 3 } },
	{ CU_AD_FORMAT_P016, { 2, 2, 12, 3 } },
	{ CU_AD_FORMAT_P210, { 2, 1, 8, 3 } },
	{ CU_AD_FORMAT_P216, { 2, 1, 8, 3 } },
	{ CU_AD_FORMAT_SIGNED_INT16, { 1, 1, 2, 0 } },
	{ CU_AD_FORMAT_SIGNED_INT32, { 1, 1, 4, 0 } },
	{ CU_AD_FORMAT_SIGNED_INT8, { 1, 1, 1, 0 } },
	{ CU_AD_FORMAT_SNORM_INT16X1, { 1, 1, 2, 1 } },
	{ CU_AD_FORMAT_SNORM_INT16X2, { 1, 1, 4, 2 } },
	{ CU_AD_FORMAT_SNORM_INT16X4, { 1, 1, 8, 4 } },
	{ CU_AD_FORMAT_SNORM_INT8X1, { 1, 1, 1, 1 } },
	{ CU_AD_FORMAT_SNORM_INT8X2, { 1, 1, 2, 2 } },
	{ CU_AD_FORMAT_SNORM_INT8X4, { 1, 1, 4, 4 } },
	{ CU_AD_FORMAT_UNORM_INT16X1, { 1, 1, 2, 1 } },
	{ CU_AD_FORMAT_UNORM_INT16X2, { 1, 1, 4, 2 } },
	{ CU_AD_FORMAT_UNORM_INT16X4, { 1, 1, 8, 4 } },
	{ CU_AD_FORMAT_UNORM_INT8X1, { 1, 1, 1, 1 } },
	{ CU_AD_FORMAT_UNORM_INT8X2, { 1, 1, 2, 2 } },
	{ CU_AD_FORMAT_UNORM_INT8X4, { 1, 1, 4, 4 } },
	{ CU_AD_FORMAT_UNORM_INT_101010_2, { 1, 1, 4, 4 } },
	{ CU_AD_FORMAT_UNSIGNED_INT16, { 1, 1, 2, 0 } },
	{ CU_AD_FORMAT_UNSIGNED_INT32, { 1, 1, 4, 0 } },
	{ CU_AD_FORMAT_UNSIGNED_INT8, { 1, 1, 1, 0 } },
	{ CU_AD_FORMAT_Y210, { 2, 1, 8, 2 } },
	{ CU_AD_FORMAT_Y216, { 2, 1, 8, 2 } },
	{ CU_AD_FORMAT_Y410, { 1, 1, 4, 1 } },
	{ CU_AD_FORMAT_Y416, { 1, 1, 8, 4 } },
	{ CU_AD_FORMAT_Y444_PLANAR10, { 1, 1, 6, 3 } },
	{ CU_AD_FORMAT_Y444_PLANAR8, { 1, 1, 3, 3 } },
	{ CU_AD_FORMAT_YUV444_16bit_SemiPlanar, { 1, 1, 6, 3 } },
	{ CU_AD_FORMAT_YUV444_8bit_SemiPlanar, { 1, 1, 3, 3 } },
	{ CU_AD_FORMAT_YUY2, { 2, 1, 4, 4 } },
};

const struct array_format *array_format(CUarray_format format)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].format == format)
			return &rows[i].is;
	return NULL;
}

size_t array_form_size(enum array_form form)
{
	static const size_t sizes[] = {
		[ARRAY_FLAT] = sizeof(CUDA_ARRAY_DESCRIPTOR),
		[ARRAY_FLAT_V1] = sizeof(CUDA_ARRAY_DESCRIPTOR_v1),
		[ARRAY_CUBE] = sizeof(CUDA_ARRAY3D_DESCRIPTOR),
		[ARRAY_CUBE_V1] = sizeof(CUDA_ARRAY3D_DESCRIPTOR_v1),
	};

	return sizes[form];
}

CUDA_ARRAY3D_DESCRIPTOR array_describe(const void *from, enum array_form form)
{
	CUDA_ARRAY3D_DESCRIPTOR array = { .Depth = 0 };
	union array_descriptor its;

	memcpy(&its, from, array_form_size(form));
#define TAKE(member) \
	(array.Width = its.member.Width, array.Height = its.member.Height, \
	 array.Format = its.member.Format, array.NumChannels = its.member.NumChannels)
	switch (form) {
	case ARRAY_FLAT:
		TAKE(flat);
		break;
	case ARRAY_FLAT_V1:
		TAKE(flat_v1);
		break;
	case ARRAY_CUBE:
		array = its.cube;
		break;
	case ARRAY_CUBE_V1:
		TAKE(cube_v1);
		array.Depth = its.cube_v1.Depth;
		array.Flags = its.cube_v1.Flags;
		break;
	}
#undef TAKE
	return array;
}

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

/* What a level leaves of an extent; one of 0 is a dimension less. */
static uint64_t halved(uint64_t extent, uint32_t level)
{
	extent = level < 64 ? extent >> level : 0;
	return extent ? extent : 1;
}

static uint64_t blocks(uint64_t texels, uint8_t block)
{
	return texels / block + (texels % block != 0);
}

bool array_bytes(const CUDA_ARRAY3D_DESCRIPTOR *array, uint32_t levels, uint64_t *bytes)
{
	const struct array_format *format = array_format(array->Format);
	/* Then the depth is a number of layers, which no level halves. */
	bool layers = array->Flags & (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_CUBEMAP), more = true;

	*bytes = 0;
	/* The memory is mapped there, and counted where it comes from. */
	if (array->Flags & (CUDA_ARRAY3D_SPARSE | CUDA_ARRAY3D_DEFERRED_MAPPING))
		return true;
	for (uint32_t level = 0; format && more && (level < levels || !level); level++) {
		uint64_t width = halved(array->Width, level), height = halved(array->Height, level);
		uint64_t depth = halved(array->Depth, layers ? 0 : level);
		uint64_t size = times(times(blocks(width, format->width),
					    blocks(height, format->height)),
				      times(depth, format->bytes));

		if (!format->channels)
			size = times(size, array->NumChannels);
		if (__builtin_add_overflow(*bytes, size, bytes))
			*bytes = UINT64_MAX;
		more = *bytes != UINT64_MAX &&
		       (width > 1 || height > 1 || (depth > 1 && !layers));
	}
	return format;
}
