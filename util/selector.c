/* SPDX-License-Identifier: Apache-2.0 */
/* Selectors: which functions a text names. */
#include "util/selector.h"

#include <cuaudit/api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/nearest.h"
#include "util/pattern.h"
#include "util/unfit.h"

enum { PART = 256, NEAR = 3 };

enum kind { NAME, GLOB, CLASS_OF, REGEX, SYMBOL };

struct part {
	enum kind kind;
	bool negated;
	uint32_t class;
	char text[PART];	/* without what marks its kind */
	struct pattern *pattern;	/* of a GLOB or a REGEX */
};

_Static_assert(PART - 1 <= PATTERN_MAX, "each part can be a pattern");

struct selector {
	bool *matched;		/* by part: some function it was asked about is one of its own */
	uint32_t count;
	struct part parts[];
};

static const struct {
	const char *name;
	uint32_t bit;
} classes[] = {
#define CLASS(name, text, summary) { text, CUAUDIT_CLASS_##name },
#include <cuaudit/classes.def>
#undef CLASS
};

/* Functions that no table has are in no class, and of a domain, or a provider's, all the same. */
enum domain_class {
#define DOMAIN(name, text, id, bit, summary) name = 1 << bit,
#include "util/domain_classes.def"
#undef DOMAIN
};

#define DOMAIN(name, text, id, bit, summary) \
	_Static_assert(CUAUDIT_CLASSES <= bit, "a bit for each class and each domain");
#include "util/domain_classes.def"
#undef DOMAIN

static uint32_t class_of(const char *name)
{
#define DOMAIN(domain, text, id, bit, summary) \
	if (!strcmp(name, text))               \
		return domain;
#include "util/domain_classes.def"
#undef DOMAIN
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (!strcmp(classes[i].name, name))
			return classes[i].bit;
	return 0;
}

/* Up to the comma that ends the part; those of a /regex/ do not. */
static size_t extent(const char *from)
{
	const char *start = from + (*from == '!');
	const char *close = *start == '/' ? strchr(start + 1, '/') : NULL;

	return (size_t)((close ? close : start) - from) + strcspn(close ? close : start, ",");
}

/* The next part with its '!', or NULL; moves past it. */
static const char *next(const char **at, size_t *length)
{
	const char *from = *at + strspn(*at, ", \t");

	if (!*from)
		return NULL;
	*length = extent(from);
	*at = from + *length;
	while (*length && strchr(" \t", from[*length - 1]))
		--*length;
	return from;
}

/* Whether the text is "6bd5fb6c[2]", the slot of an export table, not a glob. */
static bool is_table_slot(const char *text)
{
	enum { UUID = 8, DIGITS = 3 };
	size_t digits = 0;

	if (strspn(text, "0123456789abcdef") != UUID || text[UUID] != '[')
		return false;
	digits = strspn(text + UUID + 1, "0123456789");
	return digits && digits <= DIGITS && !strcmp(text + UUID + 1 + digits, "]");
}

/* Whether the text is a part; its pattern is to be freed. */
static bool read_part(struct part *part, const char *from, size_t length)
{
	const char *open;

	part->pattern = NULL;
	part->negated = length && *from == '!';
	from += part->negated;
	length -= part->negated;
	if (!length || length >= PART)
		return false;
	part->kind = *from == '%' ? CLASS_OF : *from == '/' ? REGEX :
		     *from == '=' ? SYMBOL : NAME;
	from += part->kind != NAME;
	length -= part->kind != NAME;
	memcpy(part->text, from, length);
	part->text[length] = '\0';
	switch (part->kind) {
	case CLASS_OF:
		part->class = class_of(part->text);
		return part->class;
	case SYMBOL:
		return length;
	case REGEX:
		if (length < 2 || part->text[length - 1] != '/')
			return false;
		part->text[length - 1] = '\0';
		part->pattern = pattern_regex(part->text);
		return part->pattern;
	default:
		if (is_table_slot(part->text))
			return true;
		open = strrchr(part->text, '[');
		if (open && !strchr(open, ']'))
			return false;
		if (!strpbrk(part->text, "*?[\\"))
			return true;
		part->kind = GLOB;
		part->pattern = pattern_glob(part->text);
		return part->pattern;
	}
}

