/* SPDX-License-Identifier: Apache-2.0 */
/* Routes by the driver's own symbol table, where la_symbind64 is not asked. */
#include "audit/symtab.h"

#include "audit/driver.h"
#include "audit/stub.h"
#include "audit/sys.h"

enum { FIRST_THAT_REPORTS = 2 };	/* LAV_CURRENT of glibc 2.35 */

bool symtab_needed(unsigned int version, char **envp)
{
	static const char ld_audit[] = "LD_AUDIT=", own_name[] = "libcuaudit.so";

	if (version < FIRST_THAT_REPORTS)
		return true;
	for (; *envp; envp++) {
		const char *first = *envp + sizeof(ld_audit) - 1, *name = first;

		if (!sys_starts(*envp, ld_audit))
			continue;
		for (; *first && *first != ':'; first++)
			if (*first == '/')
				name = first + 1;
		/* The name of the first entry, up to its colon. */
		return *first == ':' && !(sys_starts(name, own_name) &&
					  name + sizeof(own_name) - 1 == first);
	}
	return false;
}

static ElfW(Dyn) *find_entry(const struct link_map *map, ElfW(Sxword) tag)
{
	for (ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == tag)
			return entry;
	return NULL;
}

void symtab_repoint(const struct link_object *object, const struct elf_image *image,
		    const struct link_map *map)
{
	ElfW(Sym) *copy = sys_alloc(image->nsymbols * sizeof(*copy));
	ElfW(Dyn) *entry = find_entry(map, DT_SYMTAB);

	/* RELRO is not read-only yet: that comes after relocation. */
	if (!copy || !entry || !elf_writable(image, (uintptr_t)&entry->d_un)) {
		sys_say("cannot change its symbol table, look-ups of it are not routed: ",
			object->path, NULL);
		return;
	}
	for (uint32_t i = 0; i < image->nsymbols; i++) {
		int slot = driver_slot(object, i);

		copy[i] = image->symbols[i];
		if (slot >= 0)
			copy[i].st_value = (uintptr_t)stub_address((uint32_t)slot) - image->base;
	}
	entry->d_un.d_ptr = (uintptr_t)copy;
}
