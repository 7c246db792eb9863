/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of the driver: each exported function of each gets a slot. Context: bind. */
#ifndef AUDIT_DRIVER_H
#define AUDIT_DRIVER_H

#include "audit/object.h"

/*
 * Gives every exported function of a new copy a slot; one opened before
 * from the same path gets its old slots back, filled with new addresses.
 */
void driver_open(struct link_object *object, const struct elf_image *image);

/* The object is gone; its slots keep what they hold. */
void driver_close(struct link_object *object);

/* The slot of the driver's symbol-table entry, or -1. Lock-free. */
int driver_slot(const struct link_object *object, unsigned int symbol);

/* Whether that is the address of a function that a driver exports. */
bool driver_exports(uintptr_t address);

#endif
