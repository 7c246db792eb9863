/* SPDX-License-Identifier: Apache-2.0 */
/* Routes by the driver's own symbol table, where la_symbind64 is not asked. */
#include "audit/symtab.h"

#include "audit/compat.h"
#include "audit/driver.h"
#include "audit/escape.h"
#include "audit/peer.h"
#include "audit/stub.h"
#include "audit/sys.h"

enum { FIRST_WITH_SPACES = 2 };	/* r_version with namespaces, of glibc 2.35 */

/* glibc's struct r_debug_extended, which the headers of older ones lack. */
struct space {
	struct r_debug base;
	const struct space *next;
};

extern const struct space loaders_spaces __asm__("_r_debug");

extern const ElfW(Dyn) own_dynamic[] __asm__("_DYNAMIC") __attribute__((visibility("hidden")));

/* Each auditor has a namespace of its own; before the program opens one there are no others. */
static bool others_loaded(void)
{
	unsigned int namespaces = 0;

	for (const struct space *space = loaders_spaces.next; space; space = space->next)
		namespaces += space->base.r_map != NULL;
	return namespaces > 1 + peer_count;
}

const char *symtab_own_path(void)
{
	if (loaders_spaces.base.r_version < FIRST_WITH_SPACES)
		return NULL;
	for (const struct space *space = loaders_spaces.next; space; space = space->next)
		for (const struct link_map *map = space->base.r_map; map; map = map->l_next)
			if (map->l_ld == own_dynamic)
				return map->l_name;
	return NULL;
}

bool symtab_needed(unsigned int version, const struct env_loader *loader)
{
	if (version < COMPAT_REPORTS)
		return true;
	/* Loaders that do not list namespaces take auditors from the environment alone. */
	return loaders_spaces.base.r_version < FIRST_WITH_SPACES ? loader->auditors > 1 + peer_count
								 : others_loaded();
}

/* Room for a copy of that many symbols, or NULL. */
static ElfW(Sym) *make_room(struct object_detail *detail, uint32_t symbols)
{
	if (symbols > detail->nsymbols) {
		detail->symbols = sys_alloc(symbols * sizeof(*detail->symbols));
		detail->nsymbols = detail->symbols ? symbols : 0;
	}
	return detail->symbols;
}

void symtab_repoint(const struct link_object *object, const struct elf_image *image,
		    const struct link_map *map)
{
	ElfW(Sym) *copy = make_room(object->detail, image->nsymbols);
	ElfW(Dyn) *entry = elf_entry(image, map, DT_SYMTAB);

	/* RELRO is not read-only yet: that comes after relocation. */
	if (!copy || !entry || !elf_writable(image, (uintptr_t)&entry->d_un)) {
		escape_record(CUAUDIT_ESCAPE_SYMBOLS, object->path, object, 1);
		return;
	}
	for (uint32_t i = 0; i < image->nsymbols; i++) {
		int slot = driver_slot(object, i);

		copy[i] = image->symbols[i];
		if (slot >= 0)
			copy[i].st_value = (uintptr_t)stub_address((uint32_t)slot) - image->base;
	}
	elf_repoint(image, entry, image->symbols, copy);
}
