/* SPDX-License-Identifier: Apache-2.0 */
/* The names of enumerators and of kinds of handles. */
/*
 * Here as in structs.c and rows.c, lists and texts are members of one
 * structure each and found by their offsets: a table without pointers needs
 * no relocation.
 */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "print/numbers.h"
#include "util/globs.h"

#define ENUM(type)
#define ENUM_END(type)
#define ENUM_ALIAS(alias, type)
#define FLAGSET(type)
#define ENUMERATOR(type, name, value) char text_##name[sizeof(#name)];
static const struct texts {
#include <cuaudit/driver_enums.def>
#include <cuaudit/runtime_enums.def>
#include <cuaudit/driver_params.def>
#define FLAGSET(type)
#define ENUM_END(type)
#define ENUMERATOR(type, name, value) #name,
} texts = {
#include <cuaudit/driver_enums.def>
#include <cuaudit/runtime_enums.def>
#include <cuaudit/driver_params.def>
};
#undef ENUM

struct enumerator {
	uint32_t value;
	uint32_t text;
};

#define ENUM(type) struct enumerator of_##type[0
#define FLAGSET(type) ENUM(type)
#define ENUMERATOR(type, name, value) + 1
#define ENUM_END(type) ];
static const struct lists {
#include <cuaudit/driver_enums.def>
#include <cuaudit/runtime_enums.def>
#include <cuaudit/driver_params.def>
#undef ENUM
#define ENUM(type) {
#define FLAGSET(type) {
#define ENUMERATOR(type, name, value) { (uint32_t)(value), offsetof(struct texts, text_##name) },
#define ENUM_END(type) },
} lists = {
#include <cuaudit/driver_enums.def>
#include <cuaudit/runtime_enums.def>
#include <cuaudit/driver_params.def>
};
#undef ENUM

#define LIST(type, is_flagset) \
	{ offsetof(struct lists, of_##type) / sizeof(struct enumerator), \
	  sizeof(((struct lists *)0)->of_##type) / sizeof(struct enumerator), is_flagset },
#define ENUM(type) LIST(type, false)
#define FLAGSET(type) LIST(type, true)
#define ENUMERATOR(type, name, value)
#define ENUM_END(type)
static const struct {
	uint16_t first, count;
	bool flagset;
} enums[] = {
#include <cuaudit/driver_enums.def>
#include <cuaudit/runtime_enums.def>
#include <cuaudit/driver_params.def>
};

#define HANDLE_KIND(word) #word,
static const char words[][16] = {
	"",
#include <cuaudit/driver_params.def>
};

/* The longest list of flags: a byte behind each name, and other bits as a number. */
#undef ENUM
#undef FLAGSET
#undef ENUMERATOR
#undef ENUM_END
#undef HANDLE_KIND
#define ENUM(type) char of_##type[1 + 0 * (0
#define FLAGSET(type) char of_##type[1 + 1 * (0
#define ENUMERATOR(type, name, value) + sizeof(#name)
#define ENUM_END(type) )];
union widest {
#include <cuaudit/driver_enums.def>
#include <cuaudit/runtime_enums.def>
#include <cuaudit/driver_params.def>
};
static_assert(sizeof(union widest) + sizeof("0xffffffffffffffff") <= PRINT_FLAGS_MOST,
	      "a list of flags is longer than its readers expect");

static const struct enumerator *enumerators(uint32_t number)
{
	return (const struct enumerator *)&lists + enums[number].first;
}

const char *print_enumerator(uint32_t number, uint32_t value)
{
	const struct enumerator *all = enumerators(number);

	for (uint32_t i = 0; i < enums[number].count; i++)
		if (all[i].value == value)
			return (const char *)&texts + all[i].text;
	return NULL;
}

const char *print_enumerator_at(uint32_t number, uint32_t index)
{
	return index < enums[number].count ? (const char *)&texts + enumerators(number)[index].text : NULL;
}

bool print_flagset(uint32_t number)
{
	return enums[number].flagset;
}

const char *print_handle_word(uint32_t kind)
{
	return words[kind];
}

const struct print_value print_result = NAMED(CUresult, CUresult);

bool print_is_runtime(const char *function)
{
	static const char names[] = PRINT_RUNTIME;

	return function && glob_matches(names, sizeof(names) - 1, function + strspn(function, "_"));
}

const struct print_value *print_result_of(const char *function)
{
	static const struct print_value runtime = NAMED(CUresult, cudaError);

	return print_is_runtime(function) ? &runtime : &print_result;
}
