/* SPDX-License-Identifier: Apache-2.0 */
/* Reports globs over libraries that matched none by the end. */
#include "hooks/unmatched.h"

#include <cuaudit/hook.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooks/core_link.h"
#include "hooks/name_iterator.h"
#include "hooks/record.h"
#include "util/nearest.h"
#include "util/selector.h"

enum { SHOWN = 256 };

static bool child;

static const struct link_object *get(uint32_t index)
{
	return link_object(cuaudit_core_link, index);
}

static uint32_t count_objects(void)
{
	return atomic_load_explicit(&cuaudit_core_link->nobjects, memory_order_acquire);
}

static bool matches_any(const char *glob)
{
	uint32_t count = count_objects();

	for (uint32_t i = 0; i < count; i++)
		if (cuaudit_core_link->library_matches(glob, get(i)->path,
						       get(i)->flags & LINK_OBJECT_MAIN))
			return true;
	return false;
}

/* Up to what a library's name and a glob for it differ in mostly: versions. All begin alike: libz is not meant by libc. */
static char *stem(const char *from)
{
	size_t length, used = 0;
	char *to;

	from += strncmp(from, "lib", 3) ? 0 : 3;
	length = strlen(from);
	to = malloc(length + 1);
	if (!to)
		return NULL;
	for (size_t i = 0; i < length && strncmp(from + i, ".so", 3) != 0; i++)
		if (!strchr("*?[]", from[i]))
			to[used++] = from[i];
	to[used] = '\0';
	return to;
}

/* The library whose name is the nearest to a glob's, or NULL; program: it may be the executable. */
static const char *near_library(const char *glob, bool program)
{
	uint32_t count = count_objects(), used = 0;
	const char *slash = strrchr(glob, '/'), *found = NULL, *name = NULL;
	const char *from = slash ? slash + 1 : glob;
	char *word = stem(from), **names = calloc(count + 1, sizeof(*names));
	uint32_t *objects = calloc(count + 1, sizeof(*objects));

	for (uint32_t i = 0; names && objects && i < count; i++) {
		if (get(i)->flags & LINK_OBJECT_MAIN && !program)
			continue;
		names[used] = stem(get(i)->name);
		objects[used] = i;
		used += names[used] != NULL;
	}
	if (word && *word && names && objects)
		found = nearest(word, strlen(word), (const char *const *)names);
	for (uint32_t i = 0; i < used; i++) {
		if (names[i] == found)
			name = get(objects[i])->name;
		free(names[i]);
	}
	free(names);
	free(objects);
	free(word);
	return name;
}

/* A glob for directories of that name, if it takes a library: "*cupy*" is of no file's name. */
static const char *near_directory(const char *glob, char to[static SHOWN])
{
	if (strchr(glob, '/') || snprintf(to, SHOWN, "*/%s/*", glob) >= SHOWN || !matches_any(to))
		return NULL;
	return to;
}

static void report_globs(const char *who, const char *first, uint32_t count)
{
	char more[32] = "", directory[SHOWN];
	const char *near = near_directory(first, directory);
	bool cut = strlen(first) >= SHOWN;

	if (!near)
		near = near_library(first, true);
	if (count > 1)
		snprintf(more, sizeof(more), " and %u more", count - 1);
	cuaudit_log(CUAUDIT_WARN, "%s: '%.*s%s'%s matched no library%s%s%s", who, SHOWN, first,
		    cut ? "..." : "", more, near ? "; did you mean " : "", near ? near : "",
		    near ? "?" : "");
}

/* One line, however many there are. */
static void report(const char *who, const char *list)
{
	char *globs = list ? strdup(list) : NULL, *rest = globs, *glob, *first = NULL;
	uint32_t count = 0;

	while ((glob = strsep(&rest, ":")))
		if (*glob && !matches_any(glob) && !count++)
			first = glob;
	if (first)
		report_globs(who, first, count);
	free(globs);
}

/* That a part names a function is seen where hooks ask: those that enforce something do not. */
static void ask_all(const struct selector *selector)
{
	struct cuaudit_function function;

	for (uint32_t i = 0; name_iterator_get(i, &function); i++)
		selector_takes(selector, &function);
}

