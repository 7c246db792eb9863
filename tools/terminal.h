/* SPDX-License-Identifier: Apache-2.0 */
/* What standard output is, and what it can show. */
#ifndef TOOLS_TERMINAL_H
#define TOOLS_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Columns, by the variable COLUMNS or the terminal; `otherwise` if there is neither. */
size_t terminal_columns(size_t otherwise);

/* Whether to colour. when: "always", "never", or "auto", as it is and NO_COLOR allows. */
bool terminal_colour(const char *when);

/* Whether it is a terminal that shows UTF-8. */
bool terminal_utf8(void);

#endif
