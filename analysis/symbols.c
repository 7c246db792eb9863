/* SPDX-License-Identifier: Apache-2.0 */
/* Names of functions in libraries, from their ELF symbol tables. */
/*
 * The file may be anything: what is read of it is copied, and every offset and
 * size in it is held against how large it is.
 */
#include "analysis/symbols.h"
#include "util/sort.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
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

struct symbols {
	struct symbol *all;	/* by start */
	size_t count;
	char *names;		/* with a NUL at the end */
	char **spelled;		/* by symbol: of those that were asked for; NULL: not asked, or as in names */
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

static bool note_agrees(const uint8_t *notes, uint64_t size, const struct trace_library *library)
{
	Elf64_Nhdr note;

	for (uint64_t at = 0; size - at >= sizeof(note);) {
		uint64_t name, all;

		memcpy(&note, notes + at, sizeof(note));
		name = (note.n_namesz + UINT64_C(3)) & ~UINT64_C(3);
		all = sizeof(note) + name + ((note.n_descsz + UINT64_C(3)) & ~UINT64_C(3));
		if (all > size - at)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + at + sizeof(note), "GNU", 4))
			return note.n_descsz == library->id_size &&
			       !memcmp(notes + at + sizeof(note) + name, library->build_id,
				       library->id_size);
		at += all;
	}
	return false;
}

static bool same_build(struct file *file, const struct trace_library *library)
{
	bool same = false;

	for (uint32_t i = 0; !same && !file->error && i < file->header.e_shnum; i++) {
		const Elf64_Shdr *section = &file->sections[i];
		uint8_t *notes = NULL;

		if (section->sh_type == SHT_NOTE)
			notes = read_part(file, section->sh_offset, section->sh_size, NOTES_MAX);
		same = notes && note_agrees(notes, section->sh_size, library);
		free(notes);
	}
	return same;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return ORDER(x->start, y->start);
}

static bool take_table(struct symbols *symbols, struct file *file, const Elf64_Shdr *table)
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
static bool take_best(struct symbols *symbols, struct file *file)
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

int symbols_open(struct symbols **opened, const struct trace_library *library)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));
	struct file file = { .fd = -1, .error = symbols ? 0 : -ENOMEM };

	if (!symbols || !library->id_size || !open_elf(&file, library->path) ||
	    !same_build(&file, library) || !take_best(symbols, &file) || file.error) {
		symbols_close(symbols);
		symbols = NULL;
	}
	free(file.sections);
	if (file.fd >= 0)
		close(file.fd);
	*opened = symbols;
	return file.error;
}

/* For people. Each name is asked for as often as its function is in a backtrace. */
static int spell(struct symbols *symbols, size_t index, enum demangle how, const char **name)
{
	*name = symbols->names + symbols->all[index].name;
	if (how == DEMANGLE_NO)
		return 0;
	if (!symbols->spelled)
		symbols->spelled = calloc(symbols->count, sizeof(*symbols->spelled));
	if (!symbols->spelled)
		return -ENOMEM;
	if (!symbols->spelled[index]) {
		errno = 0;
		symbols->spelled[index] = demangle(*name, how);
		if (!symbols->spelled[index])
			return errno == ENOMEM ? -ENOMEM : 0;
	}
	*name = symbols->spelled[index];
	return 0;
}

int symbols_find(struct symbols *symbols, uint64_t address, enum demangle how, const char **name)
{
	size_t at = FIRST(symbols->count, i, symbols->all[i].start <= address);

	*name = NULL;
	/* Of functions inside of others the last one that began. */
	return at && address < symbols->all[at - 1].end ? spell(symbols, at - 1, how, name) : 0;
}

void symbols_close(struct symbols *symbols)
{
	if (!symbols)
		return;
	for (size_t i = 0; symbols->spelled && i < symbols->count; i++)
		free(symbols->spelled[i]);
	free(symbols->spelled);
	free(symbols->all);
	free(symbols->names);
	free(symbols);
}
