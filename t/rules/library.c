/* SPDX-License-Identifier: Apache-2.0 */
/* Breaks rules from a library that can be unloaded. */
#include "sim/api.h"

int library_breaks(void);

int library_breaks(void)
{
	return cuCtxSynchronize() == CUDA_SUCCESS;
}
