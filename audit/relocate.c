/* SPDX-License-Identifier: Apache-2.0 */
/* Brings relocations the loader does not report to la_symbind64. */
#include "audit/relocate.h"

#include <linux/mman.h>

#include "arch.h"
#include "audit/chosen.h"
#include "audit/driver.h"
#include "audit/escape.h"
#include "audit/libc.h"
#include "audit/provider.h"
#include "audit/sys.h"

/* Rewritten relocations of one name that have not been bound yet: hashed by that. */
struct relocate_pending {
	const char *name;	/* in the object's string table; NULL: none */
	_Atomic uint32_t count;
};

/*
 * A position-dependent executable that takes a function's address defines that
 * address itself, in its own PLT: an undefined symbol with a value. Everyone's
 * relocation binds to it, and its JUMP_SLOT is intercepted; rewritten, theirs would
 * skip it, and the addresses would differ.
 */
static struct elf_image main_image;
static Lmid_t main_space = -1;
static const uint32_t *main_defined;	/* numbers of its symbols */
static uint32_t main_ndefined;

static bool defines_in_plt(const ElfW(Sym) *symbol)
{
	return symbol->st_shndx == SHN_UNDEF && symbol->st_value;
}

void relocate_note_main(const struct elf_image *image, Lmid_t space)
{
	uint32_t count = 0, *numbers;

	if (image->base)
		return;
	main_image = *image;
	main_ndefined = 0;
	if (!elf_count(&main_image))
		return;
	main_space = space;
	for (uint32_t i = 1; i < main_image.nsymbols; i++)
		count += defines_in_plt(&main_image.symbols[i]);
	numbers = sys_alloc(count * sizeof(*numbers));
	for (uint32_t i = 1; numbers && i < main_image.nsymbols; i++)
		if (defines_in_plt(&main_image.symbols[i]))
			numbers[main_ndefined++] = i;
	main_defined = numbers;
}

static bool main_defines(const char *name)
{
	for (uint32_t i = 0; i < main_ndefined; i++)
		if (sys_equal(elf_name(&main_image, &main_image.symbols[main_defined[i]]), name))
			return true;
	return false;
}

static bool is_candidate(const struct elf_image *image, const ElfW(Sym) *symbol)
{
	const char *name = elf_name(image, symbol);
	unsigned int type = ELF64_ST_TYPE(symbol->st_info);

	if (image->spares_libc)
		return symbol->st_shndx == SHN_UNDEF && libc_is_function(name);
	/* Which libraries have what is looked at then, and a library that is chosen may have any function. */
	return symbol->st_shndx == SHN_UNDEF &&
	       (provider_may_export(name) || (image->calls_libc && libc_is_function(name)) ||
		chosen_may_export(name, type));
}

static bool names_function(const struct elf_image *image, const ElfW(Rela) *rela)
{
	uint32_t symbol = (uint32_t)ELF64_R_SYM(rela->r_info);
	uint32_t type = (uint32_t)ELF64_R_TYPE(rela->r_info);

	if (type != ARCH_R_GLOB_DAT && type != ARCH_R_ABSOLUTE)
		return false;
	return !rela->r_addend && symbol && symbol < image->room &&
	       is_candidate(image, &image->symbols[symbol]);
}

static bool is_left(const struct elf_image *image, const ElfW(Rela) *rela, Lmid_t space)
{
	return space == main_space && !image->spares_libc &&
	       main_defines(elf_name(image, &image->symbols[ELF64_R_SYM(rela->r_info)]));
}

static bool wanted(const struct elf_image *image, const ElfW(Rela) *rela, Lmid_t space)
{
	return names_function(image, rela) && !is_left(image, rela, space);
}

/* Keeps where one is written that is left, to be looked at when the object is closed. */
static void keep_left(struct object_detail *detail, const struct elf_image *image,
		      const ElfW(Rela) *rela)
{
	uintptr_t at = image->base + rela->r_offset;

	if (detail->nleft < detail->left_room && elf_writable(image, at))
		detail->left[detail->nleft++] = at;
}

static void keep_all_left(struct link_object *object, const struct elf_image *image)
{
	struct object_detail *detail;
	uint32_t count = 0;

	for (size_t i = 0; i < image->nrela; i++)
		count += names_function(image, &image->rela[i]) &&
			 is_left(image, &image->rela[i], main_space);
	detail = count ? object_detail(object) : NULL;
	if (!detail)
		return;
	if (count > detail->left_room) {
		detail->left = sys_alloc(count * sizeof(*detail->left));
		detail->left_room = detail->left ? count : 0;
	}
	for (size_t i = 0; i < image->nrela; i++)
		if (names_function(image, &image->rela[i]) &&
		    is_left(image, &image->rela[i], main_space))
			keep_left(detail, image, &image->rela[i]);
}

/* The executable's name is found first, but not by an object opened with RTLD_DEEPBIND. */
void relocate_close(const struct link_object *object)
{
	const struct object_detail *detail = object->detail;
	uint32_t count = 0;

	for (uint32_t i = 0; detail && i < detail->nleft; i++)
		count += sys_readable((const void *)detail->left[i]) &&
			 driver_exports(*(const uintptr_t *)detail->left[i]);
	if (count)
		escape_record(CUAUDIT_ESCAPE_RELOCATIONS, object->path, object, count);
}

/* FNV-1a. */
static uint32_t hash_of(const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return hash;
}

/* Those of a name, or the place for them. */
static struct relocate_pending *pending_of(const struct object_detail *detail, const char *name)
{
	uint32_t at = hash_of(name);

	while (detail->pending[at % detail->npending].name &&
	       !sys_equal(detail->pending[at % detail->npending].name, name))
		at++;
	return &detail->pending[at % detail->npending];
}