static bool is_libc(const char *name)
{
	static const char prefix[] = "libc.so.6:";

	return !strncmp(name, prefix, strlen(prefix));
}

static uint32_t classes_of(const struct cuaudit_function *function)
{
	if (function->id == CUAUDIT_ID_PROVIDER && is_libc(function->name))
		return LIBC | function->classes;
	switch (function->id) {
#define LIBRARY(name, text, id, bit, summary)
#define DOMAIN(name, text, id, bit, summary) case id: return name | function->classes;
#include "util/domain_classes.def"
#undef DOMAIN
	default:
		return DRIVER | function->classes;
	}
}

static bool takes(const struct part *part, const struct cuaudit_function *function)
{
	switch (part->kind) {
	case CLASS_OF:
		return part->class & classes_of(function);
	case SYMBOL:
		return !strcmp(part->text, function->name);
	case NAME:
		return !strcmp(part->text, function->name) || !strcmp(part->text, function->base);
	default:
		return pattern_matches(part->pattern, function->name) ||
		       pattern_matches(part->pattern, function->base);
	}
}

struct selector *selector_open(const char *text)
{
	struct selector *selector;
	const char *from, *at = text;
	size_t length, count = 0;

	while (next(&at, &length))
		count++;
	selector = malloc(sizeof(*selector) + count * sizeof(struct part) + count * sizeof(bool));
	if (selector) {
		*selector = (struct selector){ .matched = (bool *)&selector->parts[count] };
		memset(selector->matched, 0, count * sizeof(bool));
		for (at = text; (from = next(&at, &length));) {
			struct part *part = &selector->parts[selector->count];

			if (read_part(part, from, length))
				selector->count++;
		}
	}
	return selector;
}

void selector_close(struct selector *selector)
{
	for (uint32_t i = 0; i < selector->count; i++)
		pattern_free(selector->parts[i].pattern);
	free(selector);
}

int32_t selector_last(const struct selector *selector, const struct cuaudit_function *function)
{
	int32_t last = -1;

	for (uint32_t i = 0; i < selector->count; i++)
		if (takes(&selector->parts[i], function)) {
			last = (int32_t)i;
			/* Threads may ask at once. */
			__atomic_store_n(&selector->matched[i], true, __ATOMIC_RELAXED);
		}
	return last;
}

bool selector_decides(const struct selector *selector, int32_t last)
{
	return last < 0 ? !selector->count || selector->parts[0].negated :
			  !selector->parts[last].negated;
}

bool selector_takes(const struct selector *selector, const struct cuaudit_function *function)
{
	return selector_decides(selector, selector_last(selector, function));
}

/* A colon, but not that of a [[:class:]]: how long the library before it is; -1: there is none. */
static int library_length(const char *text)
{
	bool inside = false;

	for (int i = 0; text[i]; i++) {
		if (text[i] == ':' && !inside)
			return i;
		inside = text[i] == '[' || (inside && text[i] != ']');
	}
	return -1;
}

static bool is_provided(const struct part *part)
{
	return part->kind == CLASS_OF ? part->class & (PROVIDERS | LIBC) :
	       part->kind != REGEX && library_length(part->text) >= 0;
}

static uint32_t unmatched(const struct selector *selector, bool provided, char first[SELECTOR_NEAR])
{
	static const char *const before[] = {
		[NAME] = "", [GLOB] = "", [CLASS_OF] = "%", [REGEX] = "/", [SYMBOL] = "=",
	};
	uint32_t count = 0;

	for (uint32_t i = 0; i < selector->count; i++) {
		const struct part *part = &selector->parts[i];

		if (!selector->matched[i] && (!provided || is_provided(part)) && !count++)
			snprintf(first, SELECTOR_NEAR, "%s%s%s", before[part->kind], part->text,
				 part->kind == REGEX ? "/" : "");
	}
	return count;
}

/*
 * A function without a name is for the slots of tables that nobody knows of before they are asked
 * for; how those of a table begin that has none is its base.
 */
