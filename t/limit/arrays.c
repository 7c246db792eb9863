/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that stay, on t/limit/driver.c: prints how many bytes, by this program's own count. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuaudit/cuda_types.h>

CUresult cuInit(unsigned int flags);
CUresult cuArray3DCreate_v2(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *as);
CUresult cuArrayCreate_v2(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *as);
CUresult cuMipmappedArrayCreate(CUmipmappedArray *array, const CUDA_ARRAY3D_DESCRIPTOR *as,
				unsigned int levels);

static uint64_t bytes;

static void cube(CUDA_ARRAY3D_DESCRIPTOR as, uint64_t takes)
{
	CUarray array;

	if (cuArray3DCreate_v2(&array, &as))
		exit(1);
	bytes += takes;
}

static void levels(CUDA_ARRAY3D_DESCRIPTOR as, unsigned int count, uint64_t takes)
{
	CUmipmappedArray array;

	if (cuMipmappedArrayCreate(&array, &as, count))
		exit(1);
	bytes += takes;
}

#define AS(...) (CUDA_ARRAY3D_DESCRIPTOR){ __VA_ARGS__ }

int main(int argc, char **argv)
{
	CUDA_ARRAY_DESCRIPTOR flat = { 1024, 512, CU_AD_FORMAT_BC1_UNORM, 4 };
	CUarray array;

	cuInit(0);
	if (argc > 1 && !strcmp(argv[1], "unknown")) {
		cube(AS(1024, 512, 0, (CUarray_format)0x7f, 4, 0), 0);
		return 0;
	}
	if (cuArrayCreate_v2(&array, &flat))
		return 1;
	bytes += 1024 * 512 / 2;
	cube(AS(1024, 512, 0, CU_AD_FORMAT_NV12, 3, 0x100), 1024 * 512 * 3 / 2);
	cube(AS(1024, 512, 0, CU_AD_FORMAT_P010, 3, 0x100), 1024 * 512 * 3);
	cube(AS(1024, 512, 0, CU_AD_FORMAT_YUY2, 4, 0x100), 1024 * 512 * 2);
	cube(AS(1024, 512, 0, CU_AD_FORMAT_BC7_UNORM, 4, 0), 1024 * 512);
	cube(AS(512, 512, 12, CU_AD_FORMAT_UNSIGNED_INT8, 4, CUDA_ARRAY3D_LAYERED |
		CUDA_ARRAY3D_CUBEMAP), 512 * 512 * 12 * 4);
	cube(AS(64, 64, 64, CU_AD_FORMAT_HALF, 2, 0), 64 * 64 * 64 * 4);
	cube(AS(1024, 512, 0, CU_AD_FORMAT_FLOAT, 4, CUDA_ARRAY3D_SPARSE), 0);
	levels(AS(512, 512, 0, CU_AD_FORMAT_BC3_UNORM, 4, 0), 2, 512 * 512 + 256 * 256);
	levels(AS(64, 64, 8, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_LAYERED), 2,
	       (64 * 64 + 32 * 32) * 8 * 4);
	printf("%llu\n", (unsigned long long)bytes);
	return 0;
}
