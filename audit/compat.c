/* SPDX-License-Identifier: Apache-2.0 */
/* Where loaders differ: old ones, and those beside another auditor. */
#include "audit/compat.h"

#include "audit/bind_now.h"
#include "audit/plt.h"
#include "audit/symtab.h"

void compat_start(unsigned int version, const struct env_loader *loader)
{
	object_table.symtab_interposed = symtab_needed(version, loader);
	plt_start(version, loader);
}

void compat_open(struct link_object *object, const struct elf_image *image, const struct link_map *map)
{
	if (object_table.symtab_interposed && (object->flags & LINK_OBJECT_DRIVER))
		symtab_repoint(object, image, map);
	plt_open(object, image, map);
}

void compat_settle(bool consistent)
{
	bind_now_finish(consistent);
}

/* dlsym holds the loader's lock, and mostly follows dlopen. */
void compat_bound(const struct link_object *object, const char *name, uintptr_t value, bool by_dlsym)
{
	if (by_dlsym)
		bind_now_finish(false);
	else
		plt_bound(object, name, value);
}

void compat_close(const struct link_object *object)
{
	plt_close(object);
}