static bool may_name(const struct part *part, const struct cuaudit_function *function)
{
	size_t length = strlen(function->base);

	return function->id == CUAUDIT_ID_TABLES && !*function->name && is_table_slot(part->text) &&
	       (!length || strncmp(part->text, function->base, length) != 0);
}

static bool may_take(const struct selector *selector, const struct cuaudit_function *function)
{
	for (uint32_t i = 0; i < selector->count; i++)
		if (!selector->parts[i].negated && may_name(&selector->parts[i], function))
			return true;
	return false;
}

uint32_t selector_unmatched(const struct selector *selector, char first[SELECTOR_NEAR])
{
	return unmatched(selector, false, first);
}

uint32_t selector_unbound(const struct selector *selector, char first[SELECTOR_NEAR])
{
	return unmatched(selector, true, first);
}

static bool comes_later(const struct part *part, selector_source_fn source)
{
	struct cuaudit_function function;

	return is_provided(part) && source(SELECTOR_LATER, &function);
}

static bool names_any(const struct part *part, selector_source_fn source)
{
	struct cuaudit_function function;

	for (uint32_t i = 0; source(i, &function); i++)
		if (*function.name ? takes(part, &function) : may_name(part, &function))
			return true;
	return false;
}

/* The first part with a fault, or which names none of source's functions. */
static const char *first(const char *text, size_t *length, selector_source_fn source)
{
	const char *from, *whole = text;
	struct part part;
	bool fine = true;

	*length = strlen(whole);
	while (fine && (from = next(&text, length))) {
		fine = read_part(&part, from, *length);
		if (fine) {
			fine = !source || comes_later(&part, source) || names_any(&part, source);
			pattern_free(part.pattern);
		}
		if (!fine) {
			*length -= *from == '!';
			from += *from == '!';
		}
	}
	/* Commas alone are none, and not the empty text, which takes all. */
	return !from && *whole && strspn(whole, ", \t") == strlen(whole) ? whole : from;
}

const char *selector_fault(const char *text, size_t *length)
{
	return first(text, length, NULL);
}

const char *selector_unknown_name(const char *text, size_t *length, selector_source_fn source)
{
	return first(text, length, source);
}

const char *selector_unfit(const char *text, size_t *length)
{
	const char *from;
	struct part part;
	bool found = false;

	while (!found && (from = next(&text, length)) && read_part(&part, from, *length)) {
		const char *function = &part.text[library_length(part.text) + 1];

		found = !part.negated && part.kind != CLASS_OF && is_provided(&part) &&
			unfit_name(function, strcspn(function, "@"));
		pattern_free(part.pattern);
	}
	return found ? from : NULL;
}

bool selector_libraries(const struct selector *selector, bool (*came)(const char *glob), bool *any)
{
	bool all = true;

	*any = false;
	for (uint32_t i = 0; i < selector->count; i++) {
		const struct part *part = &selector->parts[i];
		char glob[PART];

		if (part->negated || !is_provided(part))
			continue;
		snprintf(glob, sizeof(glob), "%.*s", part->kind == CLASS_OF ? 1 : library_length(part->text),
			 part->kind == CLASS_OF ? "*" : part->text);
		*any = true;
		all &= came(glob);
	}
	return all;
}

bool selector_takes_none(const char *text, selector_source_fn source)
{
	struct selector *selector = selector_open(text);
	struct cuaudit_function function;
	bool none = selector;

	for (uint32_t i = 0; none && i < selector->count; i++)
		none = selector->parts[i].negated || !comes_later(&selector->parts[i], source);
	for (uint32_t i = 0; none && source(i, &function); i++)
		none = !selector_takes(selector, &function) && !may_take(selector, &function);
	if (selector)
		selector_close(selector);
	return none;
}

static void nearest_class(const char *word, size_t length, char near[SELECTOR_NEAR])
{
	static const char *const names[] = {
#define CLASS(name, text, summary) "%" text,
#include <cuaudit/classes.def>
#undef CLASS
#define DOMAIN(name, text, id, bit, summary) "%" text,
#include "util/domain_classes.def"
#undef DOMAIN
		NULL
	};
	const char *found = nearest(word, length, names);
	int used = 0;

	if (found)
		used = snprintf(near, SELECTOR_NEAR, "; did you mean %s?", found);
	used += snprintf(near + used, SELECTOR_NEAR - (size_t)used, "%s",
			 found ? " The classes are" : "; the classes are");
	for (int i = 0; names[i]; i++)
		used += snprintf(near + used, SELECTOR_NEAR - (size_t)used, " %s", names[i]);
}

