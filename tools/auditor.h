/* SPDX-License-Identifier: Apache-2.0 */
/* Where libcuaudit.so is, and the environment that has it audit a program. */
#ifndef TOOLS_AUDITOR_H
#define TOOLS_AUDITOR_H

#include <stdbool.h>

#include "tools/finding.h"

/* The path, or NULL with *finding and its string. What it returns is static. */
const char *auditor_path(enum finding *finding, const char **first);

/* The path of a file beside it, "cuaudit-core.so" or "sim/libcuda.so.1"; static. */
const char *auditor_beside(const char *auditor, const char *name);

/* Sets LD_AUDIT: ours first, then what was there without us. */
void auditor_first(const char *auditor);

/* Our entry of LD_AUDIT, to be freed, or NULL; first: no other comes before it. */
const char *auditor_given(bool *first);

/* What LD_AUDIT holds beside us, or NULL. */
const char *auditor_others(void);

/*
 * Room for static TLS. auditor_tls_given: the user has set how much.
 * auditor_tls_set: sets how much, keeping the other tunables.
 */
bool auditor_tls_given(void);
void auditor_tls_set(const char *bytes);

#endif
