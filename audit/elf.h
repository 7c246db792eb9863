/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the dynamic section of a mapped object without trusting it. Context: bind. */
#ifndef AUDIT_ELF_H
#define AUDIT_ELF_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A mapped object. Every pointer below was checked to lie inside its
 * readable segments, with the sizes the dynamic section gives.
 */
struct elf_image {
	uintptr_t base;			/* l_addr */
	uintptr_t lo, hi;		/* extent of the PT_LOAD segments */
	const ElfW(Phdr) *phdr;
	unsigned int phnum;
	const char *soname;		/* NULL without DT_SONAME */
	const char *strings;
	size_t strings_size;
	const ElfW(Sym) *symbols;
	uint32_t room;			/* symbols that fit between symbols and its segment's end */
	uint32_t nsymbols;		/* all; 0 until elf_count */
	uintptr_t gnu_hash;
	uintptr_t versym, verdef;	/* 0: none */
	uint32_t nverdef;
	ElfW(Rela) *rela;		/* DT_RELA without its leading RELATIVE ones */
	size_t nrela;
	size_t nrelative;		/* of those */
	/* libc.c's: its calls of libc's functions are seen; they never are, though the executable has the address */
	bool calls_libc, spares_libc;
};

/*
 * Fills image from map. phdr: the program headers where they are known from
 * elsewhere (the executable's, by AT_PHDR), else NULL. False when the object
 * cannot be read safely; image->soname may then still be valid.
 */
bool elf_read(struct elf_image *image, const struct link_map *map,
	      const ElfW(Phdr) *phdr, unsigned int phnum);

/*
 * Counts the symbols: sets nsymbols, returns whether there are any. Apart
 * from elf_read because it reads the whole hash table.
 */
bool elf_count(struct elf_image *image);

/* The name of a symbol, or "" where its offset is out of the string table. */
const char *elf_name(const struct elf_image *image, const ElfW(Sym) *symbol);

/* Whether it is a definition of that type (STT_*) that others may bind. */
bool elf_exports(const ElfW(Sym) *symbol, unsigned int type);

/*
 * The version of a defined symbol that is not its name's default: "" where it
 * cannot be read, NULL for a default or none. number: the symbol's own.
 */
const char *elf_version(const struct elf_image *image, uint32_t number);

/* The defined symbol of that name, of its default version, or NULL; after elf_count. */
const ElfW(Sym) *elf_find(const struct elf_image *image, const char *name);

/*
 * The same, by GNU's hash table where the object has one: for many names, or in objects of very
 * many symbols.
 */
const ElfW(Sym) *elf_look_up(const struct elf_image *image, const char *name);

/* An object's first dynamic entry of that tag, or NULL. */
ElfW(Dyn) *elf_entry(const struct elf_image *image, const struct link_map *map, ElfW(Sxword) tag);

/*
 * Has an entry that can be written name another address. The loader has added
 * the base to what it names, except in a dynamic section marked read-only.
 */
void elf_repoint(const struct elf_image *image, ElfW(Dyn) *entry, const void *was, const void *to);

/* PROT_* of the segment that holds address, or -1. */
int elf_protection(const struct elf_image *image, uintptr_t address);

/* Whether a table of words is there, within one segment. */
bool elf_readable(const struct elf_image *image, const void *at, size_t size);

/* Whether address is that of a pointer which can be written. */
bool elf_writable(const struct elf_image *image, uintptr_t address);

#endif
