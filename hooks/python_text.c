/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of CPython's str objects. */
#include <string.h>

#include "hooks/python.h"
#include "hooks/safe_read.h"

enum {
	PART = 4096,
	UNKNOWN = 0xfffd,
	SURROGATES = 0xd800, SURROGATES_END = 0xe000,
	ESCAPED = 0xdc80, ESCAPED_END = 0xdd00,	/* bytes that were no UTF-8, of names of files */
	LAST = 0x10ffff
};

bool python_str(const struct python *python, uint64_t object, struct python_str *str)
{
	const struct python_layout *at = &python->at;
	uint64_t type;
	uint32_t state;

	if (!safe_read(object + at->object_type, &type, sizeof(type)) || type != python->str_type ||
	    !safe_read(object + at->str_length, &str->length, sizeof(str->length)) ||
	    !safe_read(object + at->str_state, &state, sizeof(state)))
		return false;
	str->ascii = state >> at->str_is_ascii & 1;
	str->kind = state >> at->str_kind & 7;
	str->data = object + (str->ascii ? at->str_ascii_data : at->str_compact_data);
	return state >> at->str_is_compact & 1 && str->length <= INT32_MAX &&
	       (str->kind == 1 || str->kind == 2 || str->kind == 4);
}

static uint32_t encode(uint32_t character, char to[4])
{
	if (character >= ESCAPED && character < ESCAPED_END) {
		to[0] = (char)(character - ESCAPED + 0x80);
		return 1;
	}
	if (!character || character > LAST ||
	    (character >= SURROGATES && character < SURROGATES_END))
		character = UNKNOWN;
	if (character < 0x80) {
		to[0] = (char)character;
		return 1;
	}
	if (character < 0x800) {
		to[0] = (char)(0xc0 | character >> 6);
		to[1] = (char)(0x80 | (character & 63));
		return 2;
	}
	if (character < 0x10000) {
		to[0] = (char)(0xe0 | character >> 12);
		to[1] = (char)(0x80 | (character >> 6 & 63));
		to[2] = (char)(0x80 | (character & 63));
		return 3;
	}
	to[0] = (char)(0xf0 | character >> 18);
	to[1] = (char)(0x80 | (character >> 12 & 63));
	to[2] = (char)(0x80 | (character >> 6 & 63));
	to[3] = (char)(0x80 | (character & 63));
	return 4;
}

static uint32_t character_at(const char *bytes, uint32_t kind)
{
	uint32_t wide;
	uint16_t two;

	if (kind == 1)
		return (uint8_t)*bytes;
	if (kind == 2) {
		memcpy(&two, bytes, sizeof(two));
		return two;
	}
	memcpy(&wide, bytes, sizeof(wide));
	return wide;
}

uint32_t python_text(struct python_thread *own, const struct python_str *str, char *text,
		     uint32_t size)
{
	uint64_t data = str->data, end = str->data + str->length * str->kind;
	uint32_t used = 0;

	while (data < end) {
		uint64_t part = end - data < PART ? end - data : PART;

		if (!safe_read(data, own->scratch, part))
			break;
		for (uint64_t i = 0; i < part; i += str->kind) {
			char utf8[4];
			uint32_t length = encode(character_at(own->scratch + i, str->kind), utf8);

			if (length >= size - used) {
				text[used] = '\0';
				return size;
			}
			memcpy(text + used, utf8, length);
			used += length;
		}
		data += part;
	}
	text[used] = '\0';
	return used;
}
