/* SPDX-License-Identifier: Apache-2.0 */
/* What the auditor could not route, kept for the core's report. Context: bind. */
#ifndef AUDIT_ESCAPE_H
#define AUDIT_ESCAPE_H

#include <cuaudit/coverage.h>

#include "audit/object.h"

/*
 * Keeps that times things of a kind escaped: of path, an object's or of none;
 * equal ones are added up. Said once, as soon as there is a driver.
 */
void escape_note(enum cuaudit_escape_kind kind, const char *path, const struct link_object *object,
		 uint32_t times);

/* There is a driver: says what was kept before. */
void escape_say(void);

/* Whether anything escaped in a process that has a driver. */
bool escape_any(void);

#endif
