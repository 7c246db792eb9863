/* SPDX-License-Identifier: Apache-2.0 */
/* Text gathered in memory and written in one piece, without stdio. */
#include "util/out.h"

#include <errno.h>
#include <string.h>

#include "util/divide.h"
#include "util/pages.h"
#include "util/text.h"

static int grow(struct out *out, size_t count)
{
	size_t size = out->size ? out->size : 65536;
	void *data;

	if (out->fixed)
		return out->size - out->used < count ? out->error = -ENOMEM : 0;
	while (size - out->used < count)
		size *= 2;
	if (size == out->size)
		return 0;
	data = out->data ? pages_grow(out->data, out->size, size) :
			   pages_map(NULL, size, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (data == MAP_FAILED)
		return out->error = -ENOMEM;
	out->data = data;
	out->size = size;
	return 0;
}

void out_bytes(struct out *out, const char *bytes, size_t count)
{
	if (grow(out, count))
		return;
	memcpy(out->data + out->used, bytes, count);
	out->used += count;
}

void out_text(struct out *out, const char *text)
{
	out_bytes(out, text, strlen(text));
}

void out_spaces(struct out *out, size_t count)
{
	if (grow(out, count))
		return;
	memset(out->data + out->used, ' ', count);
	out->used += count;
}

void out_u64(struct out *out, uint64_t value)
{
	out_text(out, out_count(value).text);
}

void out_plural(struct out *out, uint64_t count, const char *thing)
{
	size_t length = strlen(thing);
	char last = thing[length - 1];

	out_u64(out, count);
	out_text(out, " ");
	out_bytes(out, thing, count != 1 && last == 'y' ? length - 1 : length);
	if (count != 1)
		out_text(out, last == 'y' ? "ies" : last == 's' ? "es" : "s");
}

void out_right(struct out *out, const char *text, size_t width)
{
	size_t length = strlen(text);

	out_spaces(out, 1 + (length < width ? width - length : 0));
	out_text(out, text);
}

void out_left(struct out *out, const char *text, size_t width)
{
	size_t length = strlen(text);

	out_text(out, text);
	if (length < width)
		out_spaces(out, width - length);
}

void out_printed(struct out *out, const char *text, size_t length)
{
	size_t at = 0, bytes;
	const char *from;

	while ((from = text_printed(text, length, &at, &bytes)))
		out_bytes(out, from, bytes);
}

/* Where the character of that number begins, or the end. */
static size_t character_at(const char *text, size_t length, size_t number)
{
	size_t at = 0;

	for (; number && at < length; number--)
		at += text_next(text + at, length - at).length;
	return at;
}

static size_t characters(const char *text, size_t length)
{
	size_t count = 0;

	for (size_t at = 0; at < length; count++)
		at += text_next(text + at, length - at).length;
	return count;
}

void out_fit(struct out *out, const char *text, size_t width)
{
	size_t length = strlen(text), count = characters(text, length);
	size_t tail = (width - 2) / 2;

	if (count <= width) {
		out_printed(out, text, length);
		return;
	}
	out_printed(out, text, character_at(text, length, width - 2 - tail));
	out_text(out, "..");
	text += character_at(text, length, count - tail);
	out_printed(out, text, strlen(text));
}

static const char hex[] = "0123456789abcdef";

void out_hex(struct out *out, uint64_t value)
{
	char digits[20], *at = digits + sizeof(digits);

	*--at = '\0';
	do
		*--at = "0123456789abcdef"[value % 16];
	while (value /= 16);
	out_text(out, "0x");
	out_text(out, at);
}

void out_uuid(struct out *out, const uint8_t *uuid)
{
	for (int i = 0; i < 16; i++) {
		const char pair[] = { hex[uuid[i] >> 4], hex[uuid[i] & 15] };

		if (i == 4 || i == 6 || i == 8 || i == 10)
			out_text(out, "-");
		out_bytes(out, pair, 2);
	}
}

void out_json(struct out *out, const char *text)
{
	size_t length = strlen(text), at = 0, bytes;
	char escaped[TEXT_ESCAPE];
	const char *from;

	out_text(out, "\"");
	while ((from = text_json(text, length, &at, &bytes, escaped)))
		out_bytes(out, from, bytes);
	out_text(out, "\"");
}

void out_label(struct out *out, const char *text)
{
	uint32_t hash = 2166136261u;
	bool whole = true;

	for (size_t at = 0, length = strlen(text); at < length;) {
		struct text_character next = text_next(text + at, length - at);

		if (text[at] == '"' || text[at] == '\\')
			out_text(out, "\\");
		if (text[at] == '\n')
			out_text(out, "\\n");
		else
			out_printed(out, text + at, next.length);
		whole &= text_prints(next) || text[at] == '\n';
		at += next.length;
	}
	if (whole)
		return;
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	out_text(out, "~");
	for (int shift = 28; shift >= 0; shift -= 4)
		out_bytes(out, &hex[hash >> shift & 15], 1);
}

struct out_number out_count(uint64_t value)
{
	struct out_number number = { "" };
	char digits[24];
	size_t count = 0;

	do
		digits[count++] = (char)('0' + value % 10);
	while (value /= 10);
	for (size_t i = 0; i < count; i++)
		number.text[i] = digits[count - 1 - i];
	return number;
}

/* value / 10^decimals, with the unit after it. */
static struct out_number decimal(uint64_t value, int decimals, const char *unit)
{
	struct out_number number = { "" };
	uint64_t one = 1;
	size_t length;

	for (int i = 0; i < decimals; i++)
		one *= 10;
	number = out_count(value / one);
	length = strlen(number.text);
	if (decimals) {
		number.text[length] = '.';
		for (int i = 1; i <= decimals; i++)
			number.text[length + (size_t)i] =
				(char)('0' + value / (one /= 10) % 10);
		length += 1 + (size_t)decimals;
	}
	memcpy(number.text + length, unit, strlen(unit) + 1);
	return number;
}

struct out_number out_time(uint64_t ns, int digits)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	uint64_t limit = 1, scale = 1;

	for (int i = 0; i < digits; i++)
		limit *= 10;
	for (int unit = 0; unit < 4; unit++, scale *= 1000) {
		uint64_t step = scale;
		int decimals = 0;

		while (decimals < digits - 1 && step >= 10) {
			step /= 10;
			decimals++;
		}
		for (; decimals >= 0; decimals--, step *= 10) {
			uint64_t value = ns / step + (ns % step >= (step + 1) / 2 && step > 1);

			if (value < limit && (unit == 3 || value < 1000 * (scale / step)))
				return decimal(value, decimals, units[unit]);
		}
	}
	return decimal(ns / 1000000000 + (ns % 1000000000 >= 500000000), 0, "s");
}

struct out_number out_percent(uint64_t part, uint64_t whole)
{
	unsigned __int128 scaled = (unsigned __int128)part * 1000;

	return decimal(whole ? divide(scaled + whole / 2, whole) : 0, 1, "");
}

struct out_number out_seconds(uint64_t ns)
{
	return decimal(ns, 9, "");
}

int out_write(struct out *out, int fd, int patience)
{
	int result = io_write(fd, out->data, out->used, patience);

	out->used = 0;
	return result ? result : out->error;
}

void out_free(struct out *out)
{
	if (out->data)
		pages_unmap(out->data, out->size);
	*out = (struct out){ 0 };
}
