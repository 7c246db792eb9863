/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Undoes what an auditor's mere presence does to PLTs on old C libraries.
 *
 * Before glibc 2.35 one auditor, whatever it exports, makes the loader bind
 * every object lazily, those marked to be bound now too, and put the resolver
 * of audited calls into GOT[2] (elf/dl-reloc.c, consider_profiling, and
 * elf_machine_runtime_setup). That keeps what it found in a table of its own,
 * never in the GOT: each call through a PLT takes that way again.
 *
 * The loader finds the GOT by DT_PLTGOT. The words it would write for an
 * unaudited object are written here, before it relocates, and DT_PLTGOT names
 * three words that only it will see. Objects bound now are bind_now.c's.
 */
#include "audit/plt.h"

#include "arch.h"
#include "audit/bind_now.h"
#include "audit/compat.h"
#include "audit/peer.h"
#include "audit/provider.h"
#include "audit/sys.h"

enum {
	GOT_MAP = 1,
	GOT_RESOLVER,
	GOT_RESERVED
};

struct plt_change {
	uintptr_t got[GOT_RESERVED];	/* what DT_PLTGOT names */
	/* of objects that can call a driver: their PLT's relocations */
	struct elf_image image;
	const ElfW(Rela) *rela;
	size_t count;
};

uintptr_t plt_resolver;

static bool bind_not;

extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));

/* In arch/<cpu>/plt.S: asks plt_choose. */
extern void plt_resolve(void);
uintptr_t plt_choose(const struct link_map *map, uint32_t index);

/* Nobody audits an auditor: the loader gave our own PLT what we look for. */
void plt_start(unsigned int version, const struct env_loader *loader)
{
	if (version >= COMPAT_REPORTS || !object_by_kernel || loader->cut ||
	    loader->profile || loader->auditors > 1 + peer_count)
		return;
	bind_not = loader->bind_not;
	for (const ElfW(Dyn) *entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_PLTGOT)
			plt_resolver = ((const uintptr_t *)entry->d_un.d_ptr)[GOT_RESOLVER];
}

static void collect(ElfW(Dyn) *entry, struct plt_entries *found)
{
	for (; entry->d_tag != DT_NULL; entry++) {
		switch (entry->d_tag) {
		case DT_PLTGOT:
			found->got = entry;
			break;
		case DT_JMPREL:
			found->jmprel = entry;
			break;
		case DT_PLTRELSZ:
			found->pltrelsz = entry;
			break;
		case DT_PLTREL:
			found->is_rela = entry->d_un.d_val == DT_RELA;
			break;
		case DT_RELA:
			found->rela = entry;
			break;
		case DT_RELASZ:
			found->relasz = entry;
			break;
		case DT_BIND_NOW:
			found->now = true;
			break;
		case DT_FLAGS:
			found->now |= (entry->d_un.d_val & DF_BIND_NOW) != 0;
			break;
		case DT_FLAGS_1:
			found->now |= (entry->d_un.d_val & DF_1_NOW) != 0;
			break;
		case DT_AUDIT:
		case DT_DEPAUDIT:
			found->audits = true;
			break;
		}
	}
}

/* Bindings to the driver are reported to la_symbind64, by the resolver of audited calls. */
uintptr_t plt_choose(const struct link_map *map, uint32_t index)
{
	const ElfW(Rela) *rela = NULL;
	const ElfW(Sym) *symbols = NULL;
	const uintptr_t *got = NULL;
	const char *strings = NULL;

	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_JMPREL)
			rela = (const ElfW(Rela) *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_SYMTAB)
			symbols = (const ElfW(Sym) *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_STRTAB)
			strings = (const char *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_PLTGOT)
			got = (const uintptr_t *)entry->d_un.d_ptr;
	}
	return provider_may_export(strings + symbols[ELF64_R_SYM(rela[index].r_info)].st_name)
		       ? got[GOT_RESOLVER] : plt_resolver;
}

static const char *name_of(const struct elf_image *image, const ElfW(Rela) *rela)
{
	uint32_t symbol = (uint32_t)ELF64_R_SYM(rela->r_info);

	return ELF64_R_TYPE(rela->r_info) == ARCH_R_JUMP_SLOT && symbol < image->room
		       ? elf_name(image, &image->symbols[symbol]) : "";
}

