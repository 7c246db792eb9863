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

/* Copies the next part, without its '!', and moves past it; returns where it begins, or NULL. */
static const char *next_part(const char **at, char part[PART], size_t *length, bool *negated)
{
	const char *from = *at + strspn(*at, ", \t");
	size_t whole = strcspn(from, ","), copied;

	if (!whole)
		return NULL;
	*at = from + whole;
	*negated = *from == '!';
	from += *negated;
	*length = whole - *negated;
	while (*length && strchr(" \t", from[*length - 1]))
		--*length;
	copied = *length < PART ? *length : PART - 1;
	memcpy(part, from, copied);
	part[copied] = '\0';
	return from;
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
	size_t length;

	while (next_part(&selector, part, &length, &negated)) {
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
	const char *from;
	char part[PART];
	bool negated;

	while ((from = next_part(&selector, part, length, &negated))) {
		const char *open = strrchr(part, '[');

		if (!*length || *length >= PART ||
		    (*part == '%' && !selector_class(part + 1, *length - 1)) ||
		    (open && !strchr(open, ']')))
			return from;
	}
	return NULL;
}
