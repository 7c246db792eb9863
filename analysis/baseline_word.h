/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of facts that have few words: another one would be a fact that no run has. */
#ifndef ANALYSIS_BASELINE_WORD_H
#define ANALYSIS_BASELINE_WORD_H

#include <stdbool.h>
#include <stddef.h>

enum { BASELINE_WRONG = 128 };

/*
 * Whether a fact of that kind can have the word in that field, from 0 for the kind, as the tool writes it.
 * function: the field before, of errors. false: wrong says what to write, to come behind the word.
 */
bool baseline_word(const char *kind, size_t field, const char *word, const char *function,
		   char wrong[BASELINE_WRONG]);

#endif
