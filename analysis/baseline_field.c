/* SPDX-License-Identifier: Apache-2.0 */
/* Names and counts as a lock file has them, and facts in its order. */
#include "analysis/baseline_field.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/text.h"

/* No byte is lost: names that are different stay so. */
static void put_escaped(struct out *out, const char *bytes, size_t count)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < count; i++) {
		const char text[4] = { '\\', 'x', digits[(uint8_t)bytes[i] >> 4],
				       digits[bytes[i] & 15] };

		out_bytes(out, text, sizeof(text));
	}
}

void baseline_field_bytes(struct out *out, const char *text, size_t length)
{
	if (!length)
		out_text(out, "\\e");
	else if (length == 1 && *text == '-')
		put_escaped(out, text, length);
	else
		for (size_t at = 0; at < length;) {
			struct text_character next = text_next(text + at, length - at);

			if (text[at] == '\\')
				out_text(out, "\\\\");
			else if (text_prints(next))
				out_bytes(out, text + at, next.length);
			else
				put_escaped(out, text + at, next.length);
			at += next.length;
		}
}

void baseline_field(struct out *out, const char *text)
{
	if (text)
		baseline_field_bytes(out, text, strlen(text));
	else
		out_text(out, "-");
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * What is behind a backslash, of which size bytes are there: how many of them it takes, 0 for what
 * is no escape, and the byte that it stands for, -1 for none.
 */
static size_t read_escape(const char *text, size_t size, int *byte)
{
	*byte = -1;
	if (size && *text == 'e')
		return 1;
	if (size && *text == '\\') {
		*byte = '\\';
		return 1;
	}
	if (size < 3 || *text != 'x' || digit(text[1]) < 0 || digit(text[2]) < 0)
		return 0;
	*byte = 16 * digit(text[1]) + digit(text[2]);
	return *byte ? 3 : 0;
}

/* The name that a field stands for, in place of it: it is never longer. */
static bool unescape(char *field, size_t *length)
{
	size_t used = 0;

	for (size_t at = 0; at < *length; at++) {
		int byte = (uint8_t)field[at];

		if (byte == '\\') {
			size_t size = read_escape(field + at + 1, *length - at - 1, &byte);

			if (!size || (byte < 0 && *length != 2))
				return false;
			at += size;
		}
		if (byte >= 0)
			field[used++] = (char)byte;
	}
	*length = used;
	return true;
}

bool baseline_field_read(struct out *out, const char *field, size_t length)
{
	char *name;
	bool is_right;

	if (!length)
		return false;
	if (length == 1 && *field == '-') {
		out_text(out, "-");
		return true;
	}
	name = malloc(length);
	if (!name) {
		out->error = -ENOMEM;
		return true;
	}
	memcpy(name, field, length);
	is_right = unescape(name, &length);
	if (is_right)
		baseline_field_bytes(out, name, length);
	free(name);
	return is_right;
}

void baseline_count(struct out *out, const struct baseline_fact *fact)
{
	if (fact->any) {
		out_text(out, "any");
	} else if (fact->low == fact->high) {
		out_text(out, "= ");
		out_u64(out, fact->low);
	} else {
		out_u64(out, fact->low);
		out_text(out, "..");
		out_u64(out, fact->high);
	}
}

static int compare(const void *a, const void *b)
{
	const struct baseline_item *x = a, *y = b;

	return strcmp(x->key, y->key);
}

struct baseline_item *baseline_sorted(const struct table *table)
{
	struct baseline_item *items = calloc(table->count + 1, sizeof(*items));

	for (uint32_t i = 0; items && i < table->count; i++)
		items[i] = (struct baseline_item){ table->keys[i].bytes, table_row(table, i) };
	if (items)
		qsort(items, table->count, sizeof(*items), compare);
	return items;
}
