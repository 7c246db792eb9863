/* SPDX-License-Identifier: Apache-2.0 */
/* Maps damaged ELF objects as a loader does, in a space where every other byte is out of bounds. */
#include <sanitizer/asan_interface.h>
#include <string.h>
#include <sys/mman.h>

#include "audit/sys.h"
#include "t/fuzz/fuzz.h"
#include "t/fuzz/object.h"

enum {
	PAGE = 4096,
	GUARD = 1 << 20,
	SPAN = 16 << 20,	/* the largest object that is mapped */
	MAX_LOADS = 32
};

#define PROGRAM_AT ((char *)0x300000)	/* where executables that cannot move lie */

static char *libraries, *programs;

/* What object_unmap takes back. */
static struct {
	char *from;
	size_t size;
} mapped[MAX_LOADS + 1];
static unsigned int nmapped;

static char *space(char *at)
{
	char *space = mmap(at, SPAN + 2 * GUARD, PROT_NONE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
			   (at ? MAP_FIXED_NOREPLACE : 0), -1, 0);

	fuzz_check(space != MAP_FAILED && (!at || space == at));
	ASAN_POISON_MEMORY_REGION(space, SPAN + 2 * GUARD);
	return space;
}

static uint64_t page_down(uint64_t at)
{
	return at & ~(uint64_t)(PAGE - 1);
}

/* What glibc asks of a PT_LOAD; a file too short is a fault in the loader itself. */
static bool loadable(const struct object *object, const ElfW(Phdr) *segment, uint64_t from)
{
	return segment->p_align && !(segment->p_align & (segment->p_align - 1)) &&
	       !((segment->p_vaddr - segment->p_offset) & (segment->p_align - 1)) &&
	       !(segment->p_align & (PAGE - 1)) &&
	       segment->p_filesz <= segment->p_memsz &&
	       segment->p_offset <= object->size &&
	       segment->p_filesz <= object->size - segment->p_offset &&
	       segment->p_vaddr >= from && segment->p_vaddr - from < SPAN &&
	       segment->p_memsz <= SPAN - (segment->p_vaddr - from);
}

static void note(char *from, size_t size)
{
	mapped[nmapped].from = from;
	mapped[nmapped++].size = size;
}

static void map_segment(const struct object *object, const ElfW(Phdr) *segment, uintptr_t base)
{
	char *at = (char *)(base + segment->p_vaddr), *from = (char *)page_down((uint64_t)at);
	size_t size = (size_t)(at + segment->p_memsz - from);
	int protection = (segment->p_flags & PF_R ? PROT_READ : 0) |
			 (segment->p_flags & PF_W ? PROT_WRITE : 0);

	if (!segment->p_memsz)
		return;
	note(from, size);
	fuzz_check(!mprotect(from, size, PROT_READ | PROT_WRITE));
	ASAN_UNPOISON_MEMORY_REGION(at, segment->p_memsz);
	memcpy(at, object->bytes + segment->p_offset, segment->p_filesz);
	memset(at + segment->p_filesz, 0, segment->p_memsz - segment->p_filesz);
	if (!(protection & PROT_READ))
		ASAN_POISON_MEMORY_REGION(at, segment->p_memsz);
	fuzz_check(!mprotect(from, size, protection));
}

/* Whole pages are mapped; the one that begins with the ELF header may be read to its end. */
static void bare_header(const char *base)
{
	for (unsigned int i = 0; i < nmapped; i++)
		if (mapped[i].from == base && sys_readable(base))
			ASAN_UNPOISON_MEMORY_REGION(base, PAGE);
}

/* Loaders make these addresses of them. */
static bool is_pointer(ElfW(Sxword) tag)
{
	switch (tag) {
	case DT_HASH: case DT_PLTGOT: case DT_STRTAB: case DT_SYMTAB: case DT_RELA:
	case DT_JMPREL: case DT_VERSYM: case DT_GNU_HASH:
		return true;
	default:
		return false;
	}
}

static bool readable(const char *at, size_t size)
{
	for (unsigned int i = 0; i < nmapped; i++)
		if (at >= mapped[i].from && at < mapped[i].from + mapped[i].size)
			return !__asan_region_is_poisoned((void *)at, size);
	return false;
}

/* Whether the section ends with DT_NULL inside a segment. */
static bool take_dynamic(ElfW(Dyn) *entry, uint64_t base, bool writes)
{
	for (;; entry++) {
		ElfW(Dyn) copy;

		if (!readable((const char *)entry, sizeof(*entry)))
			return false;
		memcpy(&copy, entry, sizeof(copy));
		if (copy.d_tag == DT_NULL)
			return true;
		copy.d_un.d_ptr += base;
		if (writes && is_pointer(copy.d_tag))
			memcpy(entry, &copy, sizeof(copy));
	}
}

bool object_map(const struct object *object, struct link_map *map, bool *whole)
{
	const ElfW(Ehdr) *header = (const void *)object->bytes;
	const ElfW(Phdr) *loads[MAX_LOADS], *dynamic = NULL, *segment;
	bool fixed = header->e_type == ET_EXEC, writable = false;
	unsigned int count = 0;
	uintptr_t base;

	libraries = libraries ? libraries : space(NULL);
	programs = programs ? programs : space(PROGRAM_AT);
	if (memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_phentsize != sizeof(*segment) ||
	    header->e_phoff > object->size || (header->e_phoff & 7) ||
	    header->e_phnum > (object->size - header->e_phoff) / sizeof(*segment))
		return false;
	segment = (const void *)(object->bytes + header->e_phoff);
	for (unsigned int i = 0; i < header->e_phnum; i++, segment++) {
		if (segment->p_type == PT_DYNAMIC)
			dynamic = segment;
		if (segment->p_type != PT_LOAD)
			continue;
		if (count == MAX_LOADS || !loadable(object, segment, fixed ?
		    (uint64_t)programs + GUARD : count ? page_down(loads[0]->p_vaddr)
						       : page_down(segment->p_vaddr)))
			return false;
		loads[count++] = segment;
	}
	if (!count || !dynamic)
		return false;
	base = fixed ? 0 : (uintptr_t)libraries + GUARD - page_down(loads[0]->p_vaddr);
	for (unsigned int i = 0; i < count; i++) {
		map_segment(object, loads[i], base);
		writable |= dynamic->p_vaddr - loads[i]->p_vaddr < loads[i]->p_memsz &&
			    (loads[i]->p_flags & PF_W);
	}
	bare_header(fixed ? programs + GUARD : (const char *)base);
	*map = (struct link_map){ .l_addr = base, .l_name = (char *)object->path,
				  .l_ld = (void *)(base + dynamic->p_vaddr) };
	*whole = take_dynamic(map->l_ld, map->l_addr, writable && !fixed);
	return true;
}

const ElfW(Phdr) *object_headers(const struct object *object, const struct link_map *map)
{
	const ElfW(Ehdr) *header = (const void *)object->bytes;
	uintptr_t base = map->l_addr ? map->l_addr : (uintptr_t)programs + GUARD;
	const char *at = (const char *)(base + header->e_phoff);

	return readable(at, header->e_phnum * sizeof(ElfW(Phdr))) ? (const void *)at : NULL;
}

void object_unmap(void)
{
	while (nmapped) {
		char *from = mapped[--nmapped].from;
		size_t size = (mapped[nmapped].size + PAGE - 1) & ~(size_t)(PAGE - 1);

		ASAN_POISON_MEMORY_REGION(from, size);
		mprotect(from, size, PROT_NONE);
	}
}
