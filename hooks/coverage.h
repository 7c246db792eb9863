/* SPDX-License-Identifier: Apache-2.0 */
/* Records what escaped and what was asked for. Context: call. */
#ifndef HOOKS_COVERAGE_H
#define HOOKS_COVERAGE_H

#include <cuaudit/coverage.h>

#include <internal/link.h>

/* Answers of cuGetProcAddress that gave the slot. */
extern _Atomic uint32_t coverage_procaddr[LINK_SLOTS];

/* Counts an escape; equal ones together, by the first one's caller. name may be NULL. */
void coverage_escape(enum cuaudit_escape_kind kind, const char *name, uint32_t version,
		     uint64_t flags, const struct cuaudit_library *library, const void *caller);

/* Counts an answer of cuGetExportTable. uuid: 16 bytes. */
void coverage_table(const uint8_t *uuid, uint64_t size, int32_t result,
		    const struct cuaudit_library *library, const void *caller);

/* The word the driver's version function gave. */
void coverage_version(uint32_t driver, uint32_t version);

/* In the child of fork: its counts begin at zero; what is bound, or cannot be intercepted, stays. */
void coverage_forked(void);

#endif
