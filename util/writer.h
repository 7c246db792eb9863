/* SPDX-License-Identifier: Apache-2.0 */
/* JSON, member after member, with the commas where they belong. */
#ifndef UTIL_WRITER_H
#define UTIL_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "util/out.h"

struct writer {
	struct out *out;
	bool lines;	/* each object begins on one of its own */
	bool more;	/* a comma comes before the next member */
};

/* Keys are NULL in arrays. bracket is '{' or '[', '}' or ']'. */
void writer_begin(struct writer *json, const char *key, char bracket);
void writer_end(struct writer *json, char bracket);

/* An array of what is written for each i below count; nothing may leave it. */
#define WRITER_ARRAY(json, key, i, count) \
	for (size_t i = writer_array(json, key); i < (count) || writer_array_end(json); i++)

static inline size_t writer_array(struct writer *json, const char *key)
{
	writer_begin(json, key, '[');
	return 0;
}

static inline bool writer_array_end(struct writer *json)
{
	writer_end(json, ']');
	return false;
}

/* The same of objects, of which the members are written; nothing may go on to the next one. */
#define WRITER_OBJECTS(json, key, i, count) \
	for (size_t i = writer_array(json, key); writer_object(json, i, count); i++)

static inline bool writer_object(struct writer *json, size_t i, size_t count)
{
	if (i)
		writer_end(json, '}');
	if (i >= count)
		return writer_array_end(json);
	writer_begin(json, NULL, '{');
	return true;
}

void writer_number(struct writer *json, const char *key, uint64_t value);
void writer_signed(struct writer *json, const char *key, int64_t value);
void writer_flag(struct writer *json, const char *key, bool value);

void writer_null(struct writer *json, const char *key);

/* null unless it is known. */
void writer_known(struct writer *json, const char *key, uint64_t value, bool known);

/* NULL: null. */
void writer_text(struct writer *json, const char *key, const char *value);

/* A number that may be beyond 2^53, as a string. */
void writer_large(struct writer *json, const char *key, uint64_t value);

/* "0x" and digits, as a string. */
void writer_hex(struct writer *json, const char *key, uint64_t value);

/* Sixteen bytes, as a string. */
void writer_uuid(struct writer *json, const char *key, const uint8_t *uuid);

/* What is JSON already. */
void writer_raw(struct writer *json, const char *key, const char *value, size_t length);

#endif
