/* SPDX-License-Identifier: Apache-2.0 */
/* An ELF object as it is in memory: its segments. */
#include "hooks/loaded_image.h"

#include <elf.h>
#include <string.h>

#include "hooks/safe_read.h"

bool loaded_image_read(const struct loaded_image *image, uintptr_t at, void *to, size_t size)
{
	return at >= image->lo && at <= image->hi && size <= image->hi - at &&
	       safe_read(at, to, size);
}

bool loaded_image_readable(const struct loaded_image *image, uintptr_t at, size_t size)
{
	if (at < image->lo || at > image->hi || size > image->hi - at)
		return false;
	for (uintptr_t page = at & ~((uintptr_t)PEEK_PAGE - 1); page < at + size; page += PEEK_PAGE)
		if (!safe_read_page(page))
			return false;
	return true;
}

bool loaded_image_segment(const struct loaded_image *image, uint32_t index, ElfW(Phdr) *segment)
{
	return index < image->count &&
	       loaded_image_read(image, image->segments + index * sizeof(*segment), segment,
				 sizeof(*segment));
}

bool loaded_image_open(struct loaded_image *image, uintptr_t lo, uintptr_t hi)
{
	ElfW(Ehdr) header;
	ElfW(Phdr) segment;

	*image = (struct loaded_image){ .lo = lo, .hi = hi };
	if (!loaded_image_read(image, lo, &header, sizeof(header)) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_phentsize != sizeof(segment))
		return false;
	image->segments = lo + header.e_phoff;
	image->count = header.e_phnum;
	if (!loaded_image_readable(image, image->segments, image->count * sizeof(segment)))
		return false;
	for (uint32_t i = 0; loaded_image_segment(image, i, &segment); i++) {
		if (segment.p_type == PT_LOAD) {
			image->bias = lo - segment.p_vaddr;
			return true;
		}
	}
	return false;
}
