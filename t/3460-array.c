/* SPDX-License-Identifier: Apache-2.0 */
/* The sizes of arrays: a row of each format there is, levels, layers, what is too much. */
#include "tables/array.h"

#include <string.h>

#include "t/tap.h"

static const struct {
	const char *of, *name;
	int64_t value;
} enumerators[] = {
#define ENUM(type)
#define FLAGSET(type)
#define ENUM_ALIAS(alias, type)
#define ENUM_END(type)
#define ENUMERATOR(type, name, value) { #type, #name, value },
#include <cuaudit/driver_enums.def>
};

/* Bits of a texel, of two channels where there is a choice; as measured, see tables/array.c. */
static const struct {
	CUarray_format format;
	int bits;
} measured[] = {
	{ CU_AD_FORMAT_UNSIGNED_INT8, 16 }, { CU_AD_FORMAT_HALF, 32 }, { CU_AD_FORMAT_FLOAT, 64 },
	{ CU_AD_FORMAT_NV12, 12 }, { CU_AD_FORMAT_P010, 24 }, { CU_AD_FORMAT_P016, 24 },
	{ CU_AD_FORMAT_NV16, 16 }, { CU_AD_FORMAT_P210, 32 }, { CU_AD_FORMAT_P216, 32 },
	{ CU_AD_FORMAT_YUY2, 16 }, { CU_AD_FORMAT_Y210, 32 }, { CU_AD_FORMAT_Y216, 32 },
	{ CU_AD_FORMAT_AYUV, 32 }, { CU_AD_FORMAT_Y410, 32 }, { CU_AD_FORMAT_Y416, 64 },
	{ CU_AD_FORMAT_Y444_PLANAR8, 24 }, { CU_AD_FORMAT_Y444_PLANAR10, 48 },
	{ CU_AD_FORMAT_YUV444_8bit_SemiPlanar, 24 }, { CU_AD_FORMAT_YUV444_16bit_SemiPlanar, 48 },
	{ CU_AD_FORMAT_BC1_UNORM, 4 }, { CU_AD_FORMAT_BC2_UNORM, 8 },
	{ CU_AD_FORMAT_BC3_UNORM_SRGB, 8 }, { CU_AD_FORMAT_BC4_SNORM, 4 },
	{ CU_AD_FORMAT_BC5_UNORM, 8 }, { CU_AD_FORMAT_BC6H_UF16, 8 },
	{ CU_AD_FORMAT_BC7_UNORM, 8 }, { CU_AD_FORMAT_UNORM_INT8X4, 32 },
	{ CU_AD_FORMAT_SNORM_INT16X4, 64 }, { CU_AD_FORMAT_UNORM_INT_101010_2, 32 },
};

static int64_t bytes(CUDA_ARRAY3D_DESCRIPTOR array, uint32_t levels)
{
	uint64_t size;

	return array_bytes(&array, levels, &size) ? (int64_t)size : -2;
}

#define BYTES(levels, ...) bytes((CUDA_ARRAY3D_DESCRIPTOR){ __VA_ARGS__ }, levels)

static void formats(void)
{
	int count = 0;

	for (size_t i = 0; i < sizeof(enumerators) / sizeof(enumerators[0]); i++) {
		if (strcmp(enumerators[i].of, "CUarray_format") ||
		    !strcmp(enumerators[i].name, "CU_AD_FORMAT_MAX"))
			continue;
		count++;
		ok(array_format((CUarray_format)enumerators[i].value) != NULL, "a row of %s",
		   enumerators[i].name);
		ok(BYTES(1, .Width = 64, .Height = 64, .NumChannels = 1,
			 .Format = (CUarray_format)enumerators[i].value) >= 64 * 64 / 2,
		   "and bytes");
	}
	ok(count >= 51, "%d formats", count);
	for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++)
		is_int(BYTES(1, .Width = 8, .Height = 8, .NumChannels = 2,
			     .Format = measured[i].format), measured[i].bits * 8,
		       "bytes of format 0x%x", (unsigned int)measured[i].format);
	is_int(BYTES(1, .Width = 8, .NumChannels = 1, .Format = (CUarray_format)0x7f), -2,
	       "no row: not known");
}

