/* SPDX-License-Identifier: Apache-2.0 */
/* What a function does to objects: facts.def, by the table's rows. */
#include "hooks/modules/leak/leak_rule.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include <cuaudit/cuda_types.h>
#include <cuaudit/params.h>

#include "tables/array.h"
#include "util/signals.h"

enum { PARAMETERS = 24 };

enum {
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, n, params) \
	ROW_##id,
#include <cuaudit/driver_api.def>
#undef CUAPI
	ROWS
};

struct leak_rule leak_rules[ROWS];

/* Held with signals blocked, as that of leak_object.c. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const struct {
	const char *type;
	uint8_t space;
	uint8_t bytes;
} types[] = {
#define SPACE(name, type) { #type, LEAK_##name, sizeof(type) },
#define TYPE(type, space) { #type, LEAK_##space, sizeof(type) },
#include "tables/facts.def"
};

static const struct {
	const char *text;
	uint8_t space;
} kinds[] = {
#define KIND(name, text, space, memory) [LEAK_KIND_##name] = { text, LEAK_##space },
#include "tables/facts.def"
};

const char *leak_kind_text(uint8_t kind)
{
	return kinds[kind].text;
}

enum leak_space leak_kind_space(uint8_t kind)
{
	return kinds[kind].space;
}

struct row {
	const char *base;
	struct cuaudit_param parameters[PARAMETERS];
	size_t count;
};

/* The type behind any const and star: how long it is, and where it begins. */
static size_t plain_type(const char **type)
{
	static const char before[] = "const ";
	size_t length;

	if (!strncmp(*type, before, sizeof(before) - 1))
		*type += sizeof(before) - 1;
	length = strcspn(*type, "*");
	while (length && (*type)[length - 1] == ' ')
		length--;
	return length;
}

static bool of_type(const struct cuaudit_param *parameter, const char *type)
{
	const char *plain = parameter->type;
	size_t length = plain_type(&plain);

	return strlen(type) == length && !memcmp(plain, type, length);
}

static bool is_pointer(const struct cuaudit_param *parameter)
{
	size_t length = strlen(parameter->type);

	return length && parameter->type[length - 1] == '*';
}

/* How the parameter holds a handle of the space, if it does. */
static bool holds(const struct cuaudit_param *parameter, enum leak_space space,
		  struct leak_word *found)
{
	size_t i = 0, ntypes = sizeof(types) / sizeof(types[0]);

	*found = (struct leak_word){ .space = (uint8_t)space, .word = (uint8_t)parameter->word,
				     .bytes = sizeof(void *), .pointer = is_pointer(parameter) };
	if (space == LEAK_HOST) {
		found->pointer = parameter->direction == CUAUDIT_OUT;
		return of_type(parameter, "void") &&
		       (found->pointer || parameter->direction == CUAUDIT_ADDRESS);
	}
	while (i < ntypes && (types[i].space != space || !of_type(parameter, types[i].type)))
		i++;
	if (i == ntypes)
		return false;
	found->bytes = types[i].bytes;
	return true;
}

/* The parameter of that name, or the first one that is an output or is none, if it holds a handle. */
static struct leak_word find(const struct row *row, enum leak_space space, const char *name,
			     bool out)
{
	struct leak_word found;

	for (size_t i = 0; i < row->count; i++) {
		const struct cuaudit_param *parameter = &row->parameters[i];
		bool wanted = name ? !strcmp(parameter->name, name) :
				     (parameter->direction == CUAUDIT_OUT) == out;

		if (wanted && holds(parameter, space, &found))
			return found;
	}
	return (struct leak_word){ .space = (uint8_t)space, .word = LEAK_NO_WORD };
}

static const struct cuaudit_param *parameter_of(const struct row *row, const char *name)
{
	for (size_t i = 0; i < row->count; i++)
		if (!strcmp(row->parameters[i].name, name))
			return &row->parameters[i];
	return NULL;
}

static uint8_t named(const struct row *row, const char *name)
{
	const struct cuaudit_param *parameter = parameter_of(row, name);

	return parameter ? (uint8_t)parameter->word : LEAK_NO_WORD;
}

/* Whether it is, or leads to, a size of 32 bits or a structure with such sizes. */
static bool is_narrow(const struct cuaudit_param *parameter)
{
	const char *plain = parameter->type;
	size_t length = plain_type(&plain);

	return of_type(parameter, "unsigned int") ||
	       (length > 3 && !memcmp(plain + length - 3, "_v1", 3));
}

