/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the dynamic section of a mapped object without trusting it. */
#include "audit/elf.h"

#include <linux/mman.h>

#include "audit/sys.h"

enum { PAGE = 4096 };	/* the least there is; objects begin with one */

/* d_tag values of interest, in one place of their own. */
struct dynamic {
	uintptr_t strtab, symtab, gnu_hash, hash, rela, versym, verdef;
	size_t strsz, soname, relasz, relacount, verdefnum;
	bool has_soname;
};

/* Readable bytes from at to the end of its segment. */
static size_t room(const struct elf_image *image, uintptr_t at)
{
	for (unsigned int i = 0; i < image->phnum; i++) {
		const ElfW(Phdr) *segment = &image->phdr[i];
		uintptr_t from = image->base + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && (segment->p_flags & PF_R) &&
		    at >= from && at - from < segment->p_memsz)
			return segment->p_memsz - (at - from);
	}
	return 0;
}

static bool inside(const struct elf_image *image, uintptr_t at, size_t size)
{
	return size <= room(image, at);
}

static bool aligned(uintptr_t at, size_t to)
{
	return !(at & (to - 1));
}

/* Whether there is a table at an address that was read from the object. */
static bool table(const struct elf_image *image, uintptr_t at, size_t size, size_t alignment)
{
	return at && aligned(at, alignment) && inside(image, at, size);
}

/* An ELF header that can be trusted; its page can be read. */
static bool is_header(const ElfW(Ehdr) *header)
{
	return header->e_ident[EI_MAG0] == ELFMAG0 && header->e_ident[EI_MAG1] == ELFMAG1 &&
	       header->e_ident[EI_MAG2] == ELFMAG2 && header->e_ident[EI_MAG3] == ELFMAG3 &&
	       header->e_phentsize == sizeof(ElfW(Phdr));
}

/* The headers at the object's base, where nearly all have them: in its first page. */
static bool find_phdrs(struct elf_image *image)
{
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)image->base;

	if (!image->base || !aligned(image->base, PAGE) || !sys_readable(header) ||
	    !is_header(header) || header->e_phnum > PAGE / sizeof(ElfW(Phdr)) ||
	    header->e_phoff > PAGE - header->e_phnum * sizeof(ElfW(Phdr)))
		return false;
	image->phdr = (const ElfW(Phdr) *)(image->base + header->e_phoff);
	image->phnum = header->e_phnum;
	return true;
}

/*
 * The file an object is of, among the process's mappings. Its first segment
 * need not lie at the base (-Ttext-segment, prelink), its program headers not
 * behind the ELF header (tools that add to them move them).
 */
struct file {
	uintptr_t dynamic;		/* is in a mapping of the file */
	struct sys_mapping header;	/* of its beginning; in another file's until found */
	size_t offset, size;		/* of the program headers */
	uintptr_t phdr;			/* 0: not found */
	bool found;
};

static bool find_header(const struct sys_mapping *mapping, void *data)
{
	struct file *file = data;

	/* The nearest before: a file may be mapped more than once. */
	if (!mapping->offset)
		file->header = *mapping;
	if (file->dynamic < mapping->from || file->dynamic >= mapping->to)
		return false;
	file->found = mapping->file && file->header.file == mapping->file &&
		      file->header.readable;
	return true;
}

static bool find_moved(const struct sys_mapping *mapping, void *data)
{
	struct file *file = data;
	size_t there = mapping->to - mapping->from;

	if (mapping->file != file->header.file || mapping->from < file->header.from ||
	    !mapping->readable || file->offset < mapping->offset ||
	    file->offset - mapping->offset > there ||
	    file->size > there - (file->offset - mapping->offset))
		return false;
	file->phdr = mapping->from + (file->offset - mapping->offset);
	return true;
}

/* The headers wherever the file's mappings hold them. */
static bool search_phdrs(struct elf_image *image, const ElfW(Dyn) *dynamic)
{
	struct file file = { .dynamic = (uintptr_t)dynamic };
	const ElfW(Ehdr) *header;

	if (!sys_each_mapping(find_header, &file) || !file.found)
		return false;
	header = (const ElfW(Ehdr) *)file.header.from;
	if (!is_header(header))
		return false;
	file.offset = header->e_phoff;
	file.size = header->e_phnum * sizeof(ElfW(Phdr));
	if (!sys_each_mapping(find_moved, &file))
		return false;
	image->phdr = (const ElfW(Phdr) *)file.phdr;
	image->phnum = header->e_phnum;
	return true;
}

/*
 * The extent, and a proof that these are the headers of this very object.
 * Segments must lie one behind the other: of two in one place only the second
 * is there.
 */
static bool measure(struct elf_image *image, const ElfW(Dyn) *dynamic)
{
	bool ours = false;

	if (!aligned((uintptr_t)image->phdr, sizeof(uintptr_t)))
		return false;
	image->lo = UINTPTR_MAX;
	image->hi = 0;
	for (unsigned int i = 0; i < image->phnum; i++) {
		const ElfW(Phdr) *segment = &image->phdr[i];
		uintptr_t from = image->base + segment->p_vaddr;

		if (segment->p_type == PT_DYNAMIC)
			ours = from == (uintptr_t)dynamic;
		if (segment->p_type != PT_LOAD)
			continue;
		if (from < image->hi || segment->p_memsz > UINTPTR_MAX - from)
			return false;
		if (image->lo > from)
			image->lo = from;
		image->hi = from + segment->p_memsz;
	}
	return ours && image->lo < image->hi;
}

