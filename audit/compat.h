/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All that loaders which do not report every binding need, and those beside another
 * auditor: bind_now.c, plt.c and symtab.c, each of which says why. Where a loader
 * reports all there is, nothing here does anything. Context: bind.
 */
#ifndef AUDIT_COMPAT_H
#define AUDIT_COMPAT_H

#include <link.h>
#include <stdbool.h>
#include <stdint.h>

#include "audit/elf.h"
#include "audit/env.h"
#include "audit/object.h"

/* LAV_CURRENT of glibc 2.35, which reports bindings at relocation too. */
enum { COMPAT_REPORTS = 2 };

/* When the program is opened: all auditors are there. version: what la_version was given. */
void compat_start(unsigned int version, const struct env_loader *loader);

/* An object that was just mapped, a driver once its slots are known. */
void compat_open(struct link_object *object, const struct elf_image *image, const struct link_map *map);

/* The loader is done with relocations so far; consistent: with all of the start-up's. */
void compat_settle(bool consistent);

/* What a name was bound to, once that is decided. */
void compat_bound(const struct link_object *object, const char *name, uintptr_t value, bool by_dlsym);

/* The object is gone. */
void compat_close(const struct link_object *object);

#endif
