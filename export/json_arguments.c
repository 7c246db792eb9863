/* SPDX-License-Identifier: Apache-2.0 */
/* What traces hold as JSON. */
#include "export/json_arguments.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "export/fields.h"
#include "export/json_text.h"
#include "export/lines.h"
#include "print/prototypes.h"
#include "print/value.h"

static void put_symbol(struct buffer *out, const char *prefix, const struct symbol *symbol)
{
	buffer_char(out, '"');
	buffer_text(out, prefix);
	buffer_text(out, "function\":");
	escape_text(out, symbol->function);
	if (!symbol->file)
		return;
	buffer_text(out, ",\"");
	buffer_text(out, prefix);
	buffer_text(out, "file\":");
	escape_text(out, symbol->file);
	buffer_text(out, ",\"");
	buffer_text(out, prefix);
	buffer_text(out, "line\":");
	buffer_unsigned(out, symbol->line);
}

void json_caller(struct buffer *out, const struct convert *convert, const struct trace *trace,
		 uint32_t site)
{
	struct symbol_stack found = lines_site(convert, trace, site);

	if (!found.count)
		return;
	buffer_char(out, ',');
	put_symbol(out, "caller_", found.at);
}

static void put_frame(struct buffer *out, const struct trace *trace,
		      const struct cuaudit_trace_frame *frame, const struct symbol *symbol, bool inlined)
{
	char text[FIELDS_PLACE];

	buffer_text(out, "{\"at\":");
	escape_text(out, fields_place(text, trace, frame));
	if (symbol) {
		buffer_char(out, ',');
		put_symbol(out, "", symbol);
	}
	if (inlined)
		buffer_text(out, ",\"inlined\":true");
	buffer_char(out, '}');
}

static void put_frames(struct buffer *out, const struct convert *convert, const struct trace *trace,
		       const struct trace_callers *callers)
{
	const char *before = ",\"frames\":[";

	for (uint32_t i = 0; i < callers->count; i++) {
		const struct cuaudit_trace_frame *frame = &callers->frames[i];
		struct symbol_stack found = lines_frame(convert, trace, frame);

		for (uint32_t j = 0; j < found.count || (!j && !found.count); j++) {
			buffer_text(out, before);
			put_frame(out, trace, frame, found.count ? &found.at[j] : NULL,
				  j + 1 < found.count);
			before = ",";
		}
	}
	buffer_char(out, ']');
}

void json_stack(struct buffer *out, const struct convert *convert, const struct trace *trace,
		uint32_t number)
{
	const struct trace_callers *callers = &trace->callers[number];
	char text[FIELDS_PLACE];
	bool known = false;

	buffer_text(out, ",\"stack\":[");
	for (uint32_t i = 0; i < callers->count; i++) {
		if (i)
			buffer_char(out, ',');
		escape_text(out, fields_place(text, trace, &callers->frames[i]));
		known |= lines_frame(convert, trace, &callers->frames[i]).count > 0;
	}
	buffer_char(out, ']');
	if (known)
		put_frames(out, convert, trace, callers);
}

/* All digits that tell it apart from others; JSON has no other numbers than finite ones. */
static void real(struct buffer *out, struct print_value value, const void *bytes)
{
	char text[32];
	double full = value_real(value, bytes);

	if (isfinite(full)) {
		snprintf(text, sizeof(text), "%.17g", full);
		buffer_text(out, text);
	} else {
		escape_text(out, isnan(full) ? "nan" : full > 0 ? "inf" : "-inf");
	}
}

/* As it is printed; numbers without a name as numbers. */
static void word(struct buffer *out, const struct trace_arguments *arguments,
		 struct print_value value, const void *bytes)
{
	char text[PRINT_FLAGS_MOST];
	struct buffer printed = { text, sizeof(text), 0 };
	struct print_source source = arguments->source;
	struct printer printer = { .out = &printed, .source = &source,
				   .flags = CUAUDIT_PRINT_AFTER | CUAUDIT_PRINT_RAW };

	source.name = NULL;
	value_print(&printer, value, bytes);
	buffer_end(&printed);
	if (!strcmp(text, "NULL"))
		buffer_text(out, "null");
	else if ((value.kind == PRINT_ENUM || value.kind == PRINT_NAMED) && *text <= '9')
		buffer_signed(out, (int64_t)value_integer(value, bytes));
	else
		escape_text(out, text);
}

/* An address or a handle, or null. */
static void pointer(struct buffer *out, uint64_t address)
{
	if (!address) {
		buffer_text(out, "null");
		return;
	}
	buffer_char(out, '"');
	buffer_hex(out, address);
	buffer_char(out, '"');
}

static void structure(struct buffer *out, const struct trace_arguments *arguments,
		      struct print_value value, const char *base);

static void one(struct buffer *out, const struct trace_arguments *arguments,
		struct print_value value, const void *bytes)
{
	switch (value.kind) {
	case PRINT_INT:
		buffer_signed(out, (int64_t)value_integer(value, bytes));
		break;
	case PRINT_UINT:
	case PRINT_BYTE:
		json_unsigned(out, value_integer(value, bytes), INT64_MAX);
		break;
	case PRINT_REAL:
		real(out, value, bytes);
		break;
	case PRINT_STRUCT:
		structure(out, arguments, value, bytes);
		break;
	case PRINT_BOOL:
		buffer_text(out, value_integer(value, bytes) ? "true" : "false");
		break;
	default:
		word(out, arguments, value, bytes);
	}
}

