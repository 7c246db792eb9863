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

/* No table is known: what the real driver says of an id it does not know. */
CUresult cuGetExportTable(const void **ppExportTable,
			  const CUuuid *pExportTableId)
{
	if (!ppExportTable || !pExportTableId)
		return CUDA_ERROR_INVALID_VALUE;
	*ppExportTable = NULL;
	return CUDA_ERROR_NOT_FOUND;
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
