/* SPDX-License-Identifier: Apache-2.0 */
/* Names and texts of results. */
#include "sim/sim.h"

static const struct {
	CUresult result;
	const char *name;
	const char *text;
} errors[] = {
#define ERROR(result, text) { result, #result, text },
#include "sim/errors.def"
};

static int find(CUresult result)
{
	for (unsigned int i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].result == result)
			return (int)i;
	return -1;
}

CUresult cuGetErrorName(CUresult error, const char **pStr)
{
	int i = find(error);

	if (!pStr)
		return CUDA_ERROR_INVALID_VALUE;
	*pStr = i < 0 ? NULL : errors[i].name;
	return i < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char **pStr)
{
	int i = find(error);

	if (!pStr)
		return CUDA_ERROR_INVALID_VALUE;
	*pStr = i < 0 ? NULL : errors[i].text;
	return i < 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
