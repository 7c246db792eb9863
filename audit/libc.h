/* SPDX-License-Identifier: Apache-2.0 */
/* Binds memory functions of the C library, where libraries that dbgmem names ask for them. Context: bind. */
#ifndef AUDIT_LIBC_H
#define AUDIT_LIBC_H

#include <link.h>
#include <stdbool.h>

#include "audit/object.h"

/*
 * Reads CUAUDIT_DOMAINS and the libraries of dbgmem in CUAUDIT_HOOKS; without both nothing below
 * does anything.
 */
void libc_start(const struct link_environment *environment);

/* Whether dbgmem is to be started, with options that the core judges: it is wanted before main. */
bool libc_wanted(void);

/*
 * Each object that is opened, before its relocations are looked at. Whether it is the program's
 * libc, of which bindings are then to be reported.
 */
bool libc_open(struct link_object *object, Lmid_t space, struct elf_image *image);

/* Whether that is one of the functions. */
bool libc_is_function(const char *name);

/* What a binding of name is given: value, or a stub that leads there until the core checks. */
uintptr_t libc_bind(const struct link_object *from, const struct link_object *to, uintptr_t value,
		    const char *name);

#endif