/* Whether it is no part that takes the function of that name alone, but for a mark of one. */
static bool needs_mark(const char *name)
{
	return !is_table_slot(name) && (strchr("!%/=", *name) || strpbrk(name, "*?[\\"));
}

/* What cuGetProcAddress knows the functions by; one name has several versions. */
static int nearest_functions(const char *word, size_t length, char near[SELECTOR_NEAR],
			     selector_source_fn source)
{
	struct cuaudit_function function;
	const char **names;
	uint32_t count = 0;
	int used = 0;

	while (source(count, &function))
		count++;
	names = malloc((count + 1) * sizeof(*names));
	if (!names)
		return 0;
	names[count] = NULL;
	while (count--) {
		source(count, &function);
		names[count] = function.id == CUAUDIT_ID_TABLES ? function.name : function.base;
	}
	for (int i = 0; i < NEAR; i++) {
		const char *found = nearest(word, length, names);

		if (!found)
			break;
		used += snprintf(near + used, SELECTOR_NEAR - (size_t)used, "%s%s%s",
				 used ? ", " : "; did you mean ", needs_mark(found) ? "=" : "", found);
		for (uint32_t j = 0; names[j]; j++)
			if (!strcmp(names[j], found))
				names[j] = "";
	}
	free(names);
	return used;
}

/* Whether it is of the runtime, and source has the driver's functions alone. */
static bool lacks_runtime(const char *word, size_t length, selector_source_fn source)
{
	static const char class[] = "%runtime", prefix[] = "cuda";
	struct cuaudit_function function;

	if ((length != strlen(class) || memcmp(word, class, length)) &&
	    (length < strlen(prefix) || memcmp(word, prefix, strlen(prefix))))
		return false;
	for (uint32_t i = 0; source(i, &function); i++)
		if (!strncmp(function.base, prefix, strlen(prefix)))
			return false;
	return true;
}

/* Whether it is %libc, and source has none of the C library's. */
static bool lacks_libc(const char *word, size_t length, selector_source_fn source)
{
	static const char class[] = "%libc";
	struct cuaudit_function function;

	if (length != strlen(class) || memcmp(word, class, length))
		return false;
	for (uint32_t i = 0; source(i, &function); i++)
		if (is_libc(function.base))
			return false;
	return true;
}

/* A library's function, LIBRARY:NAME, of which the part has the name alone. */
static bool of_library(const char *word, size_t length, char near[SELECTOR_NEAR], selector_source_fn source)
{
	struct cuaudit_function function;

	for (uint32_t i = 0; source(i, &function); i++) {
		const char *colon = strchr(function.base, ':');

		if (!colon || strlen(colon + 1) != length || memcmp(colon + 1, word, length))
			continue;
		snprintf(near, SELECTOR_NEAR, "; did you mean %s?", function.base);
		return true;
	}
	return false;
}

void selector_near(const char *part, size_t length, char near[SELECTOR_NEAR],
		   selector_source_fn source)
{
	char word[PART];
	size_t used = 0;

	near[0] = '\0';
	/* What of a pattern can be part of a name. */
	for (size_t i = 0; i < length && used < sizeof(word); i++)
		if (!strchr("=*?[]^$.()|+/\\", part[i]))
			word[used++] = part[i];
	if (lacks_runtime(word, used, source))
		strcpy(near, "; CUAUDIT_DOMAINS=driver,runtime has the functions of the runtime");
	else if (lacks_libc(word, used, source))
		strcpy(near, "; CUAUDIT_DOMAINS=driver,libc has the C library's, of the libraries of CUAUDIT_LIBC");
	else if (used && *word == '%')
		nearest_class(word, used, near);
	else if (!of_library(word, used, near, source) && nearest_functions(word, used, near, source))
		strcat(near, "?");
}
