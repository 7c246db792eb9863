/* SPDX-License-Identifier: Apache-2.0 */
/* Texts and numbers as JSON wants them. */
#include "export/json_text.h"

#include <string.h>

#include "util/text.h"

void escape_bytes(struct buffer *out, const char *text, size_t size)
{
	size_t at = 0, bytes;
	char escaped[TEXT_ESCAPE];
	const char *from;

	buffer_char(out, '"');
	while ((from = text_json(text, size, &at, &bytes, escaped)))
		buffer_bytes(out, from, bytes);
	buffer_char(out, '"');
}

void escape_text(struct buffer *out, const char *text)
{
	escape_bytes(out, text, strlen(text));
}

void json_unsigned(struct buffer *out, uint64_t value, uint64_t most)
{
	if (value > most)
		buffer_char(out, '"');
	buffer_unsigned(out, value);
	if (value > most)
		buffer_char(out, '"');
}

static void escape_hex(struct buffer *out, uint64_t value)
{
	buffer_char(out, '"');
	buffer_hex(out, value);
	buffer_char(out, '"');
}

static void escape_real(struct buffer *out, double value)
{
	bool finite = value - value == 0;

	if (!finite)
		buffer_char(out, '"');
	buffer_real(out, value);
	if (!finite)
		buffer_char(out, '"');
}

void escape_typed(struct buffer *out, const struct typed *typed)
{
	switch (typed->kind) {
	case TYPED_INT:
		if ((int64_t)typed->bits < 0)
			buffer_char(out, '-');
		json_unsigned(out, (int64_t)typed->bits < 0 ? -typed->bits : typed->bits, JSON_EXACT);
		break;
	case TYPED_UINT:
		json_unsigned(out, typed->bits, JSON_EXACT);
		break;
	case TYPED_HEX:
		escape_hex(out, typed->bits);
		break;
	case TYPED_REAL:
		escape_real(out, typed->real);
		break;
	case TYPED_TEXT:
		escape_bytes(out, typed->text, typed->size);
		break;
	}
}
