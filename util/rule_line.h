/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a line of a rules file. */
#ifndef UTIL_RULE_LINE_H
#define UTIL_RULE_LINE_H

#include <stdbool.h>
#include <stdint.h>

enum { WORDS = 128 };

struct word {
	char *text;
	uint32_t column;	/* from 1, in bytes */
	bool quoted;		/* no keyword */
};

struct line {
	const char *path;
	uint32_t number;
	struct word words[WORDS];
	uint32_t count, at;	/* the next that is taken */
	uint32_t end;		/* the column behind the last */
	const char *reason;	/* behind #, "" for none */
};

/* Splits text, which is changed. NULL, or what is wrong with the last of the words. Context: call. */
const char *rule_line_split(struct line *line, char *text);

/* Whether there is a word of that number, from 0, and it is this keyword. */
bool rule_line_has(const struct line *line, uint32_t number, const char *keyword);

#endif
