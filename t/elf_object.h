/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests that build audit/elf.c alone: an object in memory whose neighbouring pages cannot be
 * read. Included where audit/elf.c is.
 */
#ifndef T_ELF_OBJECT_H
#define T_ELF_OBJECT_H

#include <assert.h>
#include <stdint.h>
#include <sys/mman.h>

#include "t/fuzz/chance.h"
#include "t/sys.h"
#include "t/tap.h"

enum {
	HEADERS = 4, ENTRIES_MOST = 24, SYMBOLS = 12, RELATIVES = 2, RELAS = 7, VERSIONS = 3,
	STRINGS = 164, WORDS = 64, MAPPINGS = 6
};

/* What elf.c takes from the rest of the auditor. */
bool sys_equal(const char *a, const char *b)
{
	return !strcmp(a, b);
}

static struct sys_mapping mappings[MAPPINGS];
static unsigned int nmappings;

bool sys_each_mapping(bool (*take)(const struct sys_mapping *mapping, void *data), void *data)
{
	for (unsigned int i = 0; i < nmappings; i++)
		if (take(&mappings[i], data))
			return true;
	return false;
}

/* Its first page, one that cannot be read, two that end with its tables, and another such. */
static char *pages;

bool sys_readable(const void *address)
{
	size_t page = ((uintptr_t)address - (uintptr_t)pages) / PAGE;

	return page == 0 || page == 2 || page == 3;
}

struct version {
	ElfW(Verdef) definition;
	ElfW(Verdaux) name;
};

static struct tables {
	ElfW(Dyn) dynamic[ENTRIES_MOST];
	ElfW(Sym) symbols[SYMBOLS];
	ElfW(Rela) rela[RELATIVES + RELAS];
	struct version versions[VERSIONS];
	ElfW(Versym) versym[SYMBOLS];
	uint32_t hash[4];
	char strings[STRINGS];
	uint32_t gnu[WORDS];	/* ends with the segment */
} *tables;

static_assert(offsetof(struct tables, gnu) % 8 == 0 && sizeof(struct tables) == offsetof(struct tables, gnu) +
	      WORDS * sizeof(uint32_t), "the last ends with it, and has words");

static struct elf_image image;
static struct link_map map;
static size_t used;
static unsigned int mistaken;	/* times that another object was read */

static ElfW(Ehdr) *header(void)
{
	return (ElfW(Ehdr) *)pages;
}

static ElfW(Dyn) *entry_of(ElfW(Sxword) tag)
{
	ElfW(Dyn) *entry = tables->dynamic;

	while (entry->d_tag != tag && entry->d_tag != DT_NULL)
		entry++;
	return entry;
}

static void set_entry(ElfW(Sxword) tag, ElfW(Xword) value)
{
	*entry_of(tag) = (ElfW(Dyn)){ .d_tag = tag, .d_un.d_val = value };
}

static void drop_entry(ElfW(Sxword) tag)
{
	entry_of(tag)->d_tag = DT_DEBUG;
}

static uint32_t add_string(const char *text)
{
	size_t at = used;

	used += (size_t)sprintf(tables->strings + used, "%s", text) + 1;
	return (uint32_t)at;
}

static ElfW(Phdr) *put_headers(size_t at)
{
	ElfW(Phdr) *headers = (ElfW(Phdr) *)(pages + at);

	header()->e_phoff = at;
	headers[0] = (ElfW(Phdr)){ .p_type = PT_LOAD, .p_flags = PF_R, .p_memsz = PAGE };
	headers[1] = (ElfW(Phdr)){ .p_type = PT_GNU_STACK };
	headers[2] = (ElfW(Phdr)){ .p_type = PT_DYNAMIC, .p_vaddr = (uintptr_t)tables - (uintptr_t)pages };
	headers[3] = (ElfW(Phdr)){ .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_memsz = sizeof(*tables),
				   .p_vaddr = (uintptr_t)tables - (uintptr_t)pages };
	return headers;
}

static const char *const names[SYMBOLS] = {
	"", "cuInit", "cuMemFree_v2", "puts", "cuCtxGet", "cuInit", "cuStop", "other", "cuA", "cuB", "cuC", "cuD"
};

/* Whole and right; a symbol whose number is 5 or more is defined. */
static ElfW(Phdr) *make_object(void)
{
	memset(pages, 0, PAGE);
	memset(tables, 0, sizeof(*tables));
	nmappings = 0;
	used = 1;
	memcpy(header()->e_ident, ELFMAG, SELFMAG);
	header()->e_phentsize = sizeof(ElfW(Phdr));
	header()->e_phnum = HEADERS;
	set_entry(DT_SONAME, add_string("libobject.so"));
	for (uint32_t i = 1; i < SYMBOLS; i++)
		tables->symbols[i] = (ElfW(Sym)){
			.st_name = add_string(names[i]), .st_shndx = i < 5 ? SHN_UNDEF : 1,
			.st_value = i < 5 ? 0 : 0x10 * i, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		};
	for (uint32_t i = 0; i < RELATIVES + RELAS; i++)
		tables->rela[i] = (ElfW(Rela)){ .r_offset = 8 * i };
	tables->hash[0] = 1;
	tables->hash[1] = SYMBOLS;
	set_entry(DT_STRTAB, (uintptr_t)tables->strings);
	set_entry(DT_STRSZ, sizeof(tables->strings));
	set_entry(DT_SYMTAB, (uintptr_t)tables->symbols);
	set_entry(DT_HASH, (uintptr_t)tables->hash);
	set_entry(DT_RELA, (uintptr_t)tables->rela);
	set_entry(DT_RELASZ, sizeof(tables->rela));
	set_entry(DT_RELACOUNT, RELATIVES);
	map = (struct link_map){ .l_addr = (uintptr_t)pages, .l_ld = tables->dynamic };
	return put_headers(sizeof(ElfW(Ehdr)));
}

static bool reads(void)
{
	bool whole = elf_read(&image, &map, NULL, 0);

	mistaken += whole && (image.lo != (uintptr_t)pages || image.hi != (uintptr_t)(tables + 1) ||
			      image.symbols != tables->symbols || image.strings != tables->strings);
	return whole;
}

static void map_object(void)
{
	pages = mmap(NULL, 5 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(pages + PAGE, PAGE, PROT_NONE);
	mprotect(pages + 4 * PAGE, PAGE, PROT_NONE);
	tables = (struct tables *)(pages + 4 * PAGE) - 1;
}

#endif
