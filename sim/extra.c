/* SPDX-License-Identifier: Apache-2.0 */
/* Functions with nothing to do here, and exports that no header declares. */
#include "sim/sim.h"

#pragma GCC visibility push(default)
CUresult cuEGLApiInit(void);
CUresult cuMemGetAttribute(void);
CUresult cuMemGetAttribute_v2(void);
#pragma GCC visibility pop

CUresult cuEGLApiInit(void)
{
	return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuMemGetAttribute(void)
{
	return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cuMemGetAttribute_v2(void)
{
	return CUDA_ERROR_NOT_SUPPORTED;
}

/* What they do where no profiler is attached. */
CUresult cuProfilerStart(void)
{
	return sim_ready() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

CUresult cuProfilerStop(void)
{
	return sim_ready() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}
