/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries by address. Context: call. */
#ifndef HOOKS_LIBRARY_H
#define HOOKS_LIBRARY_H

#include <cuaudit/call.h>
#include <stdbool.h>

#include <internal/link.h>

/* Context: setup, once. */
void library_setup(void);

/* The auditor's record of the object that holds address, or NULL. */
const struct link_object *library_object(uintptr_t address);

/* What hooks see of a record; NULL gives the library of unknown code. */
const struct cuaudit_library *library_of(const struct link_object *object);

/* Whether its calls are none of the program's, or of an excluded library. */
bool library_is_excluded(const struct cuaudit_library *library);

/* As it is in memory; false if it is not loaded now. */
struct loaded_image;
bool library_image(const struct cuaudit_library *library, struct loaded_image *image);

#endif
