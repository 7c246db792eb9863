/* SPDX-License-Identifier: Apache-2.0 */
/* The libraries of CUAUDIT_PROVIDERS, and shared runtimes: each exported function gets a slot when it is bound. Context: bind. */
#ifndef AUDIT_CHOSEN_H
#define AUDIT_CHOSEN_H

#include <stdbool.h>

#include "audit/object.h"

/* At the program's start: says so where the loader does not report the bindings, which may end the process. */
void chosen_start(void);

/*
 * Whether one may export a function of that name, which is referred to by a symbol of that
 * type (STT_*): as provider_may_export.
 */
bool chosen_may_export(const char *function, unsigned int type);

/* Whether the object is one of those: by the list, or a runtime where CUAUDIT_DOMAINS has that. */
bool chosen_takes(const struct link_object *object, const struct elf_image *image);

/* A record for a library of that path, whose functions' names begin with a copy of `named`; NULL: there is no room. */
struct link_driver *chosen_record(const char *path, const char *named);

/* One was opened. */
void chosen_open(struct link_object *object, struct elf_image *image);

/* The object is gone; its slots keep what they hold. */
void chosen_close(struct link_object *object);

/*
 * The slot of a symbol-table entry of one, made where there is none: of a function, which
 * is at address. -1: it is none, or cannot be intercepted, which is recorded.
 */
int chosen_slot(struct link_object *object, uint32_t symbol, uintptr_t address);

#endif
