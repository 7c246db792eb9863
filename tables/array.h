/* SPDX-License-Identifier: Apache-2.0 */
/* How large the driver's arrays are, by what describes them. */
#ifndef TABLES_ARRAY_H
#define TABLES_ARRAY_H

#include <stdbool.h>
#include <stdint.h>

#include <cuaudit/cuda_types.h>

/*
 * Of texels: a block of width times height of them takes so many bytes, of
 * each channel where the descriptor may choose how many there are; channels
 * is then 0, else the number that the driver insists on.
 */
struct array_format {
	uint8_t width;
	uint8_t height;
	uint8_t bytes;
	uint8_t channels;
};

/* NULL for a format of which there is no row. */
const struct array_format *array_format(CUarray_format format);

/* The structures that describe arrays, two of them with 32-bit sizes. */
enum array_form {
	ARRAY_FLAT,
	ARRAY_FLAT_V1,
	ARRAY_CUBE,
	ARRAY_CUBE_V1
};

/* What it takes to hold any of them; how much of it one takes. */
union array_descriptor {
	CUDA_ARRAY_DESCRIPTOR flat;
	CUDA_ARRAY_DESCRIPTOR_v1 flat_v1;
	CUDA_ARRAY3D_DESCRIPTOR cube;
	CUDA_ARRAY3D_DESCRIPTOR_v1 cube_v1;
};

size_t array_form_size(enum array_form form);

/* The same as the largest of them; from need not be aligned. */
CUDA_ARRAY3D_DESCRIPTOR array_describe(const void *from, enum array_form form);

/*
 * Bytes of the texels of all levels, 1 for an array without, UINT64_MAX where
 * that is no number of 64 bits. The driver takes more by some padding. False
 * for a format of which there is no row.
 */
bool array_bytes(const CUDA_ARRAY3D_DESCRIPTOR *array, uint32_t levels, uint64_t *bytes);

#endif
