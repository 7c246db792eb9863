/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of words with commas between, as CUAUDIT_DOMAINS has them. */
#include "util/words.h"

#include <string.h>

bool words_have(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (; list; list = strchr(list, ','), list = list ? list + 1 : NULL)
		if (!strncmp(list, word, length) && (!list[length] || list[length] == ','))
			return true;
	return false;
}
