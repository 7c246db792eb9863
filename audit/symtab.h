/* SPDX-License-Identifier: Apache-2.0 */
/* Routes by the driver's own symbol table, where la_symbind64 is not asked. Context: bind. */
#ifndef AUDIT_SYMTAB_H
#define AUDIT_SYMTAB_H

#include <stdbool.h>

#include "audit/env.h"
#include "audit/object.h"

/* The path by which the loader opened this auditor, or NULL before glibc 2.35. */
const char *symtab_own_path(void);

/*
 * Whether bindings must be intercepted so. version: what la_version was given; the
 * loaders that give 1 report neither bind-now PLTs nor relocations. Beside
 * another auditor too, which may hide look-ups by dlsym from us if it comes
 * first (glibc 2.35 and later), and drop our answer by assigning *flags
 * instead of adding to it if it comes last. When the program is opened: all
 * auditors are there, and no namespace of the program's.
 */
bool symtab_needed(unsigned int version, const struct env_loader *loader);

/*
 * Gives a driver that was just opened a copy of its symbol table in which the
 * intercepted functions' addresses are their stubs': every look-up by anybody, the
 * driver included, yields them. Whom not to route is decided at each call.
 */
void symtab_repoint(const struct link_object *object, const struct elf_image *image,
		    const struct link_map *map);

#endif
