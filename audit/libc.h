/* SPDX-License-Identifier: Apache-2.0 */
/* Gives memory functions of the C library slots, for the libraries of CUAUDIT_LIBC and of dbgmem. Context: bind. */
#ifndef AUDIT_LIBC_H
#define AUDIT_LIBC_H

#include <link.h>
#include <stdbool.h>

#include "audit/object.h"

/*
 * Reads CUAUDIT_DOMAINS, CUAUDIT_LIBC and the libraries of dbgmem in CUAUDIT_HOOKS; without the domain or
 * without libraries nothing below does anything.
 */
void libc_start(const struct link_environment *environment);

/* Whether the core is wanted before main: there are libraries, or dbgmem has options that it judges. */
bool libc_wanted(void);

/*
 * Each object that is opened, before its relocations are looked at. Whether it is the program's
 * libc, of which bindings are then to be reported.
 */
bool libc_open(struct link_object *object, Lmid_t space, struct elf_image *image);

/* Whether that is one of the functions. */
bool libc_is_function(const char *name);

/* The slot of what from has bound by that name, which is at value in to; -1: its calls are not seen. */
int libc_slot(const struct link_object *from, const struct link_object *to, uintptr_t value, const char *name);

#endif
