/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of facts that have few words: another one would be a fact that no run has. */
#include "analysis/baseline_word.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/baseline_route.h"
#include "print/print.h"
#include "print/table.h"
#include "tracefile/copy.h"
#include "util/nearest.h"

enum { NAMES = 512 };

static bool has(const char *const *words, size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(words[i], word))
			return true;
	return false;
}

/* near: the word that may have been meant; NULL: what says what there is. */
static bool refuse(char wrong[BASELINE_WRONG], const char *what, const char *near)
{
	int kind = (int)strcspn(what, ",:");

	if (near)
		snprintf(wrong, BASELINE_WRONG, "is no %.*s; did you mean %s?", kind, what, near);
	else
		snprintf(wrong, BASELINE_WRONG, "is no %s", what);
	return false;
}

static bool is_route(const char *word, char wrong[BASELINE_WRONG])
{
	return has(baseline_routes, BASELINE_ROUTES, word) || refuse(wrong, "route: " BASELINE_ROUTE_WORDS, NULL);
}

static bool is_direction(const char *word, char wrong[BASELINE_WRONG])
{
	static const char *const directions[] = {
#define DIRECTION(NAME, number, text, label) [number] = text,
#include "tables/facts.def"
		[COPY_DIRECTIONS] = NULL,
	};

	return has(directions, COPY_DIRECTIONS, word) ||
	       refuse(wrong, "direction, such as HtoD or DtoH", nearest(word, strlen(word), directions));
}

/* Of a number that the tables have no name of it is the number, as it is printed. */
static const char *nearest_result(const char *word, const char *function, char text[PRINT_RESULT])
{
	uint32_t number = print_result_of(function)->detail;
	const char *prefix = print_is_runtime(function) ? "cudaError" : "CUDA_ERROR_", *names[NAMES + 1], *near;
	size_t skip = strncasecmp(word, prefix, 4) ? strlen(prefix) : 0;
	size_t count = 0;
	char *end;
	long value = strtol(word, &end, 10);

	if (end != word && !*end)
		return value && value >= INT32_MIN && value <= INT32_MAX ?
		       print_result_text(text, function, (int32_t)value) : NULL;
	for (uint32_t i = 0; count < NAMES && print_enumerator_at(number, i); i++) {
		const char *name = print_enumerator_at(number, i);

		if (!strncmp(name, prefix, skip) && name != print_enumerator(number, 0))
			names[count++] = name + skip;
	}
	names[count] = NULL;
	near = nearest(word, strlen(word), names);
	return near ? near - skip : NULL;
}

static bool is_result(const char *word, const char *function, char wrong[BASELINE_WRONG])
{
	char text[PRINT_RESULT];
	const char *near = nearest_result(word, function, text);

	return (near && !strcmp(near, word)) ||
	       refuse(wrong, print_is_runtime(function) ? "error, such as cudaErrorInvalidValue" :
							  "error, such as CUDA_ERROR_INVALID_VALUE", near);
}

bool baseline_word(const char *kind, size_t field, const char *word, const char *function,
		   char wrong[BASELINE_WRONG])
{
	if (field == 3 && !strcmp(kind, "routes"))
		return is_route(word, wrong);
	if (field == 3 && !strcmp(kind, "errors"))
		return is_result(word, function, wrong);
	if (field == 2 && (!strcmp(kind, "bytes") || !strcmp(kind, "unsized")))
		return is_direction(word, wrong);
	return true;
}
