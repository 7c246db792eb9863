/* SPDX-License-Identifier: Apache-2.0 */
/* Finds kernels, their parameters and variables in PTX text; runs nothing of it. */
#include "sim/image.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { NEWEST_PTX = 90 };

struct text {
	const char *at;
	const char *end;
};

struct token {
	const char *at;
	size_t length;
};

/* A declaration: .align, type, name and dimensions. */
struct variable {
	struct token name;
	size_t align;
	size_t size;
	bool managed;
	char stop;	/* what ended it: one of ,);= or 0 */
};

static void skip(struct text *t)
{
	while (t->at < t->end) {
		if (isspace((unsigned char)*t->at)) {
			t->at++;
		} else if (t->end - t->at > 1 && !memcmp(t->at, "//", 2)) {
			while (t->at < t->end && *t->at != '\n')
				t->at++;
		} else if (t->end - t->at > 1 && !memcmp(t->at, "/*", 2)) {
			t->at += 2;
			while (t->end - t->at > 1 && memcmp(t->at, "*/", 2))
				t->at++;
			t->at += t->end - t->at > 1 ? 2 : t->end - t->at;
		} else {
			break;
		}
	}
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || strchr("_$.%", c);
}

/* A word, a string or a single sign; false at the end. */
static bool next(struct text *t, struct token *token)
{
	skip(t);
	token->at = t->at;
	if (t->at == t->end)
		return false;
	if (*t->at == '"') {
		for (t->at++; t->at < t->end && *t->at != '"'; t->at++)
			;
		t->at += t->at < t->end;
	} else if (!is_word(*t->at)) {
		t->at++;
	} else {
		while (t->at < t->end && is_word(*t->at))
			t->at++;
	}
	token->length = (size_t)(t->at - token->at);
	return true;
}

static bool is(const struct token *token, const char *word)
{
	return token->length == strlen(word) &&
	       !memcmp(token->at, word, token->length);
}

/* Bytes of .u32 and its like, of .v2 and .v4 as a factor; 0: no such thing. */
static size_t type_size(const struct token *token)
{
	char *end;
	long bits;

	if (token->length < 3 || !strchr("bfsuv", token->at[1]))
		return is(token, ".pred") ? 1 : 0;
	bits = strtol(token->at + 2, &end, 10);
	if (token->at[1] == 'v')
		return bits == 2 || bits == 4 ? (size_t)bits : 0;
	return bits == 8 || bits == 16 || bits == 32 || bits == 64 ||
	       bits == 128 ? (size_t)bits / 8 : 0;
}

static bool number(struct text *t, size_t *value)
{
	struct text before = *t;
	struct token token;

	if (next(t, &token) && isdigit((unsigned char)*token.at)) {
		*value = strtoull(token.at, NULL, 0);
		return true;
	}
	*t = before;
	return false;
}

static void variable(struct text *t, struct variable *v)
{
	struct token token;
	size_t value;

	*v = (struct variable){ .size = 1 };
	while (next(t, &token)) {
		if (is(&token, ".align")) {
			number(t, &v->align);
		} else if (is(&token, ".attribute")) {
			while (next(t, &token) && !is(&token, ")"))
				v->managed |= is(&token, ".managed");
		} else if (is(&token, "[")) {
			if (number(t, &value))
				v->size *= value;
		} else if (strchr(",);=", *token.at)) {
			v->stop = *token.at;
			break;
		} else if (*token.at == '.' && (value = type_size(&token))) {
			v->size *= value;
			if (v->align < v->size)
				v->align = v->size;
		} else if (*token.at != '.' && is_word(*token.at)) {
			v->name = token;
		}
	}
	if (!v->align)
		v->align = 1;
}

static size_t align_up(size_t value, size_t align)
{
	return (value + align - 1) / align * align;
}

