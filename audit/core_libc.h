/* SPDX-License-Identifier: Apache-2.0 */
/* Binds the core to the C library's own functions, whatever the executable defines. Context: bind. */
#ifndef AUDIT_CORE_LIBC_H
#define AUDIT_CORE_LIBC_H

#include <link.h>
#include <stdbool.h>

#include "audit/elf.h"

/* Each object of the program's namespace that is opened: the executable, and what the C library is of. */
void core_libc_note(const struct elf_image *image, bool is_main);

/*
 * The core, before it is relocated. Where its functions would be the executable's, it is given a
 * table of symbols that has the C library's, which image has then as well.
 */
void core_libc_open(struct elf_image *image, const struct link_map *map);

#endif
