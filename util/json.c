/* SPDX-License-Identifier: Apache-2.0 */
/* JSON texts, RFC 8259, as a tree. */
#include "util/json.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A piece of memory; what it holds follows. */
struct json {
	struct json *before;
};

struct reader {
	struct json **memory;
	const char *at;
	int depth;
};

static void *take(struct reader *reader, size_t size)
{
	struct json *piece = calloc(1, sizeof(*piece) + size);

	if (!piece)
		return NULL;
	piece->before = *reader->memory;
	*reader->memory = piece;
	return piece + 1;
}

static void skip_space(struct reader *reader)
{
	reader->at += strspn(reader->at, " \t\r\n");
}

static bool word(struct reader *reader, const char *text)
{
	size_t length = strlen(text);

	if (strncmp(reader->at, text, length) != 0)
		return false;
	reader->at += length;
	return true;
}

/* Four hexadecimal digits; -1 for others. */
static long hex(const char *at)
{
	long value = 0;

	for (int i = 0; i < 4; i++) {
		char c = at[i];

		if (c >= '0' && c <= '9')
			value = value * 16 + c - '0';
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			value = value * 16 + (c | 32) - 'a' + 10;
		else
			return -1;
	}
	return value;
}

static char *put_utf8(char *to, unsigned long code)
{
	if (code < 0x80) {
		*to++ = (char)code;
	} else if (code < 0x800) {
		*to++ = (char)(0xc0 | code >> 6);
		*to++ = (char)(0x80 | (code & 63));
	} else if (code < 0x10000) {
		*to++ = (char)(0xe0 | code >> 12);
		*to++ = (char)(0x80 | (code >> 6 & 63));
		*to++ = (char)(0x80 | (code & 63));
	} else {
		*to++ = (char)(0xf0 | code >> 18);
		*to++ = (char)(0x80 | (code >> 12 & 63));
		*to++ = (char)(0x80 | (code >> 6 & 63));
		*to++ = (char)(0x80 | (code & 63));
	}
	return to;
}

/* What follows a backslash; false: nothing that may. */
static bool escape(const char **at, char **to)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *letter;
	long code, low;

	if (**at != 'u') {
		letter = **at ? strchr(letters, **at) : NULL;
		if (!letter)
			return false;
		*(*to)++ = meant[letter - letters];
		++*at;
		return true;
	}
	code = hex(*at + 1);
	if (code < 0)
		return false;
	*at += 5;
	if (code >= 0xd800 && code < 0xdc00 && (*at)[0] == '\\' && (*at)[1] == 'u') {
		low = hex(*at + 2);
		if (low >= 0xdc00 && low < 0xe000) {
			code = 0x10000 + (code - 0xd800) * 0x400 + low - 0xdc00;
			*at += 6;
		}
	}
	*to = put_utf8(*to, (unsigned long)code);
	return true;
}

/* Behind the opening quote; NULL: it does not end, or memory is out. */
static const char *string(struct reader *reader)
{
	const char *at = reader->at;
	char *text, *to;

	for (; *at != '"'; at++) {
		if ((unsigned char)*at < ' ')
			return NULL;
		if (*at == '\\' && !*++at)
			return NULL;
	}
	/* No escape is shorter than what it means. */
	text = to = take(reader, (size_t)(at - reader->at) + 1);
	if (!text)
		return NULL;
	for (at = reader->at; *at != '"';) {
		if (*at != '\\') {
			*to++ = *at++;
			continue;
		}
		at++;
		if (!escape(&at, &to))
			return NULL;
	}
	*to = '\0';
	reader->at = at + 1;
	return text;
}

