/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes as people write them: 512M, 1.5GiB, 4gb. */
#include "util/size.h"

#include <stddef.h>

enum { FRACTION = 18 };	/* digits */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_word(const char *text, const char *word)
{
	while (*word && lower(*text) == *word) {
		text++;
		word++;
	}
	return !*text && !*word;
}

/* Bytes of a unit, 0 if text is none. */
static uint64_t unit_of(const char *text)
{
	static const char letters[] = "kmgtp";
	uint64_t binary = 1, decimal = 1;

	if (is_word(text, "") || is_word(text, "b"))
		return 1;
	for (const char *letter = letters; *letter; letter++) {
		binary *= 1024;
		decimal *= 1000;
		if (lower(*text) == *letter)
			return is_word(text + 1, "") || is_word(text + 1, "i") ||
			       is_word(text + 1, "ib") ? binary :
			       is_word(text + 1, "b") ? decimal : 0;
	}
	return 0;
}

bool size_parse(const char *text, uint64_t *size)
{
	const char *point, *end;
	uint64_t whole = 0, unit, part = 0;

	if (!is_digit(*text))
		return false;
	for (; is_digit(*text); text++)
		if (__builtin_mul_overflow(whole, (uint64_t)10, &whole) ||
		    __builtin_add_overflow(whole, (uint64_t)(*text - '0'), &whole))
			return false;
	point = end = text;
	if (*point == '.') {
		for (end = point + 1; is_digit(*end); end++)
			;
		if (end == point + 1 || end - point - 1 > FRACTION)
			return false;
	}
	unit = unit_of(end);
	if (!unit || (unit == 1 && end > point))
		return false;
	/* From the last digit on: no step is more than ten units. */
	for (const char *at = end; at-- > point + 1;)
		part = (part + (uint64_t)(*at - '0') * unit) / 10;
	return !__builtin_mul_overflow(whole, unit, size) &&
	       !__builtin_add_overflow(*size, part, size);
}
