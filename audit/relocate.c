/* SPDX-License-Identifier: Apache-2.0 */
/* Brings relocations the loader does not report to la_symbind64. */
#include "audit/relocate.h"

#include <linux/mman.h>

#include "arch.h"
#include "audit/provider.h"
#include "audit/sys.h"

/* Rewritten relocations of one name that have not been bound yet. */
struct relocate_pending {
	const char *name;	/* in the object's string table */
	_Atomic uint32_t count;
};

/*
 * A position-dependent executable that takes a function's address defines that
 * address itself, in its own PLT: an undefined symbol with a value. Everybody's
 * relocation binds to it, and its JUMP_SLOT is routed; rewritten, theirs would
 * skip it, and the addresses would differ.
 */
static struct elf_image main_image;
static Lmid_t main_space = -1;

void relocate_note_main(const struct elf_image *image, Lmid_t space)
{
	if (image->base)
		return;
	main_image = *image;
	if (elf_count(&main_image))
		main_space = space;
}

static bool main_defines(const char *name)
{
	for (uint32_t i = 1; i < main_image.nsymbols; i++) {
		const ElfW(Sym) *symbol = &main_image.symbols[i];

		if (symbol->st_shndx == SHN_UNDEF && symbol->st_value &&
		    sys_equal(elf_name(&main_image, symbol), name))
			return true;
	}
	return false;
}

static bool is_candidate(const struct elf_image *image, const ElfW(Sym) *symbol)
{
	return symbol->st_shndx == SHN_UNDEF && provider_may_export(elf_name(image, symbol));
}

static bool wanted(const struct elf_image *image, const ElfW(Rela) *rela, Lmid_t space)
{
	uint32_t symbol = (uint32_t)ELF64_R_SYM(rela->r_info);
	uint32_t type = (uint32_t)ELF64_R_TYPE(rela->r_info);

	if (type != ARCH_R_GLOB_DAT && type != ARCH_R_ABSOLUTE)
		return false;
	return !rela->r_addend && symbol && symbol < image->room &&
	       is_candidate(image, &image->symbols[symbol]) &&
	       (space != main_space || !main_defines(elf_name(image, &image->symbols[symbol])));
}

static void add_pending(struct object_detail *detail, const char *name)
{
	uint32_t i = 0;

	while (i < detail->npending && !sys_equal(detail->pending[i].name, name))
		i++;
	if (i == detail->npending) {
		detail->pending[i].name = name;
		atomic_store_explicit(&detail->pending[i].count, 0, memory_order_relaxed);
		detail->npending++;
	}
	atomic_fetch_add_explicit(&detail->pending[i].count, 1, memory_order_relaxed);
}

static bool make_room(struct object_detail *detail, uint32_t names)
{
	detail->npending = 0;
	if (names > detail->room) {
		detail->pending = sys_alloc(names * sizeof(*detail->pending));
		detail->room = detail->pending ? names : 0;
	}
	return detail->room;
}

/* Only the pages the relocations lie in: the segment may hold code. */
static bool set_pages(const ElfW(Rela) *first, const ElfW(Rela) *last, int protection)
{
	return sys_protect((uintptr_t)first, (uintptr_t)(last + 1), protection) == 0;
}

void relocate_rewrite(struct link_object *object, const struct elf_image *image, Lmid_t space)
{
	ElfW(Rela) *first = NULL, *last = NULL;
	struct object_detail *detail;
	uint32_t count = 0;
	int protection;

	for (size_t i = 0; i < image->nrela; i++) {
		if (!wanted(image, &image->rela[i], space))
			continue;
		if (!first)
			first = &image->rela[i];
		count++;
		last = &image->rela[i];
	}
	if (!first)
		return;
	detail = object_detail(object);
	protection = elf_protection(image, (uintptr_t)first);
	if (!detail || !make_room(detail, count) || protection < 0 ||
	    (!(protection & PROT_WRITE) &&
	     !set_pages(first, last, PROT_READ | PROT_WRITE))) {
		sys_say("cannot rewrite relocations, calls by them are not routed: ",
			object->path, NULL);
		return;
	}
	for (ElfW(Rela) *rela = first; rela <= last; rela++) {
		if (!wanted(image, rela, space))
			continue;
		add_pending(detail, elf_name(image, &image->symbols[ELF64_R_SYM(rela->r_info)]));
		rela->r_info = ELF64_R_INFO(ELF64_R_SYM(rela->r_info), ARCH_R_JUMP_SLOT);
	}
	if (!(protection & PROT_WRITE))
		set_pages(first, last, protection);
}

bool relocate_was_rewritten(struct link_object *object, const char *name)
{
	struct object_detail *detail = object->detail;

	for (uint32_t i = 0; detail && i < detail->npending; i++) {
		uint32_t left = atomic_load_explicit(&detail->pending[i].count,
						     memory_order_relaxed);

		if (!sys_equal(detail->pending[i].name, name))
			continue;
		while (left)
			if (atomic_compare_exchange_weak_explicit(&detail->pending[i].count,
								  &left, left - 1,
								  memory_order_relaxed,
								  memory_order_relaxed))
				return true;
		return false;
	}
	return false;
}
