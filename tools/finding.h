/* SPDX-License-Identifier: Apache-2.0 */
/* The messages of findings.def. */
#ifndef TOOLS_FINDING_H
#define TOOLS_FINDING_H

#include <stdbool.h>

enum finding {
#define LIMIT(name, level, text) FINDING_##name,
#define FINDING(name, level, text) FINDING_##name,
#include "tools/findings.def"
#undef FINDING
#undef LIMIT
	FINDINGS
};

/* One line on stdout: "ok", "warning" or "problem", and the text with its strings. */
void finding_print(enum finding finding, const char *first, const char *second);

/* The text alone, on stderr, as what run refuses for. */
void finding_complain(enum finding finding, const char *first, const char *second);

/* The text alone; valid until the next one. */
const char *finding_text(enum finding finding, const char *first, const char *second);

/* Whether a problem has been printed; strict: or a warning. */
bool finding_problems(bool strict);

#endif
