/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of CUAUDIT_TYPES say of providers' functions. */
#include "hooks/provider_types.h"

#include <cuaudit/api.h>
#include <cuaudit/hook.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hooks/core_link.h"
#include "hooks/layout.h"
#include "hooks/libc_function.h"
#include "hooks/strict.h"
#include "print/prototypes.h"
#include "util/io.h"

enum { FILES = 16, BYTES = 1 << 20, PATH = 4096 };

static struct prototypes files[FILES];
static uint32_t nfiles;
static struct prototypes libc;	/* of the C library's functions */
static const struct prototype *slots[LINK_SLOTS];

/* A function that an earlier file has, NULL for none. */
static const char *twice(const struct prototypes *types)
{
	for (uint32_t i = 0; i < types->nfunctions; i++)
		for (uint32_t j = 0; j < nfiles; j++)
			if (prototypes_find(&files[j], types->functions[i].name))
				return types->functions[i].name;
	return NULL;
}

/* Mapped for good, as long as the text is. */
static char *map_file(const char *path, long *length)
{
	char *text = cuaudit_pages(BYTES + 1);

	io_claim_name(path);
	*length = text ? io_read_file(path, text, BYTES + 1, IO_REPORT) : -ENOMEM;
	return text;
}

static const char *read_text(struct prototypes *types, char *text, size_t length)
{
	void *room = cuaudit_pages(prototypes_room(text, length));

	return room ? prototypes_read(types, text, length, room, false) : io_reason(-ENOMEM);
}

/* what is wrong, as the user is told it: NULL if nothing. */
static const char *read_file(struct prototypes *types, const char *path, char why[PATH])
{
	long length;
	char *text = map_file(path, &length);
	const char *fault, *name;

	if (length < 0)
		return io_reason((int)length);
	if (length == BYTES)
		return "is longer than 1 MiB";
	fault = read_text(types, text, (size_t)length);
	if (fault && types->line) {
		snprintf(why, PATH, "line %u %s", types->line, fault);
		return why;
	}
	name = fault ? NULL : twice(types);
	if (name) {
		snprintf(why, PATH, "has %s, as a file before it does", name);
		return why;
	}
	return fault;
}

/* By how they are called; those whose name ends in _chk have the room at `dest` as well. */
#define COPY "ptr void *\tptr dest void *\tptr src const void *\tu8 n size_t"
#define MOVE COPY
#define SET "ptr void *\tptr s void *\ti4 c int\tu8 n size_t"
#define STRING "ptr char *\tptr dest char *\tptr src const char *"
#define BOUNDED STRING "\tu8 n size_t"
#define APPEND STRING

static bool is_checking(const char *name)
{
	return name[0] == '_';
}

