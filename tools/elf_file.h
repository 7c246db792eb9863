/* SPDX-License-Identifier: Apache-2.0 */
/* An ELF file as it is on disk, safe to ask whatever it holds. */
#ifndef TOOLS_ELF_FILE_H
#define TOOLS_ELF_FILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_file {
	const char *data;	/* the file, mapped */
	size_t size;
};

/* 0 or -errno. An empty file has no data. */
int elf_file_open(struct elf_file *object, const char *path);
void elf_file_close(struct elf_file *object);

bool elf_file_is_elf(const struct elf_file *object);

/* Whether it is for the machine this is built for; what follows wants that. */
bool elf_file_is_native(const struct elf_file *object);

/* Whether its program headers lie in the file. */
bool elf_file_is_whole(const struct elf_file *object);

/* The loader it names; NULL if none. Belongs to the object. */
const char *elf_file_loader(const struct elf_file *object);

/* The text of a dynamic entry, DT_SONAME for one; NULL if there is none. */
const char *elf_file_text(const struct elf_file *object, Elf64_Sxword tag);

/* The address of a symbol that it exports, by its section headers. */
bool elf_file_symbol(const struct elf_file *object, const char *name, uint64_t *address);

/* How many functions it exports, by its section headers: names of them. */
size_t elf_file_functions(const struct elf_file *object);

/* What is at an address of the mapped object, if the file has it. */
bool elf_file_read(const struct elf_file *object, uint64_t address, void *to, size_t size);

/* Whether the file holds the text anywhere. */
bool elf_file_holds(const struct elf_file *object, const char *text);

#endif
