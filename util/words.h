/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of words with commas between, as CUAUDIT_DOMAINS has them. Context: call. */
#ifndef UTIL_WORDS_H
#define UTIL_WORDS_H

#include <stdbool.h>

bool words_have(const char *list, const char *word);

#endif
