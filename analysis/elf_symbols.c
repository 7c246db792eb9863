/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions in libraries, from their ELF symbol tables. */
/*
 * The file may be anything: what is read of it is copied, and every offset and
 * size in it is held against how large it is.
 */
#include "analysis/elf_symbols.h"
#include "util/sort.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	SECTIONS_MAX = 4096,
	TABLE_MAX = 1 << 30,	/* bytes of symbols, or of their names */
	NOTES_MAX = 1 << 16
};

struct file {
	int fd;
	uint64_t size;
	Elf64_Ehdr header;
	Elf64_Shdr *sections;
	int error;		/* -errno: it could not be read, or memory was out */
};

struct symbol {
	uint64_t start, end;
	uint32_t name;
};

struct elf_symbols {
	struct symbol *all;	/* by start */
	size_t count;
	char *names;		/* with a NUL at the end */
};

/* What is at an offset. false: it is not all there, or file->error. */
static bool read_at(struct file *file, void *to, uint64_t offset, uint64_t size)
{
	ssize_t got;

	if (offset > file->size || size > file->size - offset)
		return false;
	got = pread(file->fd, to, size, (off_t)offset);
	if (got < 0)
		file->error = -errno;
	return got == (ssize_t)size;
}

/* The same in memory of its own, with a NUL behind it; NULL for false. */
static void *read_part(struct file *file, uint64_t offset, uint64_t size, uint64_t most)
{
	char *part;

	if (size > most || offset > file->size || size > file->size - offset)
		return NULL;
	part = malloc(size + 1);
	if (!part) {
		file->error = -ENOMEM;
		return NULL;
	}
	if (!read_at(file, part, offset, size)) {
		free(part);
		return NULL;
	}
	part[size] = '\0';
	return part;
}

static bool open_elf(struct file *file, const char *path)
{
	struct stat status;

	/* The trace names it: what is no file is not opened, for some devices act on that. */
	file->fd = stat(path, &status) || !S_ISREG(status.st_mode) ?
		   -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (file->fd < 0 || fstat(file->fd, &status) || !S_ISREG(status.st_mode))
		return false;
	file->size = (uint64_t)status.st_size;
	if (!read_at(file, &file->header, 0, sizeof(file->header)) ||
	    memcmp(file->header.e_ident, ELFMAG, SELFMAG) ||
	    file->header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    file->header.e_shentsize != sizeof(Elf64_Shdr) || file->header.e_shnum > SECTIONS_MAX)
		return false;
	file->sections = read_part(file, file->header.e_shoff,
				   file->header.e_shnum * sizeof(Elf64_Shdr), TABLE_MAX);
	return file->sections;
}

/* Copies the build ID that is among notes; 0: none is. */
static uint32_t id_of_notes(const uint8_t *notes, uint64_t size, uint8_t id[ELF_ID])
{
	Elf64_Nhdr note;

	for (uint64_t at = 0; size - at >= sizeof(note);) {
		uint64_t name, all;

		memcpy(&note, notes + at, sizeof(note));
		name = (note.n_namesz + UINT64_C(3)) & ~UINT64_C(3);
		all = sizeof(note) + name + ((note.n_descsz + UINT64_C(3)) & ~UINT64_C(3));
		if (all > size - at)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + at + sizeof(note), "GNU", 4)) {
			uint32_t bytes = note.n_descsz < ELF_ID ? note.n_descsz : ELF_ID;

			memcpy(id, notes + at + sizeof(note) + name, bytes);
			return bytes;
		}
		at += all;
	}
	return 0;
}

static uint32_t id_of(struct file *file, uint8_t id[ELF_ID])
{
	uint32_t size = 0;

	for (uint32_t i = 0; !size && !file->error && i < file->header.e_shnum; i++) {
		const Elf64_Shdr *section = &file->sections[i];
		uint8_t *notes = NULL;

		if (section->sh_type == SHT_NOTE)
			notes = read_part(file, section->sh_offset, section->sh_size, NOTES_MAX);
		if (notes)
			size = id_of_notes(notes, section->sh_size, id);
		free(notes);
	}
	return size;
}