static bool number(struct reader *reader)
{
	const char *at = reader->at;
	size_t digits;

	at += *at == '-';
	digits = strspn(at, "0123456789");
	if (!digits || (*at == '0' && digits > 1))
		return false;
	at += digits;
	if (*at == '.') {
		digits = strspn(at + 1, "0123456789");
		if (!digits)
			return false;
		at += 1 + digits;
	}
	if (*at == 'e' || *at == 'E') {
		at++;
		at += *at == '+' || *at == '-';
		digits = strspn(at, "0123456789");
		if (!digits)
			return false;
		at += digits;
	}
	reader->at = at;
	return true;
}

static struct json_value *value(struct reader *reader);

/* Behind the opening bracket. */
static bool list(struct reader *reader, struct json_value *of, char closing)
{
	struct json_value **last = &of->first;
	const char *key = NULL;

	skip_space(reader);
	if (*reader->at == closing) {
		reader->at++;
		return true;
	}
	for (;;) {
		skip_space(reader);
		if (of->kind == JSON_OBJECT) {
			if (*reader->at++ != '"' || !(key = string(reader)))
				return false;
			skip_space(reader);
			if (*reader->at++ != ':')
				return false;
		}
		*last = value(reader);
		if (!*last)
			return false;
		(*last)->key = key;
		last = &(*last)->next;
		skip_space(reader);
		if (*reader->at == closing) {
			reader->at++;
			return true;
		}
		if (*reader->at++ != ',')
			return false;
	}
}

static bool fill(struct reader *reader, struct json_value *into)
{
	switch (*reader->at) {
	case '{':
	case '[':
		into->kind = *reader->at == '{' ? JSON_OBJECT : JSON_ARRAY;
		reader->at++;
		return reader->depth < JSON_DEPTH &&
		       list(reader, into, into->kind == JSON_OBJECT ? '}' : ']');
	case '"':
		into->kind = JSON_STRING;
		reader->at++;
		into->text = string(reader);
		return into->text;
	case 't':
		into->kind = JSON_TRUE;
		return word(reader, "true");
	case 'f':
		into->kind = JSON_FALSE;
		return word(reader, "false");
	case 'n':
		return word(reader, "null");
	default:
		into->kind = JSON_NUMBER;
		return number(reader);
	}
}

static struct json_value *value(struct reader *reader)
{
	struct json_value *read = take(reader, sizeof(*read));
	bool good;

	skip_space(reader);
	if (!read)
		return NULL;
	read->raw = reader->at;
	reader->depth++;
	good = fill(reader, read);
	reader->depth--;
	read->length = (size_t)(reader->at - read->raw);
	return good ? read : NULL;
}

struct json_value *json_read(struct json **json, const char *text, const char **end)
{
	struct reader reader = { json, text, 0 };
	struct json_value *read = value(&reader);

	skip_space(&reader);
	*end = reader.at;
	return read;
}

const struct json_value *json_get(const struct json_value *of, const char *key)
{
	const struct json_value *member = of && of->kind == JSON_OBJECT ? of->first : NULL;

	while (member && strcmp(member->key, key) != 0)
		member = member->next;
	return member;
}

const char *json_text(const struct json_value *of, const char *key)
{
	const struct json_value *member = json_get(of, key);

	return member && member->kind == JSON_STRING ? member->text : NULL;
}

uint64_t json_number(const struct json_value *of, const char *key, uint64_t otherwise)
{
	const struct json_value *member = json_get(of, key);
	const char *text;
	char *end;
	uint64_t read;

	if (!member || (member->kind != JSON_NUMBER && member->kind != JSON_STRING))
		return otherwise;
	text = member->kind == JSON_STRING ? member->text : member->raw;
	if (*text < '0' || *text > '9')
		return otherwise;
	errno = 0;
	read = strtoull(text, &end, text[0] == '0' && text[1] == 'x' ? 16 : 10);
	if (errno || (member->kind == JSON_STRING ? *end != '\0' : end != member->raw + member->length))
		return otherwise;
	return read;
}

void json_free(struct json *json)
{
	while (json) {
		struct json *before = json->before;

		free(json);
		json = before;
	}
}
