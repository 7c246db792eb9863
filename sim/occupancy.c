/* SPDX-License-Identifier: Apache-2.0 */
/* How many blocks of a kernel a multiprocessor holds at once. */
#include "sim/image.h"

static int least(int a, int b)
{
	return a < b ? a : b;
}

int occupancy_blocks(CUfunction f, int threads, size_t dynamic)
{
	int warp = device_attribute(0, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
	size_t shared = f->image->shared + dynamic + (size_t)device_attribute(0,
		CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
	int blocks = device_attribute(0,
		CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
	size_t memory = (size_t)device_attribute(0,
		CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);

	if (threads > 1024)
		return 0;
	threads = (threads + warp - 1) / warp * warp;
	blocks = least(blocks, device_attribute(0,
		CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / threads);
	return memory / shared < (size_t)blocks ? (int)(memory / shared) :
						  blocks;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks,
		CUfunction func, int blockSize, size_t dynamicSMemSize,
		unsigned int flags)
{
	CUfunction f;
	CUresult rc = function_find(func, &f);

	if (rc)
		return rc;
	if (!numBlocks || blockSize <= 0 || flags > 1)
		return CUDA_ERROR_INVALID_VALUE;
	*numBlocks = occupancy_blocks(f, blockSize, dynamicSMemSize);
	return CUDA_SUCCESS;
}

/* The largest block of those that keep most threads busy. */
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize,
		int *blockSize, CUfunction func,
		CUoccupancyB2DSize blockSizeToDynamicSMemSize,
		size_t dynamicSMemSize, int blockSizeLimit, unsigned int flags)
{
	int best = 0, best_blocks = 0, limit = 1024;
	CUfunction f;
	CUresult rc = function_find(func, &f);

	if (rc)
		return rc;
	if (!minGridSize || !blockSize || flags > 1 || blockSizeLimit < 0)
		return CUDA_ERROR_INVALID_VALUE;
	if (f->image->max_threads)
		limit = least(limit, (int)f->image->max_threads);
	if (blockSizeLimit)
		limit = least(limit, blockSizeLimit);
	for (int size = limit; size > 0; size = (size - 1) / 32 * 32) {
		size_t dynamic = blockSizeToDynamicSMemSize ?
			blockSizeToDynamicSMemSize(size) : dynamicSMemSize;
		int blocks = occupancy_blocks(f, size, dynamic);

		if (blocks * size > best_blocks * best) {
			best = size;
			best_blocks = blocks;
		}
	}
	*blockSize = best;
	*minGridSize = best_blocks * device_attribute(0,
		CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
	return CUDA_SUCCESS;
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize,
		CUfunction func, int numBlocks, int blockSize)
{
	size_t memory = (size_t)device_attribute(0,
		CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
	size_t used;
	CUfunction f;
	CUresult rc = function_find(func, &f);

	if (rc)
		return rc;
	if (!dynamicSmemSize || numBlocks <= 0 || blockSize <= 0 ||
	    blockSize > 1024 || numBlocks > occupancy_blocks(f, blockSize, 0))
		return CUDA_ERROR_INVALID_VALUE;
	used = f->image->shared + (size_t)device_attribute(0,
		CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
	*dynamicSmemSize = memory / (size_t)numBlocks - used;
	return CUDA_SUCCESS;
}
