/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions in libraries, from their ELF symbol tables. */
#ifndef ANALYSIS_ELF_SYMBOLS_H
#define ANALYSIS_ELF_SYMBOLS_H

#include <stdint.h>

enum { ELF_ID = 32 };	/* bytes compared of a build ID, as many as traces have */

enum elf_match {
	ELF_NONE,	/* no regular file, or none of ELF, 64 bits */
	ELF_OTHER,	/* its build ID is another, or it has none */
	ELF_SAME
};

/*
 * Whether the file at path has the build ID. *fd: the open file where it is the same,
 * which the caller closes, else -1. 0, or -errno: memory is out, or the file cannot be read.
 */
int elf_open(const char *path, const uint8_t *id, uint32_t size, enum elf_match *found, int *fd);

struct elf_symbols;

/*
 * The symbols of that file; *opened is NULL where it is not the same, or has none. 0, or
 * -errno as above.
 */
int elf_symbols_open(struct elf_symbols **opened, const char *path, const uint8_t *id,
		     uint32_t size);

/* The function at an address of the file, as the linker wrote it; NULL: none. Valid until the end. */
const char *elf_symbols_find(const struct elf_symbols *symbols, uint64_t address);

void elf_symbols_close(struct elf_symbols *symbols);

#endif
