/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of the process, as the loader reports them. Context: bind. */
#ifndef AUDIT_OBJECT_H
#define AUDIT_OBJECT_H

#include <link.h>
#include <stdbool.h>

#include "audit/elf.h"
#include <internal/link.h>

/* What only some objects need. */
struct object_detail {
	/* drivers: slot + 1 by symbol, 0 for none */
	uint16_t *slots;
	uint32_t nslots, capacity;
	struct link_driver *driver;
	/* of symtab.c, used again by the next driver from the same path */
	ElfW(Sym) *symbols;
	uint32_t nsymbols;
	struct chosen *chosen;	/* providers: see chosen.c */
	/* others: relocations rewritten and not bound yet, see relocate.c */
	struct relocate_pending *pending;
	uint32_t npending, room;	/* places, all of them or none */
	ElfW(Rela) *relocations;	/* a copy, used again likewise */
	size_t relocations_size;
	uintptr_t *left;	/* words whose relocations were left to the executable's names */
	uint32_t nleft, left_room;
	/* all, on old C libraries: see plt.c, now.c */
	struct plt_change *plt;
	struct bind_now_change *now;
};

extern struct link_table object_table;

/* The program's path as the kernel was given it, behind the environment's texts. */
extern const char *object_program;

/* The kernel started the program, not a loader with arguments of its own. */
extern bool object_by_kernel;

/* AT_SECURE: it gained privileges when it started, and trusts nobody's environment. */
extern bool object_secure;

/* Remembers argv's end of the start-up block: the executable's headers and path. */
void object_start(char **envp);

/*
 * The record of a new object, its detail empty; image is filled where it can
 * be read. NULL when the table is full.
 */
struct link_object *object_open(const struct link_map *map, Lmid_t space,
				struct elf_image *image);

/* Writes the generation to the core's mirror of the slots from .. end - 1, if there is a core. */
void object_tell_generation(uint32_t from, uint32_t end);

/* Marks the record closed. */
void object_close(struct link_object *object);

/* What stands for a record in a cookie. */
uintptr_t object_cookie(const struct link_object *object);

/* The record behind a cookie, or NULL if it is none of ours. Lock-free. */
struct link_object *object_of(const uintptr_t *cookie);

/* object->detail, made if absent; NULL when memory is out. */
struct object_detail *object_detail(struct link_object *object);

#endif
