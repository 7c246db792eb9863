/* SPDX-License-Identifier: Apache-2.0 */
/* Selectors: which functions a text names. */
#include "hooks/selector.h"

#include <cuaudit/api.h>
#include <fnmatch.h>
#include <string.h>

enum { PART = 256 };

static const struct {
	const char *name;
	uint32_t bit;
} classes[] = {
#define CLASS(name, text, summary) { text, CUAUDIT_CLASS_##name },
#include <cuaudit/classes.def>
#undef CLASS
};

uint32_t selector_class(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strlen(classes[i].name) == length && !memcmp(classes[i].name, name, length))
			return classes[i].bit;
	return 0;
}

/* Copies the next part, without its '!', and moves past its comma. */
static bool next_part(const char **at, char part[PART], bool *negated)
{
	const char *from = *at + strspn(*at, ", \t");
	size_t length = strcspn(from, ",");

	if (!length)
		return false;
	*at = from + length;
	*negated = *from == '!';
	from += *negated;
	length -= *negated;
	while (length && strchr(" \t", from[length - 1]))
		length--;
	if (length >= PART)
		length = PART - 1;
	memcpy(part, from, length);
	part[length] = '\0';
	return true;
}

static bool part_matches(const char *part, const struct cuaudit_function *function)
{
	if (*part == '%')
		return function->classes & selector_class(part + 1, strlen(part + 1));
	return !fnmatch(part, function->name, 0) || !fnmatch(part, function->base, 0);
}

bool selector_matches(const char *selector, const struct cuaudit_function *function)
{
	bool first = true, taken = true, negated;
	char part[PART];

	while (next_part(&selector, part, &negated)) {
		if (first)
			taken = negated;
		first = false;
		if (part_matches(part, function))
			taken = !negated;
	}
	return taken;
}

const char *selector_fault(const char *selector, size_t *length)
{
	char part[PART];
	bool negated;

	while (next_part(&selector, part, &negated)) {
		const char *open = strrchr(part, '[');

		*length = strlen(part);
		if (!*length ||
		    (*part == '%' && !selector_class(part + 1, *length - 1)) ||
		    (open && !strchr(open, ']')))
			return selector - *length;
	}
	return NULL;
}
