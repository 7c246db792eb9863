/* SPDX-License-Identifier: Apache-2.0 */
/* Types of functions that are in no table: the files of cuaudit-types(5). */
#ifndef PRINT_PROTOTYPES_H
#define PRINT_PROTOTYPES_H

#include <stddef.h>
#include <stdint.h>

#include "print/table.h"
#include "util/buffer.h"

#define TYPES_MAGIC "cuaudit-types"

enum { TYPES_VERSION = 1, TYPES_CLASSES = 4 };

struct prototype_value {
	const char *name;
	int64_t value;
};

struct prototype_enum {
	const char *name;
	const struct prototype_value *values;
	uint32_t count;
};

/* kind: 'i', 'u', 'b', 'f' and 'e' of size bytes, 'm' a structure, 'p' a pointer, 's' a string, 'v' void, '?' another. */
struct prototype_param {
	const char *name, *type;	/* the result has no name */
	const struct prototype_enum *values;
	uint32_t size;
	char kind;
	char classes[TYPES_CLASSES + 1];	/* of 'm' in registers, 'i' or 'f' each; "": in memory */
};

struct prototype {
	const char *name;
	const struct prototype_param *params;	/* the result, and nparams of them */
	uint32_t nparams;
	bool open;	/* others follow, of which nothing is said */
};

/* One file, all sorted by name. */
struct prototypes {
	struct prototype *functions;
	struct prototype_enum *enums;
	uint32_t nfunctions, nenums;
	uint32_t line;	/* where the fault is */
};

/* Bytes of room that prototypes_read takes for that text. */
size_t prototypes_room(const char *text, size_t length);

/*
 * Reads a file, or with headless what prototypes_write wrote. NULL, or what is wrong with it. text
 * (ended by a NUL) and room stay in use.
 */
const char *prototypes_read(struct prototypes *types, char *text, size_t length, void *room, bool headless);

/* Context: call. NULL: the file has none of that name. */
const struct prototype *prototypes_find(const struct prototypes *types, const char *name);

/* A function as the lines of a file; enums: with the enumerations that it needs. */
void prototypes_write(struct buffer *out, const struct prototype *function, bool enums);

/* Context: call. A parameter as one of a row, which begins in that word. */
struct print_param prototypes_param(const struct prototype *function, uint32_t index, uint8_t word);

/* What stands for the parameters behind these, of which nobody knows more than that there may be some. */
extern const struct print_param prototypes_others;

/* Context: call. Its result as such a parameter, without its word; false: there is none, or it is not known. */
bool prototypes_result(const struct prototype *function, struct print_param *result);

/* Context: call. The name of a value of the result, 0, or of a parameter, from 1; NULL: none. */
const char *prototypes_value_name(const struct prototype *function, uint32_t index, int64_t value);

#endif