static void close_elf(struct file *file)
{
	free(file->sections);
	if (file->fd >= 0)
		close(file->fd);
}

static enum elf_match match(struct file *file, const char *path, const uint8_t *id, uint32_t size)
{
	uint8_t own[ELF_ID];
	uint32_t bytes;

	if (!open_elf(file, path))
		return ELF_NONE;
	bytes = id_of(file, own);
	return bytes && bytes == size && !memcmp(own, id, bytes) ? ELF_SAME : ELF_OTHER;
}

int elf_open(const char *path, const uint8_t *id, uint32_t size, enum elf_match *found, int *fd)
{
	struct file file = { .fd = -1 };

	*found = match(&file, path, id, size);
	*fd = -1;
	if (*found == ELF_SAME && !file.error) {
		*fd = file.fd;
		file.fd = -1;
	}
	close_elf(&file);
	return file.error;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return ORDER(x->start, y->start);
}

static bool take_table(struct elf_symbols *symbols, struct file *file, const Elf64_Shdr *table)
{
	const Elf64_Shdr *names = &file->sections[table->sh_link];
	size_t count = table->sh_size / sizeof(Elf64_Sym);
	Elf64_Sym *from = read_part(file, table->sh_offset, count * sizeof(*from), TABLE_MAX);

	symbols->names = read_part(file, names->sh_offset, names->sh_size, TABLE_MAX);
	symbols->all = from ? calloc(count + 1, sizeof(*symbols->all)) : NULL;
	if (from && !symbols->all)
		file->error = -ENOMEM;
	for (size_t i = 0; from && symbols->names && symbols->all && i < count; i++) {
		if (ELF64_ST_TYPE(from[i].st_info) != STT_FUNC || !from[i].st_size ||
		    from[i].st_name >= names->sh_size)
			continue;
		symbols->all[symbols->count++] = (struct symbol){
			from[i].st_value, from[i].st_value + from[i].st_size, from[i].st_name };
	}
	free(from);
	if (symbols->count)
		qsort(symbols->all, symbols->count, sizeof(*symbols->all), compare_symbols);
	return symbols->count;
}

/* The full table, or that of what it exports. */
static bool take_best(struct elf_symbols *symbols, struct file *file)
{
	const Elf64_Shdr *best = NULL;

	for (uint32_t i = 0; i < file->header.e_shnum; i++) {
		const Elf64_Shdr *section = &file->sections[i];

		if (section->sh_link < file->header.e_shnum &&
		    (section->sh_type == SHT_SYMTAB || (section->sh_type == SHT_DYNSYM && !best)))
			best = section;
	}
	return best && take_table(symbols, file, best);
}

int elf_symbols_open(struct elf_symbols **opened, const char *path, const uint8_t *id, uint32_t size)
{
	struct elf_symbols *symbols = calloc(1, sizeof(*symbols));
	struct file file = { .fd = -1, .error = symbols ? 0 : -ENOMEM };

	if (!symbols || match(&file, path, id, size) != ELF_SAME || !take_best(symbols, &file) ||
	    file.error) {
		elf_symbols_close(symbols);
		symbols = NULL;
	}
	close_elf(&file);
	*opened = symbols;
	return file.error;
}

const char *elf_symbols_find(const struct elf_symbols *symbols, uint64_t address)
{
	size_t at = FIRST(symbols->count, i, symbols->all[i].start <= address);

	/* Of functions inside of others the last one that began. */
	return at && address < symbols->all[at - 1].end ?
	       symbols->names + symbols->all[at - 1].name : NULL;
}

void elf_symbols_close(struct elf_symbols *symbols)
{
	if (!symbols)
		return;
	free(symbols->all);
	free(symbols->names);
	free(symbols);
}
