/* SPDX-License-Identifier: Apache-2.0 */
/* The slots of functions: adds them and says where each leads. Context: bind, under slot_lock.h's lock. */
#ifndef AUDIT_SLOT_H
#define AUDIT_SLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The next slot, named by a copy of so many bytes, or -1; it is there once it is filled. */
int slot_add(uint32_t driver, const char *name, size_t length);

/* Gives a slot a further name, or a further name of the same driver that slot. */
void slot_add_name(uint32_t slot, const char *name, size_t length);

/* A name of a function that was bound and has no slot, each of which has a number; and whether there is such a name. */
void slot_add_unfit(uint32_t function, const char *name, size_t length);
bool slot_knows_unfit(const char *name);

/* Points a slot, the one that was just added or one of before, at its function. */
void slot_fill(uint32_t slot, void *real);

#endif
