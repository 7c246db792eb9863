/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of what was not routed, as reports name them. */
#ifndef REPORT_ESCAPE_H
#define REPORT_ESCAPE_H

#include <stdint.h>

/* enum cuaudit_escape_kind as JSON has it; NULL for one that is none. */
const char *escape_key(uint32_t kind);

/* What follows a name in a table: ", " and why; nothing for a look-up's, which says more. */
const char *escape_reason(uint32_t kind);

#endif
