/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the core into the program's namespace, on the first intercepted call. */
#ifndef AUDIT_CORE_LOADER_H
#define AUDIT_CORE_LOADER_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "audit/elf.h"

/* Context: bind, in the auditor's constructor. */
void core_loader_start(void);

/* Context: bind. Takes note of the objects that launching needs. */
void core_loader_note(const struct link_map *map, Lmid_t space, const struct elf_image *image);

/* Context: bind. If the object is the core, gives it the table; returns whether it is. */
bool core_loader_is_core(struct elf_image *image);

/*
 * Context: setup, on the calling thread of a driver call; called by the
 * resolver. Loads the core if it is not there, has it route what is new, and
 * returns where the call goes on: never NULL, at worst the driver itself.
 */
void *core_load(uint32_t slot);

/* Context: bind. If the object is libcuaudit-nvtx.so, gives it the table. */
void core_loader_meet_nvtx(struct elf_image *image);

/* Context: setup. Loads the core if it is not there. */
void core_load_early(void);

/* Context: bind. The file name below the auditor's own directory; false if it does not fit. */
bool core_path(char *buffer, size_t size, const char *name);

#endif