static void add_pending(struct object_detail *detail, const char *name)
{
	struct relocate_pending *pending = pending_of(detail, name);

	pending->name = name;
	atomic_fetch_add_explicit(&pending->count, 1, memory_order_relaxed);
}

static bool make_room(struct object_detail *detail, uint32_t names)
{
	uint32_t places = 1;

	while (places < 2 * names)
		places *= 2;
	if (places > detail->room) {
		detail->pending = sys_alloc(places * sizeof(*detail->pending));
		detail->room = detail->pending ? places : 0;
	}
	detail->npending = detail->room;
	for (uint32_t i = 0; i < detail->npending; i++) {
		detail->pending[i].name = NULL;
		atomic_store_explicit(&detail->pending[i].count, 0, memory_order_relaxed);
	}
	return detail->room;
}

/* A range of an object's relocations, and where it is changed. */
struct range {
	ElfW(Rela) *first;
	size_t count;
	bool protect;	/* read-only again afterwards */
};

/*
 * Makes the range writable where it is, if that is in no executable segment:
 * not everywhere could its pages be made executable again. Only the pages it
 * is in: tables can be large.
 */
static bool open_in_place(struct range *range, const struct elf_image *image)
{
	int protection = elf_protection(image, (uintptr_t)range->first);

	if (protection < 0 || protection & PROT_EXEC)
		return false;
	range->protect = !(protection & PROT_WRITE);
	return !range->protect ||
	       !sys_protect((uintptr_t)range->first, (uintptr_t)(range->first + range->count),
			    PROT_READ | PROT_WRITE);
}

/* The part of DT_RELA that is not DT_JMPREL too, as the loader finds it out (elf/dynamic-link.h). */
static size_t own_size(const struct elf_image *image, const struct link_map *map)
{
	const ElfW(Dyn) *jmprel = elf_entry(image, map, DT_JMPREL), *size = elf_entry(image, map, DT_PLTRELSZ);
	uintptr_t end = (uintptr_t)(image->rela + image->nrela);
	size_t whole = (image->nrelative + image->nrela) * sizeof(*image->rela), plt;

	if (!jmprel || !size)
		return whole;
	plt = size->d_un.d_val;
	if (plt > whole || (jmprel->d_un.d_ptr + plt != end &&
			    image->base + jmprel->d_un.d_ptr + plt != end))
		return whole;
	return whole - plt;
}

/* Has the loader relocate by a copy of the table, and moves the range there. */
static bool open_copy(struct range *range, struct object_detail *detail,
		      const struct elf_image *image, const struct link_map *map)
{
	ElfW(Dyn) *rela = elf_entry(image, map, DT_RELA), *size = elf_entry(image, map, DT_RELASZ);
	const ElfW(Rela) *table = image->rela - image->nrelative;
	size_t bytes = own_size(image, map);

	/* RELRO is not read-only yet: that comes after relocation. */
	if (!rela || !size || !elf_writable(image, (uintptr_t)&rela->d_un) ||
	    !elf_writable(image, (uintptr_t)&size->d_un) ||
	    (size_t)(range->first + range->count - table) > bytes / sizeof(*table))
		return false;
	if (bytes > detail->relocations_size) {
		detail->relocations = sys_alloc(bytes);
		detail->relocations_size = detail->relocations ? bytes : 0;
	}
	if (!detail->relocations)
		return false;
	for (size_t i = 0; i < bytes / sizeof(*table); i++)
		detail->relocations[i] = table[i];
	elf_repoint(image, rela, table, detail->relocations);
	size->d_un.d_val = bytes;
	range->first = detail->relocations + (range->first - table);
	range->protect = false;
	return true;
}

static void rewrite(const struct range *range, struct object_detail *detail,
		    const struct elf_image *image, Lmid_t space)
{
	for (ElfW(Rela) *rela = range->first; rela < range->first + range->count; rela++) {
		if (!wanted(image, rela, space))
			continue;
		add_pending(detail, elf_name(image, &image->symbols[ELF64_R_SYM(rela->r_info)]));
		rela->r_info = ELF64_R_INFO(ELF64_R_SYM(rela->r_info), ARCH_R_JUMP_SLOT);
	}
	if (range->protect)
		sys_protect((uintptr_t)range->first, (uintptr_t)(range->first + range->count),
			    PROT_READ);
}

void relocate_rewrite(struct link_object *object, const struct elf_image *image,
		      const struct link_map *map, Lmid_t space)
{
	struct range range = { .first = NULL };
	struct object_detail *detail;
	uint32_t names = 0;

	if (space == main_space && image->symbols != main_image.symbols && !image->spares_libc)
		keep_all_left(object, image);
	for (size_t i = 0; i < image->nrela; i++) {
		if (!wanted(image, &image->rela[i], space))
			continue;
		if (!range.first)
			range.first = &image->rela[i];
		range.count = (size_t)(&image->rela[i] - range.first) + 1;
		names++;
	}
	if (!range.first)
		return;
	detail = object_detail(object);
	if (detail && make_room(detail, names) &&
	    (open_in_place(&range, image) || open_copy(&range, detail, image, map)))
		rewrite(&range, detail, image, space);
	else
		escape_record(CUAUDIT_ESCAPE_RELOCATIONS, object->path, object, names);
}

bool relocate_was_rewritten(struct link_object *object, const char *name)
{
	struct object_detail *detail = object->detail;
	struct relocate_pending *pending;
	uint32_t left;

	if (!detail || !detail->npending)
		return false;
	pending = pending_of(detail, name);
	left = atomic_load_explicit(&pending->count, memory_order_relaxed);
	while (left)
		if (atomic_compare_exchange_weak_explicit(&pending->count, &left, left - 1,
							  memory_order_relaxed,
							  memory_order_relaxed))
			return true;
	return false;
}
