/* SPDX-License-Identifier: Apache-2.0 */
/* Undoes what an auditor's mere presence does to PLTs on old C libraries. Context: bind. */
#ifndef AUDIT_PLT_H
#define AUDIT_PLT_H

#include "audit/env.h"
#include "audit/object.h"

/* An object's entries about its PLT; those it lacks are NULL. */
struct plt_entries {
	ElfW(Dyn) *got, *jmprel, *pltrelsz, *rela, *relasz;
	bool now, is_rela, audits;
};

/*
 * The loader's resolver of calls that nobody audits; 0: objects are left as
 * they are. plt.c says why, and how the others are changed.
 */
extern uintptr_t plt_resolver;

/*
 * Finds plt_resolver, where the loader lets every call of an audited process
 * take the slow path and nobody else asked for that. version is la_version's.
 * When the program is opened: all auditors are there.
 */
void plt_start(unsigned int version, const struct env_loader *loader);

/* Changes an object that was just mapped, so that it is bound as if unaudited. */
void plt_open(struct link_object *object, const struct elf_image *image,
	      const struct link_map *map);

/* The object is gone. */
void plt_close(const struct link_object *object);

/* The first call by that name through the object's PLT was bound to value. Lock-free. */
void plt_bound(const struct link_object *object, const char *name, uintptr_t value);

#endif