/* The loader relocates these in place, except where the section is read-only. */
static uintptr_t address(const struct elf_image *image, ElfW(Addr) value)
{
	return inside(image, value, 1) ? value : value + image->base;
}

static void collect(const struct elf_image *image, const ElfW(Dyn) *entry, struct dynamic *found)
{
	for (; inside(image, (uintptr_t)entry, sizeof(*entry)) && entry->d_tag != DT_NULL;
	     entry++) {
		switch (entry->d_tag) {
		case DT_STRTAB:
			found->strtab = address(image, entry->d_un.d_ptr);
			break;
		case DT_STRSZ:
			found->strsz = entry->d_un.d_val;
			break;
		case DT_SYMTAB:
			found->symtab = address(image, entry->d_un.d_ptr);
			break;
		case DT_GNU_HASH:
			found->gnu_hash = address(image, entry->d_un.d_ptr);
			break;
		case DT_HASH:
			found->hash = address(image, entry->d_un.d_ptr);
			break;
		case DT_RELA:
			found->rela = address(image, entry->d_un.d_ptr);
			break;
		case DT_RELASZ:
			found->relasz = entry->d_un.d_val;
			break;
		case DT_RELACOUNT:
			found->relacount = entry->d_un.d_val;
			break;
		case DT_VERSYM:
			found->versym = address(image, entry->d_un.d_ptr);
			break;
		case DT_VERDEF:
			found->verdef = address(image, entry->d_un.d_ptr);
			break;
		case DT_VERDEFNUM:
			found->verdefnum = entry->d_un.d_val;
			break;
		case DT_SONAME:
			found->soname = entry->d_un.d_val;
			found->has_soname = true;
			break;
		}
	}
}

static void read_symbols(struct elf_image *image, const struct dynamic *found)
{
	size_t fit;

	if (!found->strsz || !table(image, found->strtab, found->strsz, 1) ||
	    ((const char *)found->strtab)[found->strsz - 1])
		return;
	image->strings = (const char *)found->strtab;
	image->strings_size = found->strsz;
	if (found->has_soname && found->soname < found->strsz)
		image->soname = image->strings + found->soname;
	if (table(image, found->gnu_hash, 16, 4))
		image->gnu_hash = found->gnu_hash;
	else if (table(image, found->hash, 8, 4))
		image->nsymbols = ((const uint32_t *)found->hash)[1];
	if (!table(image, found->symtab, sizeof(ElfW(Sym)), sizeof(uintptr_t)))
		return;
	fit = room(image, found->symtab) / sizeof(ElfW(Sym));
	image->room = fit < UINT32_MAX ? (uint32_t)fit : UINT32_MAX;
	image->symbols = (const ElfW(Sym) *)found->symtab;
	image->versym = found->versym;
	image->verdef = found->verdef;
	image->nverdef = found->verdefnum < UINT16_MAX ? (uint32_t)found->verdefnum : UINT16_MAX;
}

/* The end of the chain that begins last: chains lie in the order of the symbols. */
static uint32_t count_gnu(const struct elf_image *image)
{
	const uint32_t *table = (const uint32_t *)image->gnu_hash;
	uint32_t nbuckets = table[0], first = table[1], bloom = table[2], last = 0;
	const uint32_t *buckets = table + 4 + (size_t)bloom * (sizeof(ElfW(Addr)) / 4);

	if (!inside(image, (uintptr_t)buckets, (size_t)nbuckets * 4))
		return 0;
	for (uint32_t i = 0; i < nbuckets; i++)
		if (buckets[i] > last)
			last = buckets[i];
	if (last < first)
		return first;
	for (;; last++) {
		const uint32_t *link = buckets + nbuckets + (last - first);

		if (last >= image->room || !inside(image, (uintptr_t)link, 4))
			return 0;
		if (*link & 1)
			return last + 1;
	}
}

bool elf_count(struct elf_image *image)
{
	if (!image->nsymbols && image->gnu_hash)
		image->nsymbols = count_gnu(image);
	if (image->nsymbols > image->room)
		image->nsymbols = 0;
	return image->nsymbols;
}

bool elf_read(struct elf_image *image, const struct link_map *map,
	      const ElfW(Phdr) *phdr, unsigned int phnum)
{
	struct dynamic found = { 0 };

	*image = (struct elf_image){ .base = map->l_addr, .phdr = phdr, .phnum = phnum };
	if (!map->l_ld || !aligned((uintptr_t)map->l_ld, sizeof(uintptr_t)))
		return false;
	if (!((phdr || find_phdrs(image)) && measure(image, map->l_ld)) &&
	    !(search_phdrs(image, map->l_ld) && measure(image, map->l_ld)))
		return false;
	collect(image, map->l_ld, &found);
	read_symbols(image, &found);
	if (found.relacount <= found.relasz / sizeof(ElfW(Rela)) &&
	    table(image, found.rela, found.relasz, sizeof(uintptr_t))) {
		image->rela = (ElfW(Rela) *)found.rela + found.relacount;
		image->nrela = found.relasz / sizeof(ElfW(Rela)) - found.relacount;
		image->nrelative = found.relacount;
	}
	return image->symbols;
}

