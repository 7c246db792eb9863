/* SPDX-License-Identifier: Apache-2.0 */
/* Notices that the program ends without exit(). */
#ifndef AUDIT_EXIT_H
#define AUDIT_EXIT_H

#include <link.h>

#include "audit/object.h"

/*
 * Context: bind. After _exit, _Exit and quick_exit no destructor runs. Calls of
 * them through a PLT therefore go to functions here, which tell the core and
 * call libc's. dlsym and addresses taken yield libc's own, so that two of one
 * name are equal. Beside another auditor, which would see the change, and on
 * loaders that report too little, nothing is changed.
 */

/*
 * Each object that is opened. Whether it is the program's libc, of which
 * bindings are then to be reported.
 */
bool exit_open(const struct link_object *object, Lmid_t space, const struct elf_image *image);

/* What a PLT is given for name of that object: value, or what stands in for it. */
uintptr_t exit_bind(const struct link_object *to, uintptr_t value, const char *name);

#endif