static void allocates(const struct row *row, struct leak_rule *rule, enum leak_kind kind,
		      const char *handle, enum leak_parent parent, enum leak_again again,
		      enum leak_size how, const char *size)
{
	rule->action = LEAK_ALLOCATES;
	rule->kind = (uint8_t)kind;
	rule->parent = (uint8_t)parent;
	rule->again = (uint8_t)again;
	rule->object = find(row, leak_kind_space(rule->kind), handle, true);
	if (parent < LEAK_PARENT_NONE)
		rule->parent_word = find(row, (enum leak_space)parent, NULL, false).word;
	rule->count_word = named(row, "initialRefcount");
	rule->device_word = kind == LEAK_KIND_PRIMARY ? named(row, "dev") : LEAK_NO_WORD;
	if (how == LEAK_SIZE_NONE)
		return;
	rule->size = (uint8_t)how;
	rule->size_words[0] = named(row, size);
	rule->size_words[1] = named(row, "Height");
	rule->levels_word = named(row, "numMipmapLevels");
	rule->narrow = is_narrow(parameter_of(row, size));
}

static void show(const struct row *row, struct leak_rule *rule, enum leak_space space)
{
	/* Those that come in arrays. */
	if (space == LEAK_NODE || space == LEAK_FUNCTION)
		rule->shows_all = (uint8_t)(space + 1);
	else if (space != LEAK_CONTEXT)
		rule->shows = find(row, space, NULL, true);
}

/* Some or all of its claims, or one more. */
static void claims(const struct row *row, struct leak_rule *rule, enum leak_action action,
		   enum leak_space space, const char *handle)
{
	rule->action = (uint8_t)action;
	rule->count_word = named(row, "count");
	rule->size_words[0] = named(row, "size");
	if (action == LEAK_FREES_PRIMARY || action == LEAK_FREES_RESET)
		rule->device_word = named(row, handle);
	else
		rule->object = find(row, space, handle, false);
}

static void pair(const struct row *row, struct leak_rule *rule, enum leak_space one,
		 enum leak_space other)
{
	rule->pair[0] = find(row, one, NULL, false);
	rule->pair[1] = find(row, other, NULL, false);
}

static void locates(const struct row *row, struct leak_rule *rule, enum leak_place place, const char *parameter)
{
	rule->place_word = named(row, parameter);
	rule->place = rule->place_word == LEAK_NO_WORD ? LEAK_PLACE_NONE : (uint8_t)place;
}

/* Handles by value that are not what the function allocates or frees. */
static void find_uses(const struct row *row, struct leak_rule *rule, uint64_t asked)
{
	for (size_t i = 0; i < row->count && rule->nuses < LEAK_USES; i++) {
		const struct cuaudit_param *parameter = &row->parameters[i];
		struct leak_word found;

		if (parameter->direction != CUAUDIT_VALUE)
			continue;
		for (int space = 0; space < LEAK_SPACES; space++) {
			if (space == LEAK_RESERVED || asked >> space & 1 ||
			    !holds(parameter, (enum leak_space)space, &found))
				continue;
			if (rule->object.word == found.word && rule->action >= LEAK_FREES_ONE)
				continue;
			rule->uses[rule->nuses++] = found;
			break;
		}
	}
}

