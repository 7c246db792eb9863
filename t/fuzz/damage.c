/* SPDX-License-Identifier: Apache-2.0 */
/* Damages ELF objects, mostly where a reader of the dynamic section looks. */
#include <string.h>

#include "t/fuzz/fuzz.h"
#include "t/fuzz/object.h"

static void add_area(struct object *object, size_t offset, size_t size, unsigned int width)
{
	if (size < 16 || offset > object->size || size > object->size - offset)
		return;
	object->areas[object->nareas++] = (struct area){ offset, size, width };
}

static size_t file_offset(const struct object *object, ElfW(Addr) address)
{
	const ElfW(Ehdr) *header = (const void *)object->good;
	const ElfW(Phdr) *segment = (const void *)(object->good + header->e_phoff);

	for (int i = 0; i < header->e_phnum; i++, segment++)
		if (segment->p_type == PT_LOAD && address - segment->p_vaddr < segment->p_filesz)
			return address - segment->p_vaddr + segment->p_offset;
	return SIZE_MAX;
}

static void add_table(struct object *object, ElfW(Sxword) tag, ElfW(Addr) address, size_t left)
{
	size_t offset = file_offset(object, address);

	switch (tag) {
	case DT_GNU_HASH:
		add_area(object, offset, 16, 4);
		add_area(object, offset, left < 4096 ? left : 4096, 4);
		break;
	case DT_HASH:
		add_area(object, offset, 16, 4);
		break;
	case DT_SYMTAB:
		add_area(object, offset, left, 8);
		add_area(object, offset, left, 4);
		break;
	case DT_STRTAB:
		add_area(object, offset, left, 1);
		break;
	case DT_RELA:
		add_area(object, offset, left, 8);
		break;
	}
}

/* Tables lie one behind the other: each ends where the next begins. */
static void add_tables(struct object *object, const ElfW(Dyn) *dynamic)
{
	for (const ElfW(Dyn) *entry = dynamic; entry->d_tag != DT_NULL; entry++) {
		size_t at = file_offset(object, entry->d_un.d_ptr), left = 4096;

		if (at == SIZE_MAX)
			continue;
		for (const ElfW(Dyn) *other = dynamic; other->d_tag != DT_NULL; other++) {
			size_t next = file_offset(object, other->d_un.d_ptr);

			if (next != SIZE_MAX && next > at && next - at < left)
				left = next - at;
		}
		if (left > object->size - at)
			left = object->size - at;
		add_table(object, entry->d_tag, entry->d_un.d_ptr, left);
	}
}

void object_load(struct object *object, const char *path)
{
	const ElfW(Phdr) *segment;
	const ElfW(Ehdr) *header;
	FILE *file = fopen(path, "rb");

	fuzz_check(file && !fseek(file, 0, SEEK_END));
	*object = (struct object){ .path = path, .size = (size_t)ftell(file) };
	rewind(file);
	object->good = malloc(object->size);
	object->bytes = malloc(object->size);
	fuzz_check(fread(object->good, 1, object->size, file) == object->size);
	fclose(file);
	header = (const void *)object->good;
	add_area(object, 0, sizeof(*header), 2);
	add_area(object, header->e_phoff, header->e_phnum * sizeof(*segment), 8);
	add_area(object, header->e_phoff, header->e_phnum * sizeof(*segment), 4);
	segment = (const void *)(object->good + header->e_phoff);
	for (int i = 0; i < header->e_phnum; i++, segment++) {
		if (segment->p_type != PT_DYNAMIC)
			continue;
		add_area(object, segment->p_offset, segment->p_filesz, 8);
		add_area(object, segment->p_offset, segment->p_filesz, 8);
		add_tables(object, (const void *)(object->good + segment->p_offset));
	}
	fuzz_check(object->nareas >= 7);
}

/* An address at, or a little before or behind, the end of a segment. */
static uint64_t edge(const struct object *object)
{
	static const int64_t steps[] = { 0, 1, 2, 4, 7, 8, 12, 16, 23, 24, 32, 48, 56, -1, -8, 4096 };
	const ElfW(Ehdr) *header = (const void *)object->good;
	const ElfW(Phdr) *segment = (const void *)(object->good + header->e_phoff);

	segment += chance(header->e_phnum);
	return segment->p_vaddr + (chance(4) ? segment->p_memsz : 0) -
	       (uint64_t)steps[chance(sizeof(steps) / sizeof(steps[0]))];
}

static uint64_t other_value(const struct object *object, const struct area *area, uint64_t old)
{
	static const uint64_t limits[] = {
		0, 1, 2, 3, 7, 255, 4095, 4096, 65535, 0x7fffffff, 0x80000000, 0xffffffff,
		0x100000000, 0x7fffffffffff, 0x7fffffffffffffff, 0x8000000000000000,
		0xfffffffffffff000, 0xffffffffffffffff, 0xaaaaaaaaaaaaaab
	};
	uint64_t value = 0;

	switch (chance(8)) {
	case 0:
		return limits[chance(sizeof(limits) / sizeof(limits[0]))];
	case 1:
		return edge(object);
	case 2:
		return old + chance(9) - 4;
	case 3:
		return old ^ (uint64_t)1 << chance(area->width * 8);
	case 4:
		return old * 2 + chance(3) * 8;
	case 5:
		return chance(64);
	case 6:
		memcpy(&value, object->good + area->offset +
		       chance(area->size / area->width) * area->width, area->width);
		return value;
	default:
		return chance_word();
	}
}

/* The program headers at the file's end, where nothing may be mapped, and more of them. */
static void move_headers(struct object *object)
{
	ElfW(Ehdr) *header = (void *)object->bytes;
	size_t size = header->e_phnum * sizeof(ElfW(Phdr)), offset;
	uint64_t more = chance(100);

	offset = object->size - size - more * sizeof(ElfW(Phdr));
	offset &= ~(size_t)7;
	if (offset > object->size)
		return;
	memcpy(object->bytes + offset, object->good + header->e_phoff, size);
	memset(object->bytes + offset + size, 0, more * sizeof(ElfW(Phdr)));
	header->e_phoff = offset;
	header->e_phnum = (ElfW(Half))(header->e_phnum + more);
}

void object_damage(struct object *object)
{
	memcpy(object->bytes, object->good, object->size);
	if (!chance(100)) {
		move_headers(object);
		return;
	}
	for (uint64_t changes = 1 + chance(chance(4) ? 3 : 12); changes; changes--) {
		struct area any = { 0, object->size, 1 };
		const struct area *area = chance(16) ? &object->areas[chance(object->nareas)]
						     : &any;
		unsigned char *at = object->bytes + area->offset +
				    chance(area->size / area->width) * area->width;
		uint64_t value = 0;

		memcpy(&value, at, area->width);
		value = other_value(object, area, value);
		memcpy(at, &value, area->width);
	}
}
