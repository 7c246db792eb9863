/* SPDX-License-Identifier: Apache-2.0 */
/* The structures behind parameters, field by field. */
#include <stddef.h>

#include "print/numbers.h"

#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)

/* A line of the file is a member. */
#define TEXT_HERE JOIN(text_, __LINE__)

#define MEMBER(type, path, value, when) char TEXT_HERE[sizeof(#path)];
#define MEMBER_ARRAY(type, path, value, when, length) char TEXT_HERE[sizeof(#path)];
static const struct texts {
#include <cuaudit/driver_params.def>
#define MEMBER(type, path, value, when) #path,
#define MEMBER_ARRAY(type, path, value, when, length) #path,
} texts = {
#include <cuaudit/driver_params.def>
};

#define SHAPE(type) struct print_member of_##type[0
#define MEMBER(type, path, value, when) + 1
#define MEMBER_ARRAY(type, path, value, when, length) + 1
#define SHAPE_END(type, partial) ];
static const struct lists {
#include <cuaudit/driver_params.def>
#define ALWAYS .when = false
#define WHEN(type, path, enumerator) \
	.when = true, .when_at = offsetof(type, path), .when_value = (uint32_t)(enumerator)
#define SHAPE(type) {
#define MEMBER(type, path, what, when) { \
	.text = offsetof(struct texts, TEXT_HERE), .value = what, .at = offsetof(type, path), \
	.bytes = sizeof(((type *)0)->path), when },
#define MEMBER_ARRAY(type, path, what, when, length) { \
	.text = offsetof(struct texts, TEXT_HERE), .value = what, .at = offsetof(type, path), \
	.length_at = offsetof(type, length), .length_size = sizeof(((type *)0)->length), when },
#define SHAPE_END(type, partial) },
} lists = {
#include <cuaudit/driver_params.def>
};

#define SHAPE_END(type, partial) \
	{ offsetof(struct lists, of_##type) / sizeof(struct print_member), \
	  sizeof(((struct lists *)0)->of_##type) / sizeof(struct print_member), partial },
static const struct {
	uint16_t first, count;
	bool partial;
} structs[] = {
#include <cuaudit/driver_params.def>
};

#define SHAPE(type) \
	_Static_assert(sizeof(type) <= PRINT_ELEMENT, "PRINT_ELEMENT is too small for a " #type);
#include <cuaudit/driver_params.def>

struct print_struct print_struct_get(uint32_t number)
{
	return (struct print_struct){
		.members = (const struct print_member *)&lists + structs[number].first,
		.count = structs[number].count,
		.partial = structs[number].partial,
	};
}

const char *print_member_name(const struct print_member *member)
{
	return (const char *)&texts + member->text;
}
