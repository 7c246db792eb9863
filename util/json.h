/* SPDX-License-Identifier: Apache-2.0 */
/* JSON texts, RFC 8259, as a tree. */
#ifndef UTIL_JSON_H
#define UTIL_JSON_H

#include <stddef.h>
#include <stdint.h>

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* Of an array or object the first value that it holds. */
struct json_value {
	enum json_kind kind;
	const char *key;	/* of a member; NULL: of none */
	const char *text;	/* of a string its bytes, up to a NUL in it; else as it was written */
	size_t length;		/* of the value as it was written, from raw on */
	const char *raw;
	struct json_value *first, *next;
};

struct json;	/* values and their texts */

enum { JSON_DEPTH = 64 };

/*
 * Reads one value at text, which ends with a NUL; *end is behind it and the white space that
 * follows. *json, NULL at first, gets the memory, until json_free. NULL: it is none, or is
 * nested deeper than JSON_DEPTH, or memory is out.
 */
struct json_value *json_read(struct json **json, const char *text, const char **end);

/* The member of an object by its key; NULL: there is none, or value is NULL or no object. */
const struct json_value *json_get(const struct json_value *value, const char *key);

/* The text of a member that is a string; NULL for others. */
const char *json_text(const struct json_value *value, const char *key);

/* A member that is a whole number, or a string of one as "0x1f"; otherwise for others. */
uint64_t json_number(const struct json_value *value, const char *key, uint64_t otherwise);

void json_free(struct json *json);

#endif