/* One row against all of facts.def. */
static void apply(const struct row *row, struct leak_rule *rule)
{
	const char *is_base = row->base;
	uint64_t asked = 0;

	rule->object.word = rule->shows.word = rule->shares.word = rule->pair[0].word = LEAK_NO_WORD;
	rule->count_word = rule->device_word = rule->parent_word = rule->place_word = LEAK_NO_WORD;
#define BASE(name) if (!strcmp(is_base, #name))
#define ALLOCATES(base, kind, handle, parent, again) \
	SIZED(base, kind, handle, parent, again, NONE, none)
#define SIZED(base, kind, handle, parent, again, how, size) \
	BASE(base) allocates(row, rule, LEAK_KIND_##kind, #handle, LEAK_PARENT_##parent, \
			     LEAK_##again, LEAK_SIZE_##how, #size);
#define SHOWS(base, space) BASE(base) show(row, rule, LEAK_##space);
#define FREES(base, space, handle, how) \
	BASE(base) claims(row, rule, LEAK_FREES_##how, LEAK_##space, #handle);
#define SHARES(base, space, handle) \
	BASE(base) rule->shares = find(row, LEAK_##space, #handle, false);
#define LOCATED(base, how, parameter) \
	BASE(base) locates(row, rule, LEAK_PLACE_##how, #parameter);
#define CLAIMS(base, space, handle) \
	BASE(base) claims(row, rule, LEAK_CLAIMS, LEAK_##space, #handle);
#define ASKS(base, space) BASE(base) asked |= (uint64_t)1 << LEAK_##space;
#define SAME_CONTEXT(base, one, other) BASE(base) pair(row, rule, LEAK_##one, LEAK_##other);
#include "tables/facts.def"
#undef BASE
	find_uses(row, rule, asked);
	rule->at_exit = rule->action || rule->shows_all ||
			rule->shows.word != LEAK_NO_WORD || rule->pair[0].word != LEAK_NO_WORD;
	rule->any = rule->at_exit || rule->nuses;
}

const struct leak_rule *leak_rule_make(const struct cuaudit_function *function)
{
	struct row row = { .base = function->base };
	struct leak_rule *rule = &leak_rules[function->id];
	sigset_t saved;

	while (row.count < PARAMETERS &&
	       !cuaudit_param_get(function, (uint32_t)row.count, &row.parameters[row.count]))
		row.count++;
	signals_block(&saved);
	pthread_mutex_lock(&lock);
	if (!atomic_load_explicit(&rule->ready, memory_order_relaxed)) {
		apply(&row, rule);
		/* Pairs with leak_rule. */
		atomic_store_explicit(&rule->ready, 1, memory_order_release);
	}
	pthread_mutex_unlock(&lock);
	signals_restore(&saved);
	return rule;
}

void leak_rule_forked(void)
{
	pthread_mutex_init(&lock, NULL);
}

uint64_t leak_word_ask(const struct cuaudit_call *call, struct leak_word word)
{
	uint64_t handle = 0;

	if (word.word == LEAK_NO_WORD || !word.pointer)
		return leak_word_get(call, word);
	if (cuaudit_safe_read((const void *)(uintptr_t)call->words[word.word], &handle,
			      word.bytes == sizeof(uint32_t) ? sizeof(uint32_t) : sizeof(handle)))
		return 0;
	return handle;
}

uint64_t leak_word_get(const struct cuaudit_call *call, struct leak_word word)
{
	const void *at;

	if (word.word == LEAK_NO_WORD)
		return 0;
	at = &call->words[word.word];
	if (word.pointer)
		at = (const void *)(uintptr_t)call->words[word.word];
	if (!at)
		return 0;
	/* The upper half of a word that holds 32 bits may be anything. */
	return word.bytes == sizeof(uint32_t) ? *(const uint32_t *)at : *(const uint64_t *)at;
}

static const void *size_pointer(const struct cuaudit_call *call, const struct leak_rule *rule)
{
	uint8_t at = rule->size_words[0];

	return at == LEAK_NO_WORD ? NULL : (const void *)(uintptr_t)call->words[at];
}

static uint64_t array_size(const void *at, enum array_form form, uint32_t levels)
{
	CUDA_ARRAY3D_DESCRIPTOR array = array_describe(at, form);
	uint64_t bytes;

	return array_bytes(&array, levels, &bytes) ? bytes : LEAK_UNSIZED;
}

static uint32_t levels_of(const struct cuaudit_call *call, const struct leak_rule *rule)
{
	return rule->levels_word == LEAK_NO_WORD ? 1 : (uint32_t)call->words[rule->levels_word];
}

uint64_t leak_rule_size(const struct cuaudit_call *call, const struct leak_rule *rule)
{
	const void *at = size_pointer(call, rule);
	uint64_t value = (uint64_t)(uintptr_t)at;

	switch (rule->size) {
	case LEAK_SIZE_BYTES:
		return rule->narrow ? (uint32_t)value : value;
	case LEAK_SIZE_ARRAY:
		return at ? array_size(at, rule->narrow ? ARRAY_FLAT_V1 : ARRAY_FLAT, 1) : 0;
	case LEAK_SIZE_ARRAY3D:
		return at ? array_size(at, rule->narrow ? ARRAY_CUBE_V1 : ARRAY_CUBE,
				       levels_of(call, rule)) : 0;
	case LEAK_SIZE_BUFFER:
		return at ? ((const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *)at)->size : 0;
	case LEAK_SIZE_MULTICAST:
		return at ? ((const CUmulticastObjectProp *)at)->size : 0;
	case LEAK_SIZE_PITCH:
	case LEAK_SIZE_REGION:
		if (!at)
			return 0;
		value = rule->narrow ? *(const uint32_t *)at : *(const uint64_t *)at;
		if (rule->size == LEAK_SIZE_REGION)
			return value;
		return value * (rule->narrow ? (uint32_t)call->words[rule->size_words[1]] :
				call->words[rule->size_words[1]]);
	default:
		return 0;
	}
}
