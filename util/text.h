/* SPDX-License-Identifier: Apache-2.0 */
/* What of a text from outside may be printed. Context: any; it needs no libc. */
/*
 * Names of kernels, threads and libraries, command lines and messages may hold any
 * byte. All outputs have one rule: each byte that is no UTF-8 becomes U+FFFD. Where the
 * reader may be a person or a terminal, each character that controls does so too;
 * JSON escapes it instead, and binary formats keep it.
 */
#ifndef UTIL_TEXT_H
#define UTIL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXT_REPLACEMENT "\xef\xbf\xbd"

enum { TEXT_ESCAPE = 12 };	/* bytes of a character that JSON escapes, at most */

struct text_character {
	uint32_t point;
	uint8_t length;		/* in bytes; 1 where it is none */
	bool valid;
	bool control;
};

/*
 * C0, DEL and C1, which terminals obey; separators of lines; marks that change the
 * order in which the characters around them are shown; what is not seen, a byte
 * order mark and tags among it, so that two different words would look the same.
 */
static inline bool text_controls(uint32_t point)
{
	return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0xad || point == 0x61c ||
	       point == 0x180e || point == 0x200b || point == 0x200e || point == 0x200f ||
	       (point >= 0x2028 && point <= 0x202e) || (point >= 0x2060 && point <= 0x206f) ||
	       point == 0xfeff || (point >= 0xfff9 && point <= 0xfffb) || point >> 12 == 0xe0;
}

/* The one at text, of which size bytes are there, at least 1. */
static inline struct text_character text_next(const char *text, size_t size)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	struct text_character none = { 0, 1, false, false };
	uint8_t first = (uint8_t)*text;
	uint8_t length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 :
			 first >> 3 == 30 ? 4 : 0;
	uint32_t point = length > 1 ? first & (0x7fu >> length) : first;

	if (!length || length > size)
		return none;
	for (uint8_t i = 1; i < length; i++) {
		if ((uint8_t)text[i] >> 6 != 2)
			return none;
		point = point << 6 | ((uint8_t)text[i] & 0x3f);
	}
	if (point < least[length] || point > 0x10ffff || point >> 11 == 0x1b)
		return none;
	return (struct text_character){ point, length, true, text_controls(point) };
}

/* Whether a person may see it as it is. */
static inline bool text_prints(struct text_character character)
{
	return character.valid && !character.control;
}

/* What is printed of the character at *at, so many bytes, and goes to the next; NULL at the end. */
static inline const char *text_printed(const char *text, size_t length, size_t *at, size_t *bytes)
{
	const char *from = text + *at;
	struct text_character next;

	if (*at >= length)
		return NULL;
	next = text_next(from, length - *at);
	*at += next.length;
	*bytes = text_prints(next) ? next.length : sizeof(TEXT_REPLACEMENT) - 1;
	return text_prints(next) ? from : TEXT_REPLACEMENT;
}

/* A unit of UTF-16, as JSON escapes it: so many bytes. */
static inline size_t text_escape(char *to, uint32_t unit)
{
	static const char digits[] = "0123456789abcdef";

	*to++ = '\\';
	*to++ = 'u';
	for (int shift = 12; shift >= 0; shift -= 4)
		*to++ = digits[unit >> shift & 15];
	return TEXT_ESCAPE / 2;
}

/*
 * The same within a string of JSON: as many plain characters as there are, or one that is
 * escaped, in the caller's room.
 */
static inline const char *text_json(const char *text, size_t length, size_t *at, size_t *bytes,
				    char escaped[TEXT_ESCAPE])
{
	const char *from = text + *at;
	struct text_character next;
	uint32_t point;

	for (*bytes = 0; *at < length; (*bytes)++, (*at)++)
		if ((uint8_t)text[*at] < ' ' || (uint8_t)text[*at] > '~' || text[*at] == '"' ||
		    text[*at] == '\\')
			break;
	if (*bytes || *at >= length)
		return *bytes ? from : NULL;
	next = text_next(from, length - *at);
	*at += next.length;
	*bytes = next.length;
	if (text_prints(next) && *from != '"' && *from != '\\')
		return from;
	escaped[0] = '\\';
	escaped[1] = *from;
	*bytes = 2;
	if (text_prints(next))
		return escaped;
	point = next.valid ? next.point : 0xfffd;
	*bytes = 0;
	if (point > 0xffff) {
		*bytes = text_escape(escaped, 0xd7c0 + (point >> 10));
		point = 0xdc00 | (point & 0x3ff);
	}
	*bytes += text_escape(escaped + *bytes, point);
	return escaped;
}

/*
 * One line of text into a buffer of size bytes, at least 1, that ends with a NUL and
 * with a whole character; the length.
 */
static inline size_t text_print(char *to, size_t size, const char *text, size_t length)
{
	size_t used = 0, at = 0, bytes;
	const char *from;

	while ((from = text_printed(text, length, &at, &bytes)) && bytes < size - used)
		for (size_t i = 0; i < bytes; i++)
			to[used++] = from[i];
	to[used] = '\0';
	return used;
}

/*
 * Of values that did not fit into a buffer of size bytes, at least 8: the text ends
 * behind the last whole one, with "..."; the length. No half of a name or a number is
 * another one.
 */
static inline size_t text_cut(char *text, size_t size)
{
	static const char separators[] = "|,([{", end[] = "...";
	size_t room = size - sizeof(end), at = room;

	while (at) {
		for (size_t i = 0; i < sizeof(separators) - 1; i++)
			if (text[at - 1] == separators[i])
				goto found;
		at--;
	}
	/* One long value: behind a whole character. */
	for (at = room; at && ((uint8_t)text[at] & 0xc0) == 0x80;)
		at--;
found:
	for (size_t i = 0; i < sizeof(end); i++)
		text[at + i] = end[i];
	return at + sizeof(end) - 1;
}

#endif
