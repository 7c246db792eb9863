/* SPDX-License-Identifier: Apache-2.0 */
/* What NVTX 3 gives to the functions of a tool: facts of its interface. */
#ifndef NVTX_NVTX_H
#define NVTX_NVTX_H

#include <stddef.h>
#include <stdint.h>

enum { NVTX_TEXT = 1, NVTX_WIDE_TEXT = 2, NVTX_REGISTERED = 3 };
enum { NVTX_ARGB = 1 };
enum { NVTX_PAYLOADS = 6 };	/* of the types of enum cuaudit_range_payload, in that order */

/* Of an event. Older and later ones are shorter and longer: its size says what is there. */
struct nvtx_attributes {
	uint16_t version;
	uint16_t size;
	uint32_t category;
	int32_t colour_type;
	uint32_t colour;
	int32_t payload_type;
	int32_t unused;
	uint64_t payload;
	int32_t text_type;
	const void *text;
};

struct nvtx_resource {
	uint16_t version;
	uint16_t size;
	int32_t type;		/* its class << 16 | a number */
	uint64_t id;
	int32_t text_type;
	const void *text;
};

enum {
	NVTX_THREAD = 1 << 16 | 3,
	NVTX_CU_DEVICE = 4 << 16 | 1,
	NVTX_CU_CONTEXT,
	NVTX_CU_STREAM,
	NVTX_CU_EVENT,
	NVTX_CUDA_DEVICE = 5 << 16,
	NVTX_CUDA_STREAM,
	NVTX_CUDA_EVENT
};

/* A copy of NVTX, as it shows itself to the tool that it initializes. */
typedef const void *(*nvtx_table_fn)(uint32_t number);
typedef int (*nvtx_initialize_fn)(nvtx_table_fn table);
typedef void (*nvtx_any_fn)(void);

enum { NVTX_CALLBACKS = 1 };	/* the number of this table */

struct nvtx_callbacks {
	size_t size;
	/* The pointers of a module, and how many; not 0 if there is such a module. */
	int (*module)(int number, nvtx_any_fn ***table, unsigned int *size);
};

enum { NVTX_EXTENSION = 6 };	/* in callbacks.def; NVTX's own module of that number is not followed */
enum { NVTX_PAYLOAD_EXTENSION = 2 };

/* A copy of an extension, as it shows itself: the pointers to its functions, in segments. */
struct nvtx_extension {
	uint16_t version;
	uint16_t size;
	uint16_t module;
	uint16_t compatible;
	size_t nsegments;
	const struct nvtx_segment {
		size_t id;
		size_t count;
		nvtx_any_fn *functions;
	} *segments;
};

typedef int (*nvtx_extend_fn)(const struct nvtx_extension *extension);

#endif
