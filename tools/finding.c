/* SPDX-License-Identifier: Apache-2.0 */
/* The messages of findings.def. */
#include "tools/finding.h"

#include <stdio.h>
#include <string.h>

#include "tools/tool.h"
#include "util/text.h"

enum level { OK, WARNING, PROBLEM };

static const char *const levels[] = {
	[OK] = "ok", [WARNING] = "warning", [PROBLEM] = "problem",
};

static const struct {
	enum level level;
	const char *text;
} rows[] = {
#define LIMIT(name, level, text) [FINDING_##name] = { level, text },
#define FINDING(name, level, text) [FINDING_##name] = { level, text },
#include "tools/findings.def"
#undef FINDING
#undef LIMIT
};

static bool problems, warnings;

/* Strings a text has no place for are not printed. */
const char *finding_text(enum finding finding, const char *first, const char *second)
{
	static char raw[8192], line[8192];

	snprintf(raw, sizeof(raw), rows[finding].text, first, second);
	text_print(line, sizeof(line), raw, strlen(raw));
	return line;
}

void finding_print(enum finding finding, const char *first, const char *second)
{
	problems |= rows[finding].level == PROBLEM;
	warnings |= rows[finding].level == WARNING;
	printf("%-8s %s\n", levels[rows[finding].level], finding_text(finding, first, second));
}

void finding_complain(enum finding finding, const char *first, const char *second)
{
	tool_complain("%s", finding_text(finding, first, second));
}

bool finding_problems(bool strict)
{
	return problems || (strict && warnings);
}
