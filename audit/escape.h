/* SPDX-License-Identifier: Apache-2.0 */
/* What the auditor could not route, kept for the core's report. Context: bind. */
#ifndef AUDIT_ESCAPE_H
#define AUDIT_ESCAPE_H

#include <cuaudit/coverage.h>

#include "audit/object.h"

/*
 * Counts escapes of a kind, of a file and its object or of none; equal ones are
 * added up. Printed once, as soon as there is a driver.
 */
void escape_record(enum cuaudit_escape_kind kind, const char *path, const struct link_object *object,
		 uint32_t times);

/* There is a driver: prints what was recorded before. */
void escape_print(void);

/* Whether anything escaped in a process that has a driver. */
bool escape_any(void);

#endif