static void several(struct buffer *out, const struct trace_arguments *arguments,
		    struct print_value value, const void *bytes, size_t count, bool cut)
{
	buffer_char(out, '[');
	for (size_t i = 0; i < count; i++) {
		if (i)
			buffer_char(out, ',');
		one(out, arguments, value, (const char *)bytes + i * value.size);
	}
	if (cut)
		buffer_text(out, count ? ",\"...\"" : "\"...\"");
	buffer_char(out, ']');
}

static void digits(struct buffer *out, const uint8_t *bytes, size_t size)
{
	static const char of[] = "0123456789abcdef";

	buffer_text(out, "\"0x");
	for (size_t i = 0; i < size; i++) {
		buffer_char(out, of[bytes[i] >> 4]);
		buffer_char(out, of[bytes[i] & 15]);
	}
	buffer_char(out, '"');
}

static void member(struct buffer *out, const struct trace_arguments *arguments,
		   const struct print_member *of, const char *base)
{
	const char *bytes = base + of->at;
	uint64_t address;

	if (of->length_size) {
		memcpy(&address, bytes, sizeof(address));
		pointer(out, address);
	} else if (of->value.kind == PRINT_BYTE) {
		digits(out, (const uint8_t *)bytes, of->bytes);
	} else if (of->bytes == of->value.size) {
		one(out, arguments, of->value, bytes);
	} else {
		several(out, arguments, of->value, bytes, of->bytes / of->value.size, false);
	}
}

/* "KEY":, behind a comma but for the first; a name of the driver's tables is plain. */
static void key(struct buffer *out, bool *first, const char *name)
{
	buffer_text(out, *first ? "\"" : ",\"");
	buffer_text(out, name);
	buffer_text(out, "\":");
	*first = false;
}

static void structure(struct buffer *out, const struct trace_arguments *arguments,
		      struct print_value value, const char *base)
{
	struct print_struct all = print_struct_get(value.detail);
	bool first = true;

	buffer_char(out, '{');
	for (uint32_t i = 0; i < all.count; i++) {
		if (!value_holds(&all.members[i], base))
			continue;
		key(out, &first, print_member_name(&all.members[i]));
		member(out, arguments, &all.members[i], base);
	}
	buffer_char(out, '}');
}

static void text_behind(struct buffer *out, const struct trace_piece *piece)
{
	escape_bytes(out, (const char *)piece->data, strnlen((const char *)piece->data, piece->size));
	if (!piece->cut)
		return;
	/* Within the quotes. */
	out->length--;
	buffer_text(out, "...\"");
}

/* Whole numbers as addresses are, others as bytes: their types are not known. */
static void parameters(struct buffer *out, const struct trace_piece *piece)
{
	struct print_value value = { .kind = PRINT_UINT };
	const void *bytes;
	size_t size;

	buffer_char(out, '[');
	for (uint32_t i = 0; bytes = trace_piece_parameter(piece, i, &size), size; i++) {
		if (i)
			buffer_char(out, ',');
		if (!bytes) {
			buffer_text(out, "\"...\"");
			break;
		}
		value.size = (uint16_t)size;
		if (!value_is_word(size)) {
			digits(out, bytes, size);
			continue;
		}
		buffer_char(out, '"');
		buffer_hex(out, value_integer(value, bytes));
		buffer_char(out, '"');
	}
	buffer_char(out, ']');
}

static void behind(struct buffer *out, const struct trace_arguments *arguments,
		   const struct print_param *param, const struct trace_piece *piece)
{
	struct print_value value = param->shape.value;

	if (piece->text)
		text_behind(out, piece);
	else if (piece->layout)
		parameters(out, piece);
	else if (param->shape.how == PRINT_FIXED && piece->size == value.size)
		one(out, arguments, value, piece->data);
	else
		several(out, arguments, value, piece->data, piece->size / piece->element, piece->cut);
}

static void argument(struct buffer *out, bool *first, const struct trace_arguments *arguments,
		     const struct print_param *param)
{
	const struct trace_piece *piece = trace_arguments_behind(arguments, param->word);
	const uint64_t *words = &arguments->words[param->word];

	if (param->shape.value.kind == PRINT_OPAQUE)
		return;
	if (piece ? !piece->text && !piece->layout && piece->element != param->shape.value.size :
		    arguments->unknown >> param->word & 1)
		return;
	key(out, first, param->name);
	if (piece)
		behind(out, arguments, param, piece);
	else if (!(arguments->known >> param->word & 1))
		buffer_text(out, "null");
	else if (param->shape.how == PRINT_VALUE)
		one(out, arguments, param->shape.value, words);
	else
		pointer(out, *words);
}

void json_arguments(struct buffer *out, const struct trace_arguments *arguments)
{
	const struct trace_function *function = arguments->function;
	bool first = true;

	buffer_char(out, '{');
	for (uint32_t i = 0; i < function->nparams; i++)
		argument(out, &first, arguments, &function->params[i]);
	if (function->has_others) {
		key(out, &first, prototypes_others.name);
		buffer_text(out, "\"?\"");
	}
	buffer_char(out, '}');
}
