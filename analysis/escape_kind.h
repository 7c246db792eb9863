/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of what was not intercepted, as reports name them. */
#ifndef ANALYSIS_ESCAPE_KIND_H
#define ANALYSIS_ESCAPE_KIND_H

#include <stdint.h>

/* enum cuaudit_escape_kind as JSON has it; NULL for one that is none. */
const char *escape_key(uint32_t kind);

/* What follows a name in a table: ", " and why; nothing for a look-up's, which says more. */
const char *escape_reason(uint32_t kind);

#endif