static void shapes(void)
{
	is_int(BYTES(1, .Width = 100, .NumChannels = 4, .Format = CU_AD_FORMAT_FLOAT), 1600,
	       "one dimension");
	is_int(BYTES(1, .Width = 10, .Height = 10, .Depth = 10, .NumChannels = 1,
		     .Format = CU_AD_FORMAT_HALF), 2000, "three");
	is_int(BYTES(1, .Width = 64, .Height = 64, .Depth = 6, .NumChannels = 4,
		     .Format = CU_AD_FORMAT_UNSIGNED_INT8, .Flags = CUDA_ARRAY3D_CUBEMAP), 98304,
	       "a cube");
	is_int(BYTES(1, .Width = 5, .Height = 3, .NumChannels = 4,
		     .Format = CU_AD_FORMAT_BC1_UNORM), 16, "blocks are whole");
	is_int(BYTES(1, .Width = 5, .Height = 3, .NumChannels = 3, .Format = CU_AD_FORMAT_NV12),
	       36, "and so is a plane of less");
	is_int(BYTES(3, .Width = 16, .Height = 8, .NumChannels = 1,
		     .Format = CU_AD_FORMAT_UNSIGNED_INT8), 128 + 32 + 8, "levels");
	is_int(BYTES(99, .Width = 4, .Height = 2, .NumChannels = 1,
		     .Format = CU_AD_FORMAT_UNSIGNED_INT8), 8 + 2 + 1, "no more than there are");
	is_int(BYTES(0, .Width = 4, .NumChannels = 1, .Format = CU_AD_FORMAT_UNSIGNED_INT8), 4,
	       "one at least");
	is_int(BYTES(2, .Width = 4, .Height = 4, .Depth = 4, .NumChannels = 1,
		     .Format = CU_AD_FORMAT_UNSIGNED_INT8), 64 + 8, "a level halves the depth");
	is_int(BYTES(9, .Width = 4, .Height = 4, .Depth = 4, .NumChannels = 1,
		     .Format = CU_AD_FORMAT_UNSIGNED_INT8, .Flags = CUDA_ARRAY3D_LAYERED),
	       64 + 16 + 4, "but no number of layers");
	is_int(BYTES(2, .Width = 8, .Height = 8, .NumChannels = 4,
		     .Format = CU_AD_FORMAT_BC7_UNORM), 64 + 16, "levels of blocks");
	is_int(BYTES(1, .Width = 64, .Height = 64, .NumChannels = 4, .Format = CU_AD_FORMAT_FLOAT,
		     .Flags = CUDA_ARRAY3D_SPARSE), 0, "a sparse array has none of its own");
	is_int(BYTES(1, .Width = 64, .NumChannels = 4, .Format = CU_AD_FORMAT_FLOAT,
		     .Flags = CUDA_ARRAY3D_DEFERRED_MAPPING), 0, "nor one that is mapped later");
	is_int(BYTES(9, .Width = SIZE_MAX, .Height = SIZE_MAX, .NumChannels = 4,
		     .Format = CU_AD_FORMAT_FLOAT), -1, "too much");
	is_int(BYTES(9, .Width = SIZE_MAX / 16 + 1, .NumChannels = 4,
		     .Format = CU_AD_FORMAT_FLOAT), -1, "just too much");
}

static void forms(void)
{
	const CUDA_ARRAY_DESCRIPTOR flat = { 2, 3, CU_AD_FORMAT_HALF, 4 };
	const CUDA_ARRAY_DESCRIPTOR_v1 flat_v1 = { 2, 3, CU_AD_FORMAT_HALF, 4 };
	const CUDA_ARRAY3D_DESCRIPTOR cube = { 2, 3, 5, CU_AD_FORMAT_HALF, 4, 2 };
	const CUDA_ARRAY3D_DESCRIPTOR_v1 cube_v1 = { 2, 3, 5, CU_AD_FORMAT_HALF, 4, 2 };
	const void *const all[] = {
		[ARRAY_FLAT] = &flat, [ARRAY_FLAT_V1] = &flat_v1,
		[ARRAY_CUBE] = &cube, [ARRAY_CUBE_V1] = &cube_v1,
	};

	for (int form = ARRAY_FLAT; form <= ARRAY_CUBE_V1; form++) {
		CUDA_ARRAY3D_DESCRIPTOR is = array_describe(all[form], (enum array_form)form);

		ok(is.Width == 2 && is.Height == 3 && is.Format == CU_AD_FORMAT_HALF &&
		   is.NumChannels == 4, "form %d", form);
		ok(is.Depth == (form < ARRAY_CUBE ? 0 : 5) && is.Flags == (form < ARRAY_CUBE ? 0 : 2),
		   "its depth and flags");
	}
}

int main(void)
{
	formats();
	shapes();
	forms();
	return done_testing();
}
