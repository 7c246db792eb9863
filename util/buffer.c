/* SPDX-License-Identifier: Apache-2.0 */
/* Text into a buffer of any size, counted beyond its end. */
#include "util/buffer.h"

#include <string.h>

#include "util/text.h"

static const char digits[] = "0123456789abcdef";

void buffer_char(struct buffer *out, char c)
{
	if (out->length + 1 < out->size)
		out->at[out->length] = c;
	out->length++;
}

size_t buffer_end(struct buffer *out)
{
	if (out->size)
		out->at[out->length < out->size ? out->length : out->size - 1] = '\0';
	return out->length;
}

void buffer_bytes(struct buffer *out, const char *bytes, size_t size)
{
	size_t room = out->length + 1 < out->size ? out->size - 1 - out->length : 0;

	if (room)
		memcpy(out->at + out->length, bytes, size < room ? size : room);
	out->length += size;
}

void buffer_text(struct buffer *out, const char *text)
{
	buffer_bytes(out, text, strlen(text));
}

void buffer_printed(struct buffer *out, const char *text, size_t size)
{
	size_t at = 0, bytes;
	const char *from;

	while ((from = text_printed(text, size, &at, &bytes)))
		buffer_bytes(out, from, bytes);
}

void buffer_name(struct buffer *out, const char *text)
{
	buffer_printed(out, text, strlen(text));
}

/* Inline, since a base that is known is not divided by. */
static inline __attribute__((always_inline))
void based(struct buffer *out, uint64_t value, unsigned base)
{
	char text[20], *at = text + sizeof(text);

	do
		*--at = digits[value % base];
	while (value /= base);
	buffer_bytes(out, at, (size_t)(text + sizeof(text) - at));
}

void buffer_unsigned(struct buffer *out, uint64_t value)
{
	based(out, value, 10);
}

void buffer_signed(struct buffer *out, int64_t value)
{
	if (value < 0)
		buffer_char(out, '-');
	based(out, value < 0 ? -(uint64_t)value : (uint64_t)value, 10);
}

void buffer_hex(struct buffer *out, uint64_t value)
{
	buffer_text(out, "0x");
	based(out, value, 16);
}

/* The six digits of scaled, a point after the first `whole`, no zeros at the end. */
static void decimals(struct buffer *out, uint32_t scaled, int whole)
{
	char text[6];
	int used = 6;

	for (int i = 5; i >= 0; i--, scaled /= 10)
		text[i] = digits[scaled % 10];
	while (used > whole && text[used - 1] == '0')
		used--;
	for (int i = 0; i < used; i++) {
		if (i == whole && whole)
			buffer_char(out, '.');
		buffer_char(out, text[i]);
	}
}

void buffer_real(struct buffer *out, double value)
{
	int exponent = 0;
	uint32_t scaled;

	if (__builtin_isnan(value)) {
		buffer_text(out, "nan");
		return;
	}
	if (__builtin_signbit(value)) {
		buffer_char(out, '-');
		value = -value;
	}
	if (__builtin_isinf(value)) {
		buffer_text(out, "inf");
		return;
	}
	if (value == 0) {
		buffer_char(out, '0');
		return;
	}
	for (; value >= 10; exponent++)
		value /= 10;
	for (; value < 1; exponent--)
		value *= 10;
	scaled = (uint32_t)(value * 1e5 + 0.5);
	if (scaled == 1000000) {
		scaled /= 10;
		exponent++;
	}
	if (exponent >= 0 && exponent < 6) {
		decimals(out, scaled, exponent + 1);
	} else if (exponent < 0 && exponent >= -4) {
		buffer_text(out, "0.");
		for (int i = -1; i > exponent; i--)
			buffer_char(out, '0');
		decimals(out, scaled, 0);
	} else {
		decimals(out, scaled, 1);
		buffer_char(out, 'e');
		buffer_signed(out, exponent);
	}
}

void buffer_quoted(struct buffer *out, const char *bytes, size_t size)
{
	static const char named[] = "\"\\\n\t\r", letter[] = "\"\\ntr";

	buffer_char(out, '"');
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)bytes[i];
		const char *name = c ? strchr(named, c) : NULL;

		if (name) {
			buffer_char(out, '\\');
			buffer_char(out, letter[name - named]);
		} else if (c >= ' ' && c < 0x7f) {
			buffer_char(out, (char)c);
		} else {
			buffer_text(out, "\\x");
			buffer_char(out, digits[c >> 4]);
			buffer_char(out, digits[c & 15]);
		}
	}
	buffer_char(out, '"');
}