const char *elf_name(const struct elf_image *image, const ElfW(Sym) *symbol)
{
	return symbol->st_name < image->strings_size ? image->strings + symbol->st_name : "";
}

bool elf_exports(const ElfW(Sym) *symbol, unsigned int type)
{
	unsigned int binding = ELF64_ST_BIND(symbol->st_info);
	unsigned int visibility = ELF64_ST_VISIBILITY(symbol->st_other);

	return symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == type &&
	       (binding == STB_GLOBAL || binding == STB_WEAK) &&
	       (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

const char *elf_version(const struct elf_image *image, uint32_t number)
{
	enum { HIDDEN = 0x8000 };
	const ElfW(Versym) *version = (const ElfW(Versym) *)image->versym + number;
	uintptr_t at = image->verdef;

	if (!image->versym || !table(image, (uintptr_t)version, sizeof(*version), 2) ||
	    !(*version & HIDDEN))
		return NULL;
	for (uint32_t i = 0; i < image->nverdef; i++) {
		const ElfW(Verdef) *definition = (const ElfW(Verdef) *)at;
		const ElfW(Verdaux) *name;

		if (!table(image, at, sizeof(*definition), 4))
			break;
		name = (const ElfW(Verdaux) *)(at + definition->vd_aux);
		if ((definition->vd_ndx | HIDDEN) == *version)
			return table(image, (uintptr_t)name, sizeof(*name), 4) &&
			       name->vda_name < image->strings_size
				       ? image->strings + name->vda_name : "";
		at += definition->vd_next;
	}
	return "";
}

const ElfW(Sym) *elf_find(const struct elf_image *image, const char *name)
{
	for (uint32_t i = 1; i < image->nsymbols; i++) {
		const ElfW(Sym) *symbol = &image->symbols[i];

		if (symbol->st_shndx != SHN_UNDEF && sys_equal(elf_name(image, symbol), name) &&
		    !elf_version(image, i))
			return symbol;
	}
	return NULL;
}

static uint32_t gnu_hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

const ElfW(Sym) *elf_look_up(const struct elf_image *image, const char *name)
{
	const uint32_t *table = (const uint32_t *)image->gnu_hash, *buckets;
	uint32_t hash = gnu_hash_of(name), first;

	if (!table)
		return elf_find(image, name);
	first = table[1];
	buckets = table + 4 + (size_t)table[2] * (sizeof(ElfW(Addr)) / 4);
	if (!table[0] || !inside(image, (uintptr_t)buckets, (size_t)table[0] * 4))
		return NULL;
	for (uint32_t i = buckets[hash % table[0]]; i && i >= first && i < image->nsymbols; i++) {
		uint32_t link = buckets[table[0] + (i - first)];	/* elf_count has read it */

		if ((link | 1) == (hash | 1) && image->symbols[i].st_shndx != SHN_UNDEF &&
		    sys_equal(elf_name(image, &image->symbols[i]), name) && !elf_version(image, i))
			return &image->symbols[i];
		if (link & 1)
			break;
	}
	return NULL;
}

ElfW(Dyn) *elf_entry(const struct elf_image *image, const struct link_map *map, ElfW(Sxword) tag)
{
	for (ElfW(Dyn) *entry = map->l_ld;
	     inside(image, (uintptr_t)entry, sizeof(*entry)) && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == tag)
			return entry;
	return NULL;
}

void elf_repoint(const struct elf_image *image, ElfW(Dyn) *entry, const void *was, const void *to)
{
	bool absolute = entry->d_un.d_ptr == (uintptr_t)was;

	entry->d_un.d_ptr = (uintptr_t)to - (absolute ? 0 : image->base);
}

int elf_protection(const struct elf_image *image, uintptr_t at)
{
	for (unsigned int i = 0; i < image->phnum; i++) {
		const ElfW(Phdr) *segment = &image->phdr[i];
		uintptr_t from = image->base + segment->p_vaddr;

		if (segment->p_type == PT_LOAD && at >= from && at - from < segment->p_memsz)
			return (segment->p_flags & PF_R ? PROT_READ : 0) |
			       (segment->p_flags & PF_W ? PROT_WRITE : 0) |
			       (segment->p_flags & PF_X ? PROT_EXEC : 0);
	}
	return -1;
}

bool elf_readable(const struct elf_image *image, const void *at, size_t size)
{
	return table(image, (uintptr_t)at, size, sizeof(uintptr_t));
}

bool elf_writable(const struct elf_image *image, uintptr_t at)
{
	return table(image, at, sizeof(uintptr_t), sizeof(uintptr_t)) &&
	       (elf_protection(image, at) & PROT_WRITE);
}
