/* SPDX-License-Identifier: Apache-2.0 */
/* Brings relocations the loader does not report to la_symbind64. Context: bind. */
#ifndef AUDIT_RELOCATE_H
#define AUDIT_RELOCATE_H

#include <stdbool.h>

#include "audit/object.h"

/*
 * GLOB_DAT and R_*_64 relocations are bound without asking auditors; a
 * JUMP_SLOT stores the same value and asks. Before the object is relocated,
 *  * turn those against names a driver or a provider may export into JUMP_SLOT into JUMP_SLOT: in place, or in
 * a copy of the table where that shares a segment with code.
 */
void relocate_rewrite(struct link_object *object, const struct elf_image *image,
		      const struct link_map *map, Lmid_t space);

/* Takes note of the executable: see main_defines. Before any other object's rewrite. */
void relocate_note_main(const struct elf_image *image, Lmid_t space);

/* The object is about to be unmapped: records which of those left came to the driver itself. */
void relocate_close(const struct link_object *object);

/* Whether a binding of object to name, not by dlsym, is one of those; each once. */
bool relocate_was_rewritten(struct link_object *object, const char *name);

#endif
