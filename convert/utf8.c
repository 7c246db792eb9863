/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of processes as UTF-8, which they need not be. */
#include "convert/utf8.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t utf8_character(const char *text, size_t size)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint8_t first = size ? (uint8_t)*text : 0xff;
	size_t length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 :
			first >> 3 == 30 ? 4 : 0;
	uint32_t point = length > 1 ? first & (0x7fu >> length) : first;

	if (!length || length > size)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if ((uint8_t)text[i] >> 6 != 2)
			return 0;
		point = point << 6 | (text[i] & 0x3f);
	}
	return point < least[length] || point > 0x10ffff || point >> 11 == 0x1b ? 0 : length;
}

const char *utf8_clean(struct utf8_scratch *scratch, const char *text)
{
	size_t size = strlen(text), at = 0, length;

	while ((length = utf8_character(text + at, size - at)) && at < size)
		at += length;
	if (at >= size)
		return text;
	if (scratch->size <= size) {
		char *more = realloc(scratch->at, size + 1);

		if (!more)
			return NULL;
		scratch->at = more;
		scratch->size = size + 1;
	}
	memcpy(scratch->at, text, size + 1);
	while (at < size) {
		length = utf8_character(text + at, size - at);
		if (!length)
			scratch->at[at] = '?';
		at += length ? length : 1;
	}
	return scratch->at;
}
