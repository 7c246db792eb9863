/* SPDX-License-Identifier: Apache-2.0 */
/* The function that an object in memory exports at an address, as dladdr has it, without a lock. */
#include "hooks/loaded_image.h"

#include <elf.h>
#include <string.h>

enum {
	ENTRIES = 16,		/* read at once */
	WORDS = 64,
	SYMBOLS = 32,
	MOST_ENTRIES = 1024,	/* of each table, so that the end of a damaged one is near */
	MOST_SYMBOLS = 1 << 20,
	NAME_PART = 64
};

/* Where in memory what the dynamic section names is. */
struct tables {
	uintptr_t symbols, strings, gnu_hash, hash;
	uintptr_t strings_size;
	uint32_t first, end;	/* of the symbols: those that are defined */
};

/* The loader has relocated them where it could write. */
static uintptr_t address_of(const struct loaded_image *image, uintptr_t value)
{
	return value >= image->lo && value < image->hi ? value : image->bias + value;
}

static void take_entry(const struct loaded_image *image, struct tables *tables,
		       const ElfW(Dyn) *entry)
{
	uintptr_t value = entry->d_un.d_ptr;

	if (entry->d_tag == DT_SYMTAB)
		tables->symbols = address_of(image, value);
	else if (entry->d_tag == DT_STRTAB)
		tables->strings = address_of(image, value);
	else if (entry->d_tag == DT_STRSZ)
		tables->strings_size = value;
	else if (entry->d_tag == DT_GNU_HASH)
		tables->gnu_hash = address_of(image, value);
	else if (entry->d_tag == DT_HASH)
		tables->hash = address_of(image, value);
}

static bool read_section(const struct loaded_image *image, struct tables *tables, uintptr_t at,
			 size_t size)
{
	size_t count = size / sizeof(ElfW(Dyn));
	ElfW(Dyn) entries[ENTRIES];

	if (count > MOST_ENTRIES)
		count = MOST_ENTRIES;
	for (size_t i = 0, n; i < count; i += n, at += n * sizeof(*entries)) {
		n = count - i < ENTRIES ? count - i : ENTRIES;
		if (!loaded_image_read(image, at, entries, n * sizeof(*entries)))
			return false;
		for (size_t j = 0; j < n; j++) {
			if (entries[j].d_tag == DT_NULL)
				return true;
			take_entry(image, tables, &entries[j]);
		}
	}
	return true;
}

static bool find_tables(const struct loaded_image *image, struct tables *tables)
{
	ElfW(Phdr) segment;

	*tables = (struct tables){ .symbols = 0 };
	for (uint32_t i = 0; loaded_image_segment(image, i, &segment); i++)
		if (segment.p_type == PT_DYNAMIC)
			return read_section(image, tables, image->bias + segment.p_vaddr,
					    segment.p_memsz) &&
			       tables->symbols && tables->strings;
	return false;
}

/* The highest symbol that begins a chain; 0: there is none. */
static uint32_t last_bucket(const struct loaded_image *image, uintptr_t at, uint32_t count)
{
	uint32_t words[WORDS], highest = 0;

	if (count > MOST_SYMBOLS)
		return 0;
	for (uint32_t i = 0, n; i < count; i += n, at += n * sizeof(*words)) {
		n = count - i < WORDS ? count - i : WORDS;
		if (!loaded_image_read(image, at, words, n * sizeof(*words)))
			return 0;
		for (uint32_t j = 0; j < n; j++)
			highest = words[j] > highest ? words[j] : highest;
	}
	return highest;
}

/* Symbols are counted by their hashes alone: the last one ends its chain. */
static bool count_by_gnu_hash(const struct loaded_image *image, struct tables *tables)
{
	enum { BUCKETS, FIRST, FILTER, SHIFT, HEADER };
	uint32_t header[HEADER], last, word;
	uintptr_t buckets, chains;

	if (!loaded_image_read(image, tables->gnu_hash, header, sizeof(header)))
		return false;
	buckets = tables->gnu_hash + sizeof(header) + header[FILTER] * sizeof(uintptr_t);
	chains = buckets + header[BUCKETS] * sizeof(uint32_t);
	last = last_bucket(image, buckets, header[BUCKETS]);
	if (last < header[FIRST] || last > MOST_SYMBOLS)
		return false;
	do {
		if (!loaded_image_read(image, chains + (last - header[FIRST]) * sizeof(word), &word,
				       sizeof(word)) || last > MOST_SYMBOLS)
			return false;
		last++;
	} while (!(word & 1));
	tables->first = header[FIRST];
	tables->end = last;
	return true;
}

static bool count_by_hash(const struct loaded_image *image, struct tables *tables)
{
	uint32_t header[2];

	if (!loaded_image_read(image, tables->hash, header, sizeof(header)))
		return false;
	tables->first = 1;
	tables->end = header[1] < MOST_SYMBOLS ? header[1] : MOST_SYMBOLS;
	return true;
}

static bool has(const ElfW(Sym) *symbol, uintptr_t offset)
{
	unsigned int type = symbol->st_info & 15;

	if (symbol->st_shndx == SHN_UNDEF || !symbol->st_value ||
	    (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE))
		return false;
	return offset >= symbol->st_value &&
	       (offset - symbol->st_value < symbol->st_size || offset == symbol->st_value);
}

/* The innermost one; of several that begin together the first. */
static bool search(const struct loaded_image *image, const struct tables *tables, uintptr_t offset,
		   ElfW(Sym) *found)
{
	uintptr_t at = tables->symbols + tables->first * sizeof(*found);
	ElfW(Sym) symbols[SYMBOLS];
	bool any = false;

	for (uint32_t i = tables->first, n; i < tables->end; i += n, at += n * sizeof(*symbols)) {
		n = tables->end - i < SYMBOLS ? tables->end - i : SYMBOLS;
		if (!loaded_image_read(image, at, symbols, n * sizeof(*symbols)))
			return any;
		for (uint32_t j = 0; j < n; j++) {
			if (!has(&symbols[j], offset) ||
			    (any && symbols[j].st_value <= found->st_value))
				continue;
			*found = symbols[j];
			any = true;
		}
	}
	return any;
}

/* Up to its NUL, or to the end of the strings. */
static bool copy_name(const struct loaded_image *image, const struct tables *tables, uint32_t at,
		      char *name, size_t size)
{
	uintptr_t left = at < tables->strings_size ? tables->strings_size - at : 0, n;

	for (size_t used = 0; used < size; used += n, left -= n) {
		n = left < NAME_PART ? left : NAME_PART;
		n = n < size - used ? n : size - used;
		if (!n || !loaded_image_read(image, tables->strings + at + used, name + used, n))
			return false;
		if (memchr(name + used, '\0', n))
			return *name;
	}
	name[size - 1] = '\0';
	if (size > sizeof("..."))
		strcpy(name + size - sizeof("..."), "...");
	return *name;
}

bool loaded_image_function(const struct loaded_image *image, uintptr_t address, char *name,
			   size_t size, uint64_t *distance)
{
	uintptr_t offset = address - image->bias;
	struct tables tables;
	ElfW(Sym) symbol;

	if (!size || !find_tables(image, &tables) ||
	    !(tables.gnu_hash ? count_by_gnu_hash(image, &tables) :
	      tables.hash && count_by_hash(image, &tables)) ||
	    !search(image, &tables, offset, &symbol) ||
	    !copy_name(image, &tables, symbol.st_name, name, size))
		return false;
	*distance = offset - symbol.st_value;
	return true;
}
