/* SPDX-License-Identifier: Apache-2.0 */
/* An ELF object as it is in memory, in which anything may stand. Context of all: call. */
#ifndef HOOKS_LOADED_IMAGE_H
#define HOOKS_LOADED_IMAGE_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loaded_image {
	uintptr_t lo, hi;	/* nothing outside is read */
	uintptr_t bias;		/* what is to be added to addresses of the file */
	uintptr_t segments;	/* of ElfW(Phdr) */
	uint32_t count;
};

/* Of what is in [lo, hi); false if no ELF header is at lo, or its segments' are not all in it. */
bool loaded_image_open(struct loaded_image *image, uintptr_t lo, uintptr_t hi);

/* Whether all of that is in it, and can be read now. */
bool loaded_image_readable(const struct loaded_image *image, uintptr_t at, size_t size);

/* Copies what is in it; false if it is not all in it, or cannot be read. */
bool loaded_image_read(const struct loaded_image *image, uintptr_t at, void *to, size_t size);
bool loaded_image_segment(const struct loaded_image *image, uint32_t index, ElfW(Phdr) *segment);

/*
 * The function exported there: its name, in size bytes, "..." at the end of a longer one, and
 * how far behind its beginning the address is. False if there is none, or no table of them.
 */
bool loaded_image_function(const struct loaded_image *image, uintptr_t address, char *name,
			   size_t size, uint64_t *distance);

#endif
