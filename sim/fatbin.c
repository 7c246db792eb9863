/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the image that suits the simulated device out of a fat binary. */
#include "sim/image.h"

#include <string.h>

enum { KIND_PTX = 1, KIND_CUBIN = 2 };
enum { COMPRESSED = 0x2000 | 0x8000 };

static const uint32_t wrapper_magic = 0x466243b1;
static const uint32_t container_magic = 0xba55ed50;

/* How a program's own code refers to the container. */
struct wrapper {
	uint32_t magic;
	uint32_t version;
	const char *container;
};

struct container {
	uint32_t magic;
	uint16_t version;
	uint16_t header_size;
	uint64_t size;
};

struct part {
	uint16_t kind;
	uint16_t version;
	uint32_t header_size;
	uint64_t size;
	uint32_t compressed_size;
	uint32_t unknown;
	uint16_t minor;
	uint16_t major;
	uint32_t arch;
	uint32_t name_offset;
	uint32_t name_size;
	uint64_t flags;
};

bool fatbin_is(const char *data, size_t size)
{
	/* Text may be shorter than that, and ends with a zero. */
	return size >= sizeof(struct container) &&
	       (!strncmp(data, (const char *)&wrapper_magic, 4) ||
		!strncmp(data, (const char *)&container_magic, 4));
}

/* Machine code comes before PTX, and the first of either is as good as another. */
CUresult fatbin_read(const char *data, size_t size, struct image *image)
{
	const char *at, *end, *cubin = NULL, *ptx = NULL;
	size_t cubin_size = 0, ptx_size = 0;
	struct container c;
	struct part part;

	memcpy(&c, data, sizeof(c));
	if (c.magic == wrapper_magic) {
		struct wrapper w;

		memcpy(&w, data, sizeof(w));
		data = w.container;
		size = SIZE_MAX;
		if (!data)
			return CUDA_ERROR_INVALID_IMAGE;
		memcpy(&c, data, sizeof(c));
	}
	if (c.magic != container_magic || c.header_size > size ||
	    c.size > size - c.header_size)
		return CUDA_ERROR_INVALID_IMAGE;
	at = data + c.header_size;
	end = at + c.size;
	while ((size_t)(end - at) >= sizeof(part)) {
		memcpy(&part, at, sizeof(part));
		if (part.header_size < sizeof(part) ||
		    part.size > (size_t)(end - at) ||
		    part.header_size > (size_t)(end - at) - part.size)
			return CUDA_ERROR_INVALID_IMAGE;
		at += part.header_size;
		if (part.flags & COMPRESSED) {
			/* not simulated */
		} else if (part.kind == KIND_CUBIN && !cubin) {
			cubin = at;
			cubin_size = part.size;
		} else if (part.kind == KIND_PTX && !ptx) {
			ptx = at;
			ptx_size = part.size;
		}
		at += part.size;
	}
	if (cubin && cubin_is(cubin, cubin_size))
		return cubin_read(cubin, cubin_size, image);
	return ptx ? ptx_read(ptx, ptx_size, image) :
		     CUDA_ERROR_NO_BINARY_FOR_GPU;
}