/* Of no file, so that a user's may have functions of these names, of other libraries. */
static void read_libc(void)
{
	static char text[4096] = TYPES_MAGIC "\t1\n";
	struct buffer out = { text, sizeof(text), strlen(text) };

#define LIBC_FUNCTION(name, how) \
	buffer_text(&out, "function\t" #name "\t" how); \
	buffer_text(&out, is_checking(#name) ? "\tu8 destlen size_t\n" : "\n");
#include <internal/libc_functions.def>
#undef LIBC_FUNCTION
	read_text(&libc, text, buffer_end(&out));
}

#undef COPY
#undef MOVE
#undef SET
#undef STRING
#undef BOUNDED
#undef APPEND

/* A relative path means where the program was started. */
static const char *whole_path(const char *path, size_t length, char whole[PATH])
{
	const char *directory = cuaudit_core_link->environment.directory;

	snprintf(whole, PATH, "%s%s%.*s", *path == '/' ? "" : directory, *path == '/' ? "" : "/",
		 (int)length, path);
	return whole;
}

void provider_types_setup(void)
{
	const char *path = cuaudit_core_link->environment.types;
	char whole[PATH], why[PATH];

	if (libc_function_reported())
		read_libc();
	for (size_t length; *path; path += length + (path[length] == ':')) {
		const char *fault;

		length = strcspn(path, ":");
		if (!length)
			continue;
		fault = nfiles == FILES ? "is one of more than 16" :
			read_file(&files[nfiles], whole_path(path, length, whole), why);
		if (!fault)
			nfiles++;
		else
			strict_fault(false, "; arguments of its functions are printed as words",
				     "CUAUDIT_TYPES: %.*s: %s", (int)length, path, fault);
	}
}

uint32_t provider_types_total(void)
{
	uint32_t total = 0;

	for (uint32_t i = 0; i < nfiles; i++)
		total += files[i].nfunctions;
	return total;
}

/* LIBRARY:NAME, perhaps with @VERSION behind it. */
void provider_types_describe(uint32_t slot, const char *name)
{
	const char *symbol = strchr(name, ':');
	char plain[256];

	if (libc_function_is(slot))
		slots[slot] = prototypes_find(&libc, symbol + 1);
	if (!nfiles || !symbol || slots[slot])
		return;
	snprintf(plain, sizeof(plain), "%.*s", (int)strcspn(symbol + 1, "@"), symbol + 1);
	for (uint32_t i = 0; i < nfiles && !slots[slot]; i++)
		slots[slot] = prototypes_find(&files[i], plain);
}

const struct prototype *provider_types_of(const struct cuaudit_function *function)
{
	return function->id == CUAUDIT_ID_PROVIDER ? slots[function->slot] : NULL;
}

static uint8_t code_of(const struct prototype_param *param)
{
	enum { MOST = LAYOUT_WORDS };
	uint32_t words = (param->size + 7) / 8, count = (uint32_t)strlen(param->classes);
	uint32_t vectors = (uint32_t)strspn(param->classes, "f");

	if (param->kind == 'm' && !count)
		return (uint8_t)(LAYOUT_MEMORY | (words < MOST ? words : MOST));
	if (vectors == count && count)
		return (uint8_t)(LAYOUT_FLOAT | count | (param->size == count * sizeof(float) ? LAYOUT_HALVES : 0));
	if (count)
		return (uint8_t)(strchr(param->classes, 'f') ? LAYOUT_BOTH | count : count);
	return param->kind == 'f' ? LAYOUT_FLOAT | 1 : 1;
}

_Static_assert((int)PRINT_TYPED >= FRAME_NREGS + FRAME_NSTACK_ARGS + (int)FRAME_NVECTORS, "each takes a word of these");

uint32_t provider_types_words(const struct cuaudit_function *function, uint8_t words[PRINT_TYPED])
{
	const struct prototype *types = provider_types_of(function);
	uint32_t before, count;
	uint8_t codes[PRINT_TYPED + 1] = { 1 }, places[PRINT_TYPED + 1];
	struct layout row = { .params = codes };

	if (!types)
		return 0;
	before = types->params->kind == 'm' && !*types->params->classes ? FRAME_ANSWER_POINTERS : 0;
	count = types->nparams < PRINT_TYPED ? types->nparams : PRINT_TYPED;
	for (uint32_t i = 0; i < count; i++)
		codes[before + i] = code_of(&types->params[i + 1]);
	row.nparams = before + count;
	count = layout_places(&row, places) - before;
	memcpy(words, places + before, count);
	return count;
}

struct print_param provider_types_param(const struct cuaudit_function *function, uint32_t index, uint8_t word)
{
	return prototypes_param(provider_types_of(function), index, word);
}

bool provider_types_result(const struct cuaudit_function *function, struct print_param *result)
{
	const struct prototype *types = provider_types_of(function);

	if (!types || !prototypes_result(types, result))
		return false;
	result->word = result->shape.value.kind == PRINT_REAL ? FRAME_ANSWER_VECTOR_WORD : FRAME_ANSWER_WORD;
	return true;
}

const char *provider_types_value_name(const struct cuaudit_function *function, int32_t value)
{
	const struct prototype *types = provider_types_of(function);

	return types ? prototypes_value_name(types, 0, value) : NULL;
}

/* Calls take for each enumerator that a function returns, until it answers false. */
static void each_value(bool (*take)(const struct prototype_value *value, void *data), void *data)
{
	for (uint32_t i = 0; i < nfiles; i++) {
		for (uint32_t j = 0; j < files[i].nfunctions; j++) {
			const struct prototype_enum *values = files[i].functions[j].params->values;

			for (uint32_t k = 0; values && k < values->count; k++)
				if (!take(&values->values[k], data))
					return;
		}
	}
}

struct wanted {
	const char *name;
	int64_t value;
	bool found, differs;
};

static bool take_value(const struct prototype_value *value, void *data)
{
	struct wanted *wanted = data;

	if (strcmp(value->name, wanted->name))
		return true;
	wanted->differs = wanted->found && wanted->value != value->value;
	wanted->found = true;
	wanted->value = value->value;
	return !wanted->differs;
}

bool provider_types_value(const char *name, int32_t *value)
{
	struct wanted wanted = { .name = name };

	each_value(take_value, &wanted);
	*value = (int32_t)wanted.value;
	return wanted.found && !wanted.differs && wanted.value == *value;
}

/* The nearer of two, one after the other. */
static bool take_near(const struct prototype_value *value, void *data)
{
	const char **names = data;
	const char *near;

	names[1] = value->name;
	near = cuaudit_nearest(names[3], names);
	if (near)
		names[0] = near;
	return true;
}

const char *provider_types_near(const char *name)
{
	/* The nearest yet, another, their end, and what is looked for. */
	const char *names[4] = { "", NULL, NULL, name };

	each_value(take_near, names);
	return *names[0] ? names[0] : NULL;
}

size_t provider_types_text(const struct cuaudit_function *function, char *buffer, size_t size)
{
	const struct prototype *types = provider_types_of(function);

	for (int enums = 1; types && enums >= 0; enums--) {
		struct buffer out = { buffer, size, 0 };

		prototypes_write(&out, types, enums);
		if (buffer_end(&out) < size)
			return out.length;
	}
	return 0;
}
