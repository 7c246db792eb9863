/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a line, and what is said of one that is wrong. Context: setup. */
#ifndef HOOKS_MODULES_RULES_RULES_WORD_H
#define HOOKS_MODULES_RULES_RULES_WORD_H

#include "util/rule_line.h"

/* Splits text, which is changed. False after a message. */
bool line_split(struct line *line, char *text);

/* The next word; NULL: there is none, and nothing was said. */
struct word *line_next(struct line *line);

/* The same, for which what is wanted, else it is said that it is missing. */
struct word *line_want(struct line *line, const char *what);

/* Whether the next word is this keyword, which is then taken. */
bool line_takes(struct line *line, const char *keyword);

/* One line, "rules: PATH:LINE:COLUMN: ...", about a word, NULL: the line's end. Returns false. */
__attribute__((format(printf, 3, 4)))
bool line_fault(const struct line *line, const struct word *word, const char *format, ...);

/* The same about a word that is none of those; what it is: "rule", "condition". */
bool line_unknown(const struct line *line, const struct word *word, const char *what,
		  const char *const *words);

#endif