/* From after .entry to the end of its parameters. */
static CUresult entry(struct text *t, struct image *image)
{
	struct image_function *function;
	struct image_param *param;
	struct token token;
	struct variable v;
	struct text before;
	size_t offset = 0;

	if (!next(t, &token) || !is_word(*token.at))
		return CUDA_ERROR_INVALID_PTX;
	function = image_function(image, token.at, token.length);
	if (!function)
		return CUDA_ERROR_OUT_OF_MEMORY;
	before = *t;
	if (!next(t, &token) || !is(&token, "(")) {
		*t = before;
		return CUDA_SUCCESS;
	}
	do {
		variable(t, &v);
		if (!v.name.at)
			break;
		param = image_param(function);
		if (!param)
			return CUDA_ERROR_OUT_OF_MEMORY;
		offset = align_up(offset, v.align);
		param->offset = offset;
		param->size = v.size;
		offset += v.size;
	} while (v.stop == ',');
	return v.stop == ')' ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX;
}

static CUresult global(struct text *t, struct image *image, bool external)
{
	struct image_global *g;
	struct variable v;
	struct token token;

	variable(t, &v);
	if (!v.name.at)
		return CUDA_ERROR_INVALID_PTX;
	while (v.stop == '=' && next(t, &token))
		if (is(&token, ";"))
			v.stop = ';';
	if (v.stop != ';')
		return CUDA_ERROR_INVALID_PTX;
	if (external)
		return CUDA_SUCCESS;
	g = image_global(image, v.name.at, v.name.length);
	if (!g)
		return CUDA_ERROR_OUT_OF_MEMORY;
	g->size = v.size;
	g->managed = v.managed;
	return CUDA_SUCCESS;
}

static CUresult version(struct text *t)
{
	struct token token;
	unsigned long major, minor = 0;
	char *end;

	if (!next(t, &token) || !isdigit((unsigned char)*token.at))
		return CUDA_ERROR_INVALID_PTX;
	major = strtoul(token.at, &end, 10);
	if (*end == '.')
		minor = strtoul(end + 1, NULL, 10);
	return major * 10 + minor > NEWEST_PTX ?
		CUDA_ERROR_UNSUPPORTED_PTX_VERSION : CUDA_SUCCESS;
}

static unsigned int threads(struct text *t)
{
	size_t product = 1, value;
	struct text before;
	struct token token;

	while (number(t, &value)) {
		product *= value;
		before = *t;
		if (!next(t, &token) || !is(&token, ",")) {
			*t = before;
			break;
		}
	}
	return (unsigned int)product;
}

CUresult ptx_read(const char *data, size_t size, struct image *image)
{
	struct text t = { data, data + strnlen(data, size) };
	struct image_function *function = NULL;
	bool versioned = false, external = false;
	CUresult rc = CUDA_SUCCESS;
	struct token token;
	struct variable v;
	int depth = 0;

	while (!rc && depth >= 0 && next(&t, &token)) {
		if (is(&token, ".version")) {
			rc = version(&t);
			versioned = true;
		} else if (is(&token, ".entry")) {
			rc = entry(&t, image);
			function = image->functions + image->nfunctions - 1;
		} else if (is(&token, ".maxntid") || is(&token, ".reqntid")) {
			if (function)
				function->max_threads = threads(&t);
		} else if (!depth && (is(&token, ".global") ||
				      is(&token, ".const"))) {
			rc = global(&t, image, external);
			external = false;
		} else if (is(&token, ".shared") && depth && function) {
			variable(&t, &v);
			function->shared = align_up(function->shared, v.align);
			function->shared += v.size;
		} else if (is(&token, ".func")) {
			function = NULL;
		} else if (is(&token, ".extern")) {
			external = true;
		} else if (is(&token, ";")) {
			external = false;
		} else {
			depth += is(&token, "{") - is(&token, "}");
		}
	}
	if (!rc && (!versioned || depth))
		rc = CUDA_ERROR_INVALID_PTX;
	return rc;
}
