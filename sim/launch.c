/* SPDX-License-Identifier: Apache-2.0 */
/* Launches: checked as a device would, recorded, and nothing run. */
#include "sim/image.h"

#include <stdio.h>
#include <unistd.h>

enum { LAST_ATTRIBUTE = CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING };

struct launch {
	unsigned int grid[3];
	unsigned int block[3];
	unsigned int cluster[3];
	unsigned int shared;
	bool cooperative;
	CUstream stream;
	CUfunction function;
	void **params;
	void **extra;
};

static size_t product(const unsigned int dim[3])
{
	return (size_t)dim[0] * dim[1] * dim[2];
}

static CUresult check_shape(const struct launch *l)
{
	unsigned int most = l->function->image->max_threads;

	for (int i = 0; i < 3; i++) {
		int grid = device_attribute(0,
			CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i);
		int block = device_attribute(0,
			CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i);

		if (!l->grid[i] || l->grid[i] > (unsigned int)grid ||
		    !l->block[i] || l->block[i] > (unsigned int)block)
			return CUDA_ERROR_INVALID_VALUE;
	}
	if (product(l->block) > 1024 || (most && product(l->block) > most))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

static CUresult check_shared(const struct launch *l)
{
	int most;
	CUresult rc = cuFuncGetAttribute(&most,
		CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, l->function);

	if (rc)
		return rc;
	return l->shared > (unsigned int)most ? CUDA_ERROR_INVALID_VALUE :
						CUDA_SUCCESS;
}

static CUresult check_cluster(const struct launch *l)
{
	unsigned int most = l->function->settings.non_portable ? 16 : 8;

	if (!l->cluster[0])
		return CUDA_SUCCESS;
	for (int i = 0; i < 3; i++)
		if (!l->cluster[i] || l->grid[i] % l->cluster[i])
			return CUDA_ERROR_INVALID_CLUSTER_SIZE;
	return product(l->cluster) > most ? CUDA_ERROR_INVALID_CLUSTER_SIZE :
					    CUDA_SUCCESS;
}

static CUresult check_cooperative(const struct launch *l)
{
	size_t fit;

	if (!l->cooperative)
		return CUDA_SUCCESS;
	fit = (size_t)occupancy_blocks(l->function, (int)product(l->block),
				       l->shared);
	fit *= (size_t)device_attribute(0,
		CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
	return product(l->grid) > fit ?
		CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE : CUDA_SUCCESS;
}

/* Either an address for each parameter, or one buffer that holds them all. */
static CUresult check_params(const struct launch *l)
{
	const struct image_function *image = l->function->image;
	const void *buffer = NULL;
	size_t size = 0, needed;

	if (l->params && l->extra)
		return CUDA_ERROR_INVALID_VALUE;
	if (!image->nparams)
		return CUDA_SUCCESS;
	if (l->params) {
		for (unsigned int i = 0; i < image->nparams; i++)
			if (!l->params[i])
				return CUDA_ERROR_INVALID_VALUE;
		return CUDA_SUCCESS;
	}
	if (!l->extra)
		return CUDA_ERROR_INVALID_VALUE;
	for (void **e = l->extra; *e != CU_LAUNCH_PARAM_END; e += 2) {
		if (*e == CU_LAUNCH_PARAM_BUFFER_POINTER)
			buffer = e[1];
		else if (*e == CU_LAUNCH_PARAM_BUFFER_SIZE)
			size = *(size_t *)e[1];
		else
			return CUDA_ERROR_INVALID_VALUE;
	}
	needed = image->params[image->nparams - 1].offset +
		 image->params[image->nparams - 1].size;
	return !buffer || size < needed ? CUDA_ERROR_INVALID_VALUE :
					  CUDA_SUCCESS;
}

/* One write, so that lines of many threads stay whole. */
static CUresult record(const struct launch *l)
{
	char line[512];
	int n;

	if (sim_config.launches < 0)
		return CUDA_SUCCESS;
	n = snprintf(line, sizeof(line),
		     "%.300s grid=%u,%u,%u block=%u,%u,%u shared=%u "
		     "stream=%llu device=%d cooperative=%d\n",
		     l->function->image->name, l->grid[0], l->grid[1],
		     l->grid[2], l->block[0], l->block[1], l->block[2],
		     l->shared, (unsigned long long)l->stream->id,
		     l->stream->object.context->device, l->cooperative);
	return write(sim_config.launches, line, (size_t)n) == n ?
		CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}

static CUresult checked(struct launch *l, const char **why)
{
	CUresult rc = stream_find(l->stream, &l->stream);

	if (!rc)
		rc = function_find(l->function, &l->function);
	if (rc)
		return rc;
	if (l->function->object.context != l->stream->object.context)
		return CUDA_ERROR_INVALID_HANDLE;
	*why = "Grid or block dimensions are out of range";
	rc = check_shape(l);
	if (rc)
		return rc;
	*why = "Requested dynamic shared memory exceeds the maximum";
	rc = check_shared(l);
	if (rc)
		return rc;
	*why = NULL;
	rc = check_cluster(l);
	if (!rc)
		rc = check_cooperative(l);
	return rc ? rc : check_params(l);
}

static CUresult launch(struct launch *l)
{
	const char *why = NULL;
	CUresult rc = checked(l, &why);

	if (rc)
		return sim_failed(rc, "cuLaunchKernel", why);
	if (sim_config.launch_ns)
		stream_work(l->stream, sim_config.launch_ns);
	return record(l);
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX,
			unsigned int gridDimY, unsigned int gridDimZ,
			unsigned int blockDimX, unsigned int blockDimY,
			unsigned int blockDimZ, unsigned int sharedMemBytes,
			CUstream hStream, void **kernelParams, void **extra)
{
	struct launch l = {
		.grid = { gridDimX, gridDimY, gridDimZ },
		.block = { blockDimX, blockDimY, blockDimZ },
		.shared = sharedMemBytes,
		.stream = hStream,
		.function = f,
		.params = kernelParams,
		.extra = extra,
	};

	return launch(&l);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX,
				   unsigned int gridDimY,
				   unsigned int gridDimZ,
				   unsigned int blockDimX,
				   unsigned int blockDimY,
				   unsigned int blockDimZ,
				   unsigned int sharedMemBytes,
				   CUstream hStream, void **kernelParams)
{
	struct launch l = {
		.grid = { gridDimX, gridDimY, gridDimZ },
		.block = { blockDimX, blockDimY, blockDimZ },
		.shared = sharedMemBytes,
		.cooperative = true,
		.stream = hStream,
		.function = f,
		.params = kernelParams,
	};

	return launch(&l);
}

static CUresult launch_config(const CUlaunchConfig *config, CUstream none,
			      CUfunction f, void **params, void **extra)
{
	struct launch l;

	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!config || (config->numAttrs && !config->attrs))
		return CUDA_ERROR_INVALID_VALUE;
	l = (struct launch){
		.grid = { config->gridDimX, config->gridDimY,
			  config->gridDimZ },
		.block = { config->blockDimX, config->blockDimY,
			   config->blockDimZ },
		.shared = config->sharedMemBytes,
		.stream = config->hStream ? config->hStream : none,
		.function = f,
		.params = params,
		.extra = extra,
	};
	for (unsigned int i = 0; i < config->numAttrs; i++) {
		const CUlaunchAttribute *a = config->attrs + i;

		if (a->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
			l.cooperative = a->value.cooperative;
		} else if (a->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
			l.cluster[0] = a->value.clusterDim.x;
			l.cluster[1] = a->value.clusterDim.y;
			l.cluster[2] = a->value.clusterDim.z;
		} else if ((unsigned int)a->id > LAST_ATTRIBUTE) {
			return CUDA_ERROR_INVALID_VALUE;
		}
	}
	return launch(&l);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f,
			  void **kernelParams, void **extra)
{
	return launch_config(config, NULL, f, kernelParams, extra);
}

/* Its stream is in the structure, where forward.c does not look. */
CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction f,
			       void **kernelParams, void **extra)
{
	return launch_config(config, CU_STREAM_PER_THREAD, f, kernelParams,
			     extra);
}
