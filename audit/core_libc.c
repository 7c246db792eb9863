/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binds the core to the C library's own functions, whatever the executable defines.
 *
 * C lets a program have a function `unlink` of its own, which the linker exports because the C
 * library has that name, and which is found first. So such a name of the core becomes one that it
 * defines itself and hides, with the C library's address: the loader then looks nowhere else.
 */
#include "audit/core_libc.h"

#include "audit/message.h"
#include "audit/sys.h"

/* What the C library is of: three files before glibc 2.34. Names of one that comes behind the core are left. */
static const char *const names[] = { "libc.so.6", "libpthread.so.0", "libdl.so.2" };

enum { LIBRARIES = sizeof(names) / sizeof(names[0]) };

static struct elf_image program, libraries[LIBRARIES];

void core_libc_note(const struct elf_image *image, bool is_main)
{
	struct elf_image *found = is_main ? &program : NULL;

	for (int i = 0; !found && image->soname && i < LIBRARIES; i++)
		if (!libraries[i].symbols && sys_equal(image->soname, names[i]))
			found = &libraries[i];
	if (!found)
		return;
	*found = *image;
	elf_count(found);
}

/* The program's allocator serves the core as well: what one of the two allocates the other may free. */
static bool allocates(const char *name)
{
	static const char *const functions[] = {
		"aligned_alloc", "calloc", "free", "malloc", "malloc_usable_size", "memalign",
		"posix_memalign", "pvalloc", "realloc", "reallocarray", "valloc",
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (sys_equal(name, functions[i]))
			return true;
	return false;
}

/*
 * Whether the executable would be called. What a sanitizer intercepts is weak there, calls the C
 * library's, and has to be called: it keeps account of threads, of memory and of what is mapped. So
 * has what C does not leave to programs, which is there to be called.
 */
static bool is_taken(const char *name)
{
	const ElfW(Sym) *symbol = sys_starts(name, "__") ? NULL : elf_look_up(&program, name);

	return symbol && ELF64_ST_BIND(symbol->st_info) != STB_WEAK && !allocates(name);
}

/* Has a symbol of the core be the C library's function; data is left to the executable. */
static void define(ElfW(Sym) *symbol, const char *name)
{
	for (int i = 0; i < LIBRARIES; i++) {
		const ElfW(Sym) *own = elf_look_up(&libraries[i], name);

		if (!own || !(elf_exports(own, STT_FUNC) || elf_exports(own, STT_GNU_IFUNC)))
			continue;
		symbol->st_info = own->st_info;
		symbol->st_other = STV_HIDDEN;
		symbol->st_shndx = SHN_ABS;
		symbol->st_value = libraries[i].base + own->st_value;
		return;
	}
}

/* A copy of the symbols that the loader goes by from now on, or NULL. */
static ElfW(Sym) *copy_symbols(struct elf_image *image, const struct link_map *map)
{
	ElfW(Dyn) *entry = elf_entry(image, map, DT_SYMTAB);
	ElfW(Sym) *copy = NULL;

	/* RELRO is not read-only yet: that comes after relocation. */
	if (entry && elf_writable(image, (uintptr_t)&entry->d_un))
		copy = sys_alloc(image->nsymbols * sizeof(*copy));
	if (!copy)
		return NULL;
	for (uint32_t i = 0; i < image->nsymbols; i++)
		copy[i] = image->symbols[i];
	elf_repoint(image, entry, image->symbols, copy);
	image->symbols = copy;
	return copy;
}

void core_libc_open(struct elf_image *image, const struct link_map *map)
{
	ElfW(Sym) *copy = NULL;

	for (uint32_t i = 1; i < image->nsymbols; i++) {
		const char *name = elf_name(image, &image->symbols[i]);

		if (image->symbols[i].st_shndx != SHN_UNDEF || !is_taken(name))
			continue;
		if (!copy)
			copy = copy_symbols(image, map);
		if (!copy) {
			message_say("the program has functions by names of the C library's, which hooks may call",
				    NULL);
			return;
		}
		define(&copy[i], name);
	}
}
