/* SPDX-License-Identifier: Apache-2.0 */
/* What is special to the provider of functions: the CUDA driver. Context: bind. */
#ifndef AUDIT_PROVIDER_H
#define AUDIT_PROVIDER_H

#include <stdbool.h>

#include "audit/elf.h"

/* Whether the object is a driver: by its SONAME and what it exports. Counts its symbols. */
bool provider_is_driver(struct elf_image *image);

/* Whether the object is a library of the driver's own, never intercepted. */
bool provider_is_driver_private(const struct elf_image *image);

/*
 * Whether a driver may export that name. Decides only which relocations are
 * looked at again when they are bound; who is intercepted is decided then, by the
 * object that provides the function.
 */
bool provider_may_export(const char *name);

/* A library that a list of globs takes and CUAUDIT_PROVIDERS may not, and why; NULL: none. */
const char *provider_refused(const char *globs, const char **why);

/* Whether a program that loads this name wants the driver. */
bool provider_is_file(const char *name);

#endif