/* Whether the object calls more than one function of that name: versions of it. */
static bool ambiguous(const struct plt_change *change, const char *name)
{
	uint64_t symbol = 0;

	for (size_t i = 0; i < change->count; i++) {
		const ElfW(Rela) *rela = &change->rela[i];

		if (!sys_equal(name_of(&change->image, rela), name))
			continue;
		if (symbol && symbol != ELF64_R_SYM(rela->r_info))
			return true;
		symbol = ELF64_R_SYM(rela->r_info);
	}
	return false;
}

void plt_bound(const struct link_object *object, const char *name, uintptr_t value)
{
	const struct plt_change *change;

	if (!plt_resolver || bind_not || !object || !object->detail || !object->detail->plt)
		return;
	change = object->detail->plt;
	/* Nothing says which of them was bound: each call asks the loader. */
	if (ambiguous(change, name))
		return;
	for (size_t i = 0; i < change->count; i++) {
		uintptr_t slot = change->image.base + change->rela[i].r_offset;

		if (sys_equal(name_of(&change->image, &change->rela[i]), name) &&
		    elf_writable(&change->image, slot))
			atomic_store_explicit((_Atomic(uintptr_t) *)slot, value,
					      memory_order_release);
	}
}

/* Whether it can call a driver through its PLT. */
static bool imports(const struct elf_image *image, const ElfW(Rela) *rela, size_t count)
{
	if (!elf_readable(image, rela, count * sizeof(*rela)))
		return false;
	for (size_t i = 0; i < count; i++)
		if (provider_may_export(name_of(image, &rela[i])))
			return true;
	return false;
}

static void bind_lazily(struct link_object *object, const struct elf_image *image,
			const struct plt_entries *found, const struct link_map *map)
{
	const ElfW(Rela) *rela = (const ElfW(Rela) *)found->jmprel->d_un.d_ptr;
	size_t count = found->pltrelsz->d_un.d_val / sizeof(*rela);
	uintptr_t *got = (uintptr_t *)found->got->d_un.d_ptr;
	struct object_detail *detail = object_detail(object);

	/* Words that are not 0 were written by prelink(8), for the loader to see. */
	if (!elf_writable(image, (uintptr_t)&found->got->d_un) ||
	    !elf_writable(image, (uintptr_t)&got[GOT_MAP]) || got[GOT_MAP] ||
	    !elf_writable(image, (uintptr_t)&got[GOT_RESOLVER]) || got[GOT_RESOLVER] ||
	    !detail)
		return;
	if (!detail->plt)
		detail->plt = sys_alloc(sizeof(*detail->plt));
	if (!detail->plt)
		return;
	*detail->plt = (struct plt_change){ .count = 0 };
	got[GOT_MAP] = (uintptr_t)map;
	got[GOT_RESOLVER] = plt_resolver;
	if (imports(image, rela, count)) {
		detail->plt->image = *image;
		detail->plt->rela = rela;
		detail->plt->count = count;
		got[GOT_RESOLVER] = (uintptr_t)plt_resolve;
	}
	found->got->d_un.d_ptr = (uintptr_t)detail->plt->got;
}

void plt_open(struct link_object *object, const struct elf_image *image,
	      const struct link_map *map)
{
	struct plt_entries found = { .got = NULL };

	/* The loader itself is bound already. */
	if (!plt_resolver || (plt_resolver >= image->lo && plt_resolver < image->hi))
		return;
	collect(map->l_ld, &found);
	if (found.audits && (object->flags & LINK_OBJECT_MAIN))
		plt_resolver = 0;
	else if (!found.got || !found.jmprel || !found.pltrelsz || !found.is_rela)
		return;
	else if (!found.now)
		bind_lazily(object, image, &found, map);
	/* now.c sees by l_addr whether it is relocated; of all with none the program alone can wait. */
	else if (found.rela && found.relasz && (image->base || object->flags & LINK_OBJECT_MAIN))
		bind_now_open(object, image, &found);
}

void plt_close(const struct link_object *object)
{
	if (!object->detail)
		return;
	if (object->detail->plt)
		object->detail->plt->count = 0;
	if (object->detail->now)
		bind_now_close(object->detail->now);
}
