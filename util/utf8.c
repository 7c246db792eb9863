/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of processes as UTF-8, which they need not be. */
#include "util/utf8.h"

#include <stdlib.h>
#include <string.h>

#include "util/text.h"

/* Bytes of the text as it will be. */
static size_t clean_size(const char *text, size_t size)
{
	size_t clean = 0;

	for (size_t at = 0; at < size;) {
		struct text_character next = text_next(text + at, size - at);

		clean += next.valid ? next.length : sizeof(TEXT_REPLACEMENT) - 1;
		at += next.length;
	}
	return clean;
}

size_t utf8_copy(char *to, const char *text, size_t size)
{
	size_t used = 0;

	for (size_t at = 0; at < size;) {
		struct text_character next = text_next(text + at, size - at);
		size_t bytes = next.valid ? next.length : sizeof(TEXT_REPLACEMENT) - 1;

		memcpy(to + used, next.valid ? text + at : TEXT_REPLACEMENT, bytes);
		used += bytes;
		at += next.length;
	}
	to[used] = '\0';
	return used;
}

const char *utf8_clean(struct utf8_scratch *scratch, const char *text)
{
	size_t size = strlen(text), clean = clean_size(text, size);

	if (clean == size)
		return text;
	if (scratch->size <= clean) {
		char *more = realloc(scratch->at, clean + 1);

		if (!more) {
			scratch->failed = true;
			return NULL;
		}
		scratch->at = more;
		scratch->size = clean + 1;
	}
	utf8_copy(scratch->at, text, size);
	return scratch->at;
}
