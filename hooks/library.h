/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries by address. Context: call. */
#ifndef HOOKS_LIBRARY_H
#define HOOKS_LIBRARY_H

#include <cuaudit/call.h>
#include <stdbool.h>

#include "hooks/core_link.h"

/* Context: setup, once. */
void library_setup(void);

/* The auditor's record of the object that holds address, or NULL. */
const struct link_object *library_object(uintptr_t address);

/* What hooks see of a record; NULL gives the library of unknown code. */
const struct cuaudit_library *library_of(const struct link_object *object);

/* Whether its calls are none of the program's, or of an excluded library. */
static inline bool library_is_excluded(const struct cuaudit_library *library)
{
	const struct link_object *object;

	if (!library->index)
		return false;
	object = link_object(cuaudit_core_link, library->index - 1);
	return object->flags & (LINK_OBJECT_EXCLUDED | LINK_OBJECT_DRIVER |
				LINK_OBJECT_DRIVER_PRIVATE | LINK_OBJECT_CORE);
}

/* As it is in memory; false if it is not loaded now. */
struct loaded_image;
bool library_image(const struct cuaudit_library *library, struct loaded_image *image);

#endif
