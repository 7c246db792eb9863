/* SPDX-License-Identifier: Apache-2.0 */
/* How large the driver's arrays are, by what describes them. */
#ifndef REPORT_ARRAY_H
#define REPORT_ARRAY_H

#include <stdint.h>

#include <cuaudit/cuda_types.h>

/* Bytes of a channel, 0 for formats of blocks or planes. */
uint64_t array_format_bytes(CUarray_format format);

/* Elements; a height or depth of 0 is a dimension less. */
uint64_t array_volume(uint64_t width, uint64_t height, uint64_t depth);

#endif
