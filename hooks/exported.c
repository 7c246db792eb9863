/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols that a loaded object exports, from its memory. */
#include "hooks/exported.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "hooks/safe_read.h"

enum { SEGMENTS = 64, ENTRIES = 256, CHAIN = 4096, NAME = 64 };

/* The loader writes addresses where the table can be written to, else they are as in the file. */
static uint64_t address_of(const struct exported *exported, uint64_t value)
{
	return value && value < exported->bias ? value + exported->bias : value;
}

static bool find_dynamic(struct exported *exported, uint64_t header, ElfW(Phdr) *dynamic)
{
	ElfW(Ehdr) elf;
	ElfW(Phdr) segment;
	bool loaded = false, found = false;

	if (!safe_read(header, &elf, sizeof(elf)) || memcmp(elf.e_ident, ELFMAG, SELFMAG) ||
	    elf.e_phentsize != sizeof(segment) || elf.e_phnum > SEGMENTS)
		return false;
	for (uint32_t i = 0; i < elf.e_phnum; i++) {
		if (!safe_read(header + elf.e_phoff + i * sizeof(segment), &segment, sizeof(segment)))
			return false;
		if (segment.p_type == PT_LOAD && !loaded) {
			exported->bias = header - segment.p_vaddr;
			loaded = true;
		}
		if (segment.p_type == PT_DYNAMIC) {
			*dynamic = segment;
			found = true;
		}
	}
	return loaded && found;
}

bool exported_open(struct exported *exported, uint64_t header)
{
	uint64_t hashes = 0;
	uint32_t counts[4];
	ElfW(Phdr) dynamic = { 0 };
	ElfW(Dyn) entry;

	*exported = (struct exported){ .bias = 0 };
	if (!find_dynamic(exported, header, &dynamic))
		return false;
	for (uint32_t i = 0; i < ENTRIES; i++) {
		if (!safe_read(exported->bias + dynamic.p_vaddr + i * sizeof(entry), &entry,
			       sizeof(entry)))
			return false;
		if (entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_SYMTAB)
			exported->symbols = address_of(exported, entry.d_un.d_ptr);
		if (entry.d_tag == DT_STRTAB)
			exported->strings = address_of(exported, entry.d_un.d_ptr);
		if (entry.d_tag == DT_GNU_HASH)
			hashes = address_of(exported, entry.d_un.d_ptr);
	}
	if (!exported->symbols || !exported->strings || !hashes ||
	    !safe_read(hashes, counts, sizeof(counts)) || !counts[0] || !counts[2])
		return false;
	exported->nbuckets = counts[0];
	exported->first = counts[1];
	exported->nfilter = counts[2];
	exported->shift = counts[3];
	exported->filter = hashes + sizeof(counts);
	exported->buckets = exported->filter + counts[2] * sizeof(uint64_t);
	exported->chains = exported->buckets + counts[0] * sizeof(uint32_t);
	return true;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	return hash;
}

static bool is_there(const struct exported *exported, uint32_t index, const char *name,
		     ElfW(Sym) *symbol)
{
	size_t size = strlen(name) + 1;
	char its[NAME];

	return size <= sizeof(its) &&
	       safe_read(exported->symbols + index * sizeof(*symbol), symbol, sizeof(*symbol)) &&
	       symbol->st_shndx != SHN_UNDEF &&
	       safe_read(exported->strings + symbol->st_name, its, size) && !memcmp(its, name, size);
}

uint64_t exported_find(const struct exported *exported, const char *name, uint64_t *size)
{
	uint32_t hash = hash_of(name), index, its;
	uint64_t word, bits;
	ElfW(Sym) symbol;

	bits = UINT64_C(1) << hash % 64 | UINT64_C(1) << (hash >> exported->shift % 32) % 64;
	if (!safe_read(exported->filter + hash / 64 % exported->nfilter * sizeof(word), &word,
		       sizeof(word)) || (word & bits) != bits ||
	    !safe_read(exported->buckets + hash % exported->nbuckets * sizeof(index), &index,
		       sizeof(index)) || index < exported->first)
		return 0;
	for (uint32_t i = 0; i < CHAIN; i++, index++) {
		if (!safe_read(exported->chains + (index - exported->first) * sizeof(its), &its,
			       sizeof(its)))
			return 0;
		if ((its | 1) == (hash | 1) && is_there(exported, index, name, &symbol)) {
			*size = symbol.st_size;
			return exported->bias + symbol.st_value;
		}
		if (its & 1)
			return 0;
	}
	return 0;
}
