/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the files of cuaudit-types(5). */
#include "print/prototypes.h"

#include <cuaudit/params.h>
#include <string.h>

#include "util/sort.h"

/* What is left of the room, and of the text. */
struct reader {
	struct prototypes *types;
	struct prototype_param *params;
	struct prototype_value *values;
	char *at;
};

static size_t count(const char *text, size_t length, char c)
{
	size_t found = 0;

	for (const char *at = text; (at = memchr(at, c, (size_t)(text + length - at))); at++)
		found++;
	return found;
}

size_t prototypes_room(const char *text, size_t length)
{
	size_t lines = count(text, length, '\n') + 1, fields = count(text, length, '\t') + 1;

	return lines * (sizeof(struct prototype) + sizeof(struct prototype_enum)) +
	       fields * (sizeof(struct prototype_param) + sizeof(struct prototype_value));
}

static bool is_name(const char *text)
{
	static const char first[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";
	static const char all[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

	return *text && strchr(first, *text) && !text[strspn(text, all)];
}

static bool is_type(const char *text)
{
	for (const char *at = text; *at; at++)
		if (*at < ' ' || *at > '~')
			return false;
	return *text;
}

/* The text up to the next c, which becomes its end; the rest is behind it, NULL if there is none. */
static char *cut(char **rest, char c)
{
	char *text = *rest, *end = text ? strchr(text, c) : NULL;

	*rest = end;
	if (end) {
		*end = '\0';
		++*rest;
	}
	return text;
}

static bool read_number(const char *text, int64_t *number)
{
	bool negative = *text == '-';
	uint64_t value = 0;

	text += negative;
	if (!*text)
		return false;
	for (; *text; text++)
		if (*text < '0' || *text > '9' || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
			return false;
	*number = (int64_t)(negative ? -value : value);
	return value <= (uint64_t)INT64_MAX + negative;
}

static const char *read_enum(struct reader *reader, char *rest)
{
	struct prototype_enum *into = &reader->types->enums[reader->types->nenums++];
	char *field;

	*into = (struct prototype_enum){ .name = cut(&rest, '\t'), .values = reader->values };
	if (!into->name || !is_type(into->name))
		return "has an enumeration without a name";
	while ((field = cut(&rest, '\t'))) {
		struct prototype_value *value = reader->values++;

		value->name = cut(&field, '=');
		if (!is_name(value->name) || !field || !read_number(field, &value->value))
			return "has an enumerator that is not NAME=NUMBER";
		into->count++;
	}
	return NULL;
}

/* ":if": one or two words of a structure, or two to four members of one type, as AArch64 has them. */
static bool read_classes(struct prototype_param *param, const char *classes)
{
	size_t count = strlen(classes), vectors = strspn(classes, "f");

	if (!count || count > TYPES_CLASSES || classes[strspn(classes, "if")])
		return false;
	strcpy(param->classes, classes);
	return (param->size + 7) / 8 == count ? count <= 2 || vectors == count :
	       vectors == count && param->size == count * sizeof(float);
}

/* "e4", "ptr", "m16:if": what it is, and its bytes. */
static bool read_kind(struct prototype_param *param, char *word)
{
	char *classes = word, *number = cut(&classes, ':');
	int64_t size = sizeof(uint64_t);

	if (classes && *word != 'm')
		return false;
	word = number;
	param->kind = *word;
	if (!strcmp(word, "ptr") || !strcmp(word, "str") || !strcmp(word, "?") || !strcmp(word, "void")) {
		param->size = (uint32_t)size;
		return true;
	}
	if (!*word || !strchr("iubefm", *word) || !read_number(word + 1, &size))
		return false;
	param->size = (uint32_t)size;
	if (*word == 'm')
		return size > 0 && size <= UINT16_MAX && (!classes || read_classes(param, classes));
	if (*word == 'b')
		return size == 1;
	return size == 4 || size == 8 || (*word != 'f' && (size == 1 || size == 2));
}

static const char *read_param(struct reader *reader, char *rest, bool result)
{
	struct prototype_param *param = reader->params++;
	char *kind = cut(&rest, ' ');

	*param = (struct prototype_param){ .name = "" };
	if (!kind || !read_kind(param, kind) ||
	    (!result && (param->kind == 'v' || param->kind == '?')))
		return "has a type of a kind that is not known";
	if (!result)
		param->name = cut(&rest, ' ');
	param->type = rest;
	if (!param->name || (!result && !is_name(param->name)) || !rest || !is_type(rest))
		return "has a parameter that is not KIND NAME TYPE";
	return NULL;
}

static const char *read_function(struct reader *reader, char *rest)
{
	struct prototype *into = &reader->types->functions[reader->types->nfunctions++];
	const char *fault;
	char *field;

	*into = (struct prototype){ .name = cut(&rest, '\t'), .params = reader->params };
	if (!into->name || !is_name(into->name))
		return "has a function without a name";
	fault = rest ? read_param(reader, cut(&rest, '\t'), true) : "has a function without a result";
	while (!fault && (field = cut(&rest, '\t'))) {
		if (into->open)
			return "has parameters behind \"...\"";
		if (!strcmp(field, "...")) {
			into->open = true;
			continue;
		}
		fault = read_param(reader, field, false);
		into->nparams++;
	}
	return fault;
}

static const char *read_line(struct reader *reader, char *line)
{
	char *rest = line, *word = cut(&rest, '\t');

	if (!strcmp(word, "function"))
		return read_function(reader, rest);
	if (!strcmp(word, "enum"))
		return read_enum(reader, rest);
	return "has a line that is none of an enum or a function";
}

/* The first line. */
static const char *read_head(struct reader *reader)
{
	char *rest = cut(&reader->at, '\n'), *word = cut(&rest, '\t');
	int64_t version;

	if (strcmp(word, TYPES_MAGIC) != 0 || !rest || !read_number(rest, &version))
		return "is not a file of types, as cuaudit types writes";
	return version == TYPES_VERSION ? NULL : "is of another version; write it again with this cuaudit types";
}

static int compare_functions(const void *a, const void *b)
{
	return strcmp(((const struct prototype *)a)->name, ((const struct prototype *)b)->name);
}

static int compare_enums(const void *a, const void *b)
{
	return strcmp(((const struct prototype_enum *)a)->name, ((const struct prototype_enum *)b)->name);
}

static const struct prototype_enum *find_enum(const struct prototypes *types, const char *name)
{
	size_t at = FIRST(types->nenums, i, strcmp(types->enums[i].name, name) < 0);

	return at < types->nenums && !strcmp(types->enums[at].name, name) ? &types->enums[at] : NULL;
}

/* Sorts all, and finds the enumeration of each parameter. */
static const char *settle(struct prototypes *types, struct prototype_param *params, const struct prototype_param *end)
{
	sort(types->functions, types->nfunctions, sizeof(*types->functions), compare_functions);
	sort(types->enums, types->nenums, sizeof(*types->enums), compare_enums);
	for (uint32_t i = 1; i < types->nfunctions; i++)
		if (!compare_functions(&types->functions[i - 1], &types->functions[i]))
			return "has a function twice";
	for (uint32_t i = 1; i < types->nenums; i++)
		if (!compare_enums(&types->enums[i - 1], &types->enums[i]))
			return "has an enumeration twice";
	for (; params < end; params++) {
		if (params->kind != 'e')
			continue;
		params->values = find_enum(types, params->type);
		if (!params->values)
			return "names an enumeration that it does not have";
	}
	return NULL;
}

const char *prototypes_read(struct prototypes *types, char *text, size_t length, void *room, bool headless)
{
	size_t lines = count(text, length, '\n') + 1, fields = count(text, length, '\t') + 1;
	struct reader reader = { .types = types, .params = room, .at = text };
	struct prototype_param *params = room;
	const char *fault = NULL;

	*types = (struct prototypes){ .functions = (void *)(params + fields) };
	types->enums = (void *)(types->functions + lines);
	reader.values = (void *)(types->enums + lines);
	if (strlen(text) != length)
		return "holds a NUL, and is no text";
	if (!length || text[length - 1] != '\n')
		return "ends within a line";
	text[length - 1] = '\0';
	types->line = !headless;
	if (!headless)
		fault = read_head(&reader);
	while (!fault && reader.at) {
		types->line++;
		fault = read_line(&reader, cut(&reader.at, '\n'));
	}
	if (fault)
		return fault;
	types->line = 0;
	return settle(types, params, reader.params);
}

const struct prototype *prototypes_find(const struct prototypes *types, const char *name)
{
	size_t at = FIRST(types->nfunctions, i, strcmp(types->functions[i].name, name) < 0);

	return at < types->nfunctions && !strcmp(types->functions[at].name, name) ?
	       &types->functions[at] : NULL;
}

static void write_param(struct buffer *out, const struct prototype_param *param, bool enums)
{
	buffer_char(out, '\t');
	if (param->kind == 'p' || param->kind == 's' || param->kind == 'v') {
		buffer_text(out, param->kind == 'p' ? "ptr" : param->kind == 's' ? "str" : "void");
	} else {
		buffer_char(out, param->kind == 'e' && !enums ? 'i' : param->kind);
		if (param->kind != '?')
			buffer_unsigned(out, param->size);
		if (*param->classes)
			buffer_char(out, ':');
		buffer_text(out, param->classes);
	}
	buffer_char(out, ' ');
	if (*param->name) {
		buffer_text(out, param->name);
		buffer_char(out, ' ');
	}
	buffer_text(out, param->type);
}

static void write_enum(struct buffer *out, const struct prototype_enum *values)
{
	buffer_text(out, "enum\t");
	buffer_text(out, values->name);
	for (uint32_t i = 0; i < values->count; i++) {
		buffer_char(out, '\t');
		buffer_text(out, values->values[i].name);
		buffer_char(out, '=');
		buffer_signed(out, values->values[i].value);
	}
	buffer_char(out, '\n');
}

void prototypes_write(struct buffer *out, const struct prototype *function, bool enums)
{
	const struct prototype_param *params = function->params;

	buffer_text(out, "function\t");
	buffer_text(out, function->name);
	for (uint32_t i = 0; i <= function->nparams; i++)
		write_param(out, &params[i], enums);
	buffer_text(out, function->open ? "\t...\n" : "\n");
	for (uint32_t i = 0; enums && i <= function->nparams; i++) {
		bool before = !params[i].values;

		for (uint32_t j = 0; j < i; j++)
			before |= params[j].values == params[i].values;
		if (!before)
			write_enum(out, params[i].values);
	}
}

/* index: 0 for the result, parameters from 1. */
static struct print_shape shape_of(const struct prototype_param *param, uint32_t index)
{
	struct print_shape shape = { .how = PRINT_VALUE, .value.size = (uint16_t)param->size };

	switch (param->kind) {
	case 'i':
		shape.value.kind = PRINT_INT;
		break;
	case 'f':
		shape.value.kind = PRINT_REAL;
		break;
	case 'e':
		shape.value.kind = PRINT_NAMED;
		shape.value.detail = (uint8_t)index;
		break;
	case 'b':
		shape.value.kind = PRINT_BOOL;
		break;
	case 'm':
		shape.value.kind = PRINT_OPAQUE;
		shape.value.size = sizeof(uint64_t);
		break;
	case 'p':
	case 's':
		shape.how = param->kind == 'p' ? PRINT_ADDRESS : PRINT_STRING;
		break;
	default:
		shape.value.kind = PRINT_UINT;
	}
	return shape;
}

struct print_param prototypes_param(const struct prototype *function, uint32_t index, uint8_t word)
{
	const struct prototype_param *param = &function->params[index + 1];

	return (struct print_param){
		.name = param->name, .type = param->type,
		.words = param->kind != 'm', .word = word,
		.direction = param->kind == 's' ? CUAUDIT_IN :
			     param->kind == 'p' ? CUAUDIT_ADDRESS : CUAUDIT_VALUE,
		.shape = shape_of(param, index + 1),
	};
}

const struct print_param prototypes_others = {
	.name = "...", .type = "...", .shape.value = { .kind = PRINT_UNKNOWN, .size = sizeof(uint64_t) },
};

bool prototypes_result(const struct prototype *function, struct print_param *result)
{
	const struct prototype_param *param = function->params;

	/* What comes out; a string is there as soon as the function has returned. */
	*result = (struct print_param){
		.name = "return", .type = param->type, .words = param->kind != 'm',
		.direction = CUAUDIT_INOUT, .shape = shape_of(param, 0),
	};
	return param->kind != 'v' && param->kind != '?';
}

const char *prototypes_value_name(const struct prototype *function, uint32_t index, int64_t value)
{
	const struct prototype_enum *values = function->params[index].values;

	for (uint32_t i = 0; values && i < values->count; i++)
		if (values->values[i].value == value)
			return values->values[i].name;
	return NULL;
}
