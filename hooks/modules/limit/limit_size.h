/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver will take for a request. */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_SIZE_H
#define HOOKS_MODULES_LIMIT_LIMIT_SIZE_H

#include <stdint.h>

#include <cuaudit/cuda_types.h>

#define SIZE_TOO_MUCH UINT64_MAX	/* more than any device has */

/* Context of all: call. Memory in a row; rows of a pitch the driver will choose. */
uint64_t size_linear(uint64_t bytes);
uint64_t size_fitting(uint64_t bytes);	/* the most of it that one request may ask for */
uint64_t size_pitched(uint64_t width, uint64_t height);

/* An array, or all levels of a mipmapped one; 0 if it takes no memory by itself. */
uint64_t size_array(const CUDA_ARRAY3D_DESCRIPTOR *array, uint32_t levels);

#endif
