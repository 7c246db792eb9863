/* SPDX-License-Identifier: Apache-2.0 */
/* Fills of device memory with values of one, two or four bytes. */
#include "sim/sim.h"

#include <string.h>

/* width and pitch of the memory to fill; a row of values is one of height 1. */
static CUresult fill(CUdeviceptr dst, size_t pitch, const void *value,
		     size_t bytes, size_t width, size_t height,
		     CUstream hStream)
{
	CUresult rc = copy_begin(hStream);
	size_t row, all;

	if (rc || !width || !height)
		return rc;
	if (__builtin_mul_overflow(width, bytes, &row) ||
	    dst % bytes || (height > 1 && (pitch < row || pitch % bytes)) ||
	    __builtin_mul_overflow(pitch, height - 1, &all) ||
	    __builtin_add_overflow(all, row, &all))
		return CUDA_ERROR_INVALID_VALUE;
	rc = range_check(dst, all);
	if (rc)
		return rc;
	for (size_t y = 0; y < height; y++) {
		char *to = (char *)pointer(dst) + y * pitch;

		if (bytes == 1)
			memset(to, *(const unsigned char *)value, width);
		else
			for (size_t x = 0; x < row; x += bytes)
				memcpy(to + x, value, bytes);
	}
	return CUDA_SUCCESS;
}

CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N,
			 CUstream hStream)
{
	return fill(dstDevice, N, &uc, 1, N, 1, hStream);
}

CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N,
			  CUstream hStream)
{
	return fill(dstDevice, N, &us, 2, N, 1, hStream);
}

CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N,
			  CUstream hStream)
{
	return fill(dstDevice, N, &ui, 4, N, 1, hStream);
}

CUresult cuMemsetD2D8Async(CUdeviceptr dstDevice, size_t dstPitch,
			   unsigned char uc, size_t Width, size_t Height,
			   CUstream hStream)
{
	return fill(dstDevice, dstPitch, &uc, 1, Width, Height, hStream);
}

CUresult cuMemsetD2D16Async(CUdeviceptr dstDevice, size_t dstPitch,
			    unsigned short us, size_t Width, size_t Height,
			    CUstream hStream)
{
	return fill(dstDevice, dstPitch, &us, 2, Width, Height, hStream);
}

CUresult cuMemsetD2D32Async(CUdeviceptr dstDevice, size_t dstPitch,
			    unsigned int ui, size_t Width, size_t Height,
			    CUstream hStream)
{
	return fill(dstDevice, dstPitch, &ui, 4, Width, Height, hStream);
}
