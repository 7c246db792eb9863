/* SPDX-License-Identifier: Apache-2.0 */
/* What traces hold as JSON values. */
#include "convert/json.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "print/value.h"

json_t *json_text(struct utf8_scratch *scratch, const char *text)
{
	const char *clean = utf8_clean(scratch, text);

	return clean ? json_string_nocheck(clean) : NULL;
}

json_t *json_unsigned(uint64_t number)
{
	return number <= INT64_MAX ? json_integer((json_int_t)number)
				   : json_sprintf("%llu", (unsigned long long)number);
}

static json_t *real(struct print_value value, const void *bytes)
{
	float single = 0;
	double full;

	if (value.size == sizeof(single)) {
		memcpy(&single, bytes, sizeof(single));
		full = (double)single;
	} else {
		memcpy(&full, bytes, sizeof(full));
	}
	return isfinite(full) ? json_real(full) : json_string_nocheck(isnan(full) ? "nan" : "inf");
}

/* As it is printed; numbers without a name as numbers. */
static json_t *word(const struct trace_arguments *arguments, struct print_value value,
		    const void *bytes)
{
	char text[256];
	struct buffer out = { text, sizeof(text), 0 };
	struct print_source source = arguments->source;
	struct printer printer = { .out = &out, .source = &source,
				   .flags = CUAUDIT_PRINT_AFTER | CUAUDIT_PRINT_RAW };

	source.name = NULL;
	value_print(&printer, value, bytes);
	buffer_end(&out);
	if (!strcmp(text, "NULL"))
		return json_null();
	if (value.kind == PRINT_ENUM && *text <= '9')
		return json_integer((json_int_t)value_integer(value, bytes));
	return json_string_nocheck(text);
}

static json_t *structure(const struct trace_arguments *arguments, struct print_value value,
			 const char *base);

static json_t *one(const struct trace_arguments *arguments, struct print_value value,
		   const void *bytes)
{
	switch (value.kind) {
	case PRINT_INT:
		return json_integer((json_int_t)value_integer(value, bytes));
	case PRINT_UINT:
	case PRINT_BYTE:
		return json_unsigned(value_integer(value, bytes));
	case PRINT_REAL:
		return real(value, bytes);
	case PRINT_STRUCT:
		return structure(arguments, value, bytes);
	default:
		return word(arguments, value, bytes);
	}
}

static json_t *several(const struct trace_arguments *arguments, struct print_value value,
		       const char *bytes, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, one(arguments, value, bytes + i * value.size));
	return array;
}

static json_t *digits(const uint8_t *bytes, size_t size)
{
	static const char of[] = "0123456789abcdef";
	char text[2 * PRINT_ELEMENT + 3] = "0x";

	for (size_t i = 0; i < size && i < PRINT_ELEMENT; i++) {
		text[2 * i + 2] = of[bytes[i] >> 4];
		text[2 * i + 3] = of[bytes[i] & 15];
		text[2 * i + 4] = '\0';
	}
	return json_string_nocheck(text);
}

static json_t *member(const struct trace_arguments *arguments, const struct print_member *of,
		      const char *base)
{
	static const struct print_value pointer = { PRINT_HEX, 0, sizeof(uint64_t) };
	const char *bytes = base + of->at;

	if (of->length_size)
		return word(arguments, pointer, bytes);
	if (of->value.kind == PRINT_BYTE)
		return digits((const uint8_t *)bytes, of->bytes);
	if (of->bytes == of->value.size)
		return one(arguments, of->value, bytes);
	return several(arguments, of->value, bytes, of->bytes / of->value.size);
}

static json_t *structure(const struct trace_arguments *arguments, struct print_value value,
			 const char *base)
{
	struct print_struct all = print_struct_get(value.detail);
	json_t *object = json_object();

	for (uint32_t i = 0; i < all.count; i++)
		if (value_holds(&all.members[i], base))
			json_object_set_new_nocheck(object, print_member_name(&all.members[i]),
						    member(arguments, &all.members[i], base));
	return object;
}

static json_t *text_behind(struct utf8_scratch *scratch, const struct trace_piece *piece)
{
	char text[4096];

	snprintf(text, sizeof(text), "%.*s%s", (int)piece->size, (const char *)piece->data,
		 piece->cut ? "..." : "");
	return json_text(scratch, text);
}

/* NULL, too, for what was not recorded. */
static json_t *argument(struct utf8_scratch *scratch, const struct trace_arguments *arguments,
			const struct print_param *param)
{
	const struct trace_piece *piece = trace_arguments_behind(arguments, param->word);
	struct print_value value = param->shape.value;
	const uint64_t *words = &arguments->words[param->word];
	json_t *array;

	if (piece && piece->text)
		return text_behind(scratch, piece);
	if (piece && piece->element == value.size) {
		if (param->shape.how == PRINT_FIXED && piece->size == value.size)
			return one(arguments, value, piece->data);
		array = several(arguments, value, (const char *)piece->data,
				piece->size / piece->element);
		if (piece->cut)
			json_array_append_new(array, json_string_nocheck("..."));
		return array;
	}
	if (arguments->unknown >> param->word & 1 || piece)
		return NULL;
	if (!(arguments->known >> param->word & 1))
		return json_null();
	if (param->shape.how == PRINT_VALUE)
		return one(arguments, value, words);
	return word(arguments, (struct print_value){ PRINT_HEX, 0, sizeof(uint64_t) }, words);
}

json_t *json_arguments(struct utf8_scratch *scratch, const struct trace_arguments *arguments)
{
	struct print_param params[PRINT_PARAMS];
	uint32_t count = print_params(arguments->function->row, params);
	json_t *object = json_object();

	for (uint32_t i = 0; i < count; i++) {
		json_t *value = argument(scratch, arguments, &params[i]);

		if (value)
			json_object_set_new_nocheck(object, params[i].name, value);
	}
	return object;
}

/* A terminal may read it: characters that control are escaped, as all beyond ASCII are. */
enum { FLAGS = JSON_COMPACT | JSON_ENSURE_ASCII };

int json_line(struct sink *sink, json_t *value)
{
	size_t size = 4096, used = 0;

	while (!sink->error && !used) {
		char *room = sink_room(sink, size);
		size_t needed = room ? json_dumpb(value, room, size - 1, FLAGS) : 0;

		/* 0, too, if value is NULL. */
		if (!needed && room)
			sink->error = -ENOMEM;
		if (needed && needed < size) {
			used = needed;
			room[used] = '\n';
			sink_took(sink, used + 1);
		}
		size = needed + 1;
	}
	json_decref(value);
	return sink->error;
}