static void report_unbound(const char *who, const struct selector *selector)
{
	char first[SELECTOR_NEAR], more[32] = "";
	uint32_t count;

	if (!selector || !selector_unbound(selector, first))
		return;
	ask_all(selector);
	count = selector_unbound(selector, first);
	if (!count)
		return;
	if (count > 1)
		snprintf(more, sizeof(more), " and %u more", count - 1);
	cuaudit_log(CUAUDIT_WARN, "%s: '%.*s'%s named no function that the program bound and that has a slot; "
		    "those of CUAUDIT_PROVIDERS are LIBRARY:FUNCTION", who, SHOWN, first, more);
}

/* Whether a library that came was one of CUAUDIT_PROVIDERS by that glob. */
static bool is_provided(const char *glob)
{
	const struct link_table *link = cuaudit_core_link;
	uint32_t count = atomic_load_explicit(&link->nproviders, memory_order_acquire);

	for (uint32_t i = LINK_DRIVERS; i < LINK_DRIVERS + count; i++)
		if (link->library_matches(glob, link->drivers[i].path, false) ||
		    link->library_matches(glob, link->drivers[i].name, false))
			return true;
	return false;
}

/* Whether a glob is of the executable, by its name or as (main). */
static bool is_program(const char *glob)
{
	uint32_t count = count_objects();

	for (uint32_t i = 0; i < count; i++)
		if (get(i)->flags & LINK_OBJECT_MAIN &&
		    cuaudit_core_link->library_matches(glob, get(i)->path, true))
			return true;
	return false;
}

static void report_unloaded(const char *list)
{
	char *globs = strdup(list), *rest = globs, *glob;

	while ((glob = strsep(&rest, ":")))
		if (*glob && !is_provided(glob)) {
			const char *near = is_program(glob) ? NULL : near_library(glob, false);

			cuaudit_log(CUAUDIT_WARN, "CUAUDIT_PROVIDERS: '%.*s' is not watched: %s%s%s%s",
				    SHOWN, glob, is_program(glob) ? "that is the program itself; name "
				    "libraries" : "no such library was loaded",
				    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
		}
	free(globs);
}

/* Libraries whose calls of the C library were to be seen. */
static void report_libc(void)
{
	const struct link_table *link = cuaudit_core_link;
	const char *listed = link->libc_driver ? link->environment.libc : "";
	uint32_t others = atomic_load_explicit(&link->libc_others, memory_order_relaxed);

	report("dbgmem", link->libc_libraries);
	report("CUAUDIT_LIBC", listed);
	if (*listed && !atomic_load_explicit(&link->libc_bound, memory_order_relaxed))
		cuaudit_log(CUAUDIT_WARN, "CUAUDIT_LIBC: nothing was seen: no library that '%.*s' names has bound a "
			    "memory function of the C library", SHOWN, listed);
	if (others)
		cuaudit_log(CUAUDIT_WARN, "bindings of other versions of a function of the C library, whose calls "
			    "are not seen: %u", others);
}

void unmatched_report(void)
{
	const struct link_environment *environment = &cuaudit_core_link->environment;

	if (child)
		return;
	if (cuaudit_core_link->libc_left)
		cuaudit_log(CUAUDIT_WARN, "%.*s: its calls of memory functions are not hooked: %s", SHOWN,
			    cuaudit_core_link->libc_left, cuaudit_core_link->libc_left_why);
	/* Settings are inherited by shells and other programs that they are not meant for. */
	if (!core_link_any_provider())
		return;
	report("CUAUDIT_INCLUDE", environment->include);
	report("CUAUDIT_EXCLUDE", environment->exclude);
	report_libc();
	/* Where none can be hooked the auditor has said so. */
	if (!cuaudit_core_link->symtab_interposed)
		report_unloaded(environment->providers);
	report_unbound("CUAUDIT_FUNCTIONS", record_general());
	for (uint32_t i = 0; i < RECORDS; i++) {
		const struct record *record = record_get(i);
		const struct cuaudit_hook *hook = &record->guard.hook;
		const char *name = hook->name ? hook->name : "a hook";

		if (record->state != RECORD_ADDED && record->state != RECORD_ATTACHED)
			continue;
		report_unbound(name, record->selector);
		report(name, hook->include);
		report(name, hook->exclude);
	}
}

void unmatched_forked(void)
{
	child = true;
}
