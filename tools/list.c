/* SPDX-License-Identifier: Apache-2.0 */
/* cuaudit list: prints what selectors and settings can name. */
#include <getopt.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tools/catalogue.h"
#include "tools/options.h"
#include "tools/tool.h"
#include "util/nearest.h"
#include "util/selector.h"
#include "util/text.h"

enum { MAX_NAMES = 4096, LINE = 65536 };

struct listing {
	const char *kind;
	const char *text;
	struct selector *selector;
	bool names;
	int printed;
	size_t nknown;
	const char *known[MAX_NAMES + 1];	/* for the nearest; functions' and variables' names stay */
};

/* Values of variables, and what plug-ins say of their options, come from outside. */
__attribute__((format(printf, 1, 2)))
static void say(const char *format, ...)
{
	static char text[LINE], line[LINE];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	text_print(line, sizeof(line), text, strlen(text));
	puts(line);
}

static void print(const struct entry *entry, void *data)
{
	struct listing *listing = data;
	bool functions = *listing->kind == 'f', hooks = *listing->kind == 'h';

	if ((functions || *listing->kind == 'v') && listing->nknown < MAX_NAMES)
		listing->known[listing->nknown++] = entry->names.name;
	if (!selector_takes(listing->selector, &entry->names))
		return;
	listing->printed++;
	if (listing->names) {
		say("%s", entry->names.name);
		return;
	}
	if (hooks)
		say("%-12s  %s", entry->names.name, entry->summary);
	else if (*listing->kind == 'c')
		say("%-12s  %4s  %s", entry->names.name, entry->first, entry->summary);
	else
		say("%-*s  %-*s  %-*s  %s", functions ? 32 : 26, entry->names.name, 4,
		    entry->first, functions ? 14 : 28, entry->second, entry->summary);
	for (const struct cuaudit_option *option = entry->options; option && option->key; option++)
		say("  %s=%s%s%s%s  %s", option->key, option->values ? option->values : "TEXT",
		    option->fallback ? " (" : "", option->fallback ? option->fallback : "",
		    option->fallback ? ")" : "", option->help ? option->help : "");
}

/* Of the selector, or of its parts beside others, the first of which text is then. */
static int complain(const struct listing *listing, const char *text, uint32_t parts)
{
	const char *near = nearest(text, strlen(text), listing->known);
	char more[32] = "";

	if (parts > 1)
		snprintf(more, sizeof(more), ", and %u more", parts - 1);
	if (*listing->kind == 'f' && (!strcmp(text, "%providers") || strchr(text, ':')))
		tool_complain("no functions match '%s'%s: those of CUAUDIT_PROVIDERS are known as a "
			      "program binds them", text, more);
	else if (near)
		tool_complain("no %s match '%s'%s; did you mean %s?", listing->kind, text, more, near);
	else
		tool_complain("no %s match '%s'%s; cuaudit list %s shows all", listing->kind, text, more,
			      listing->kind);
	return TOOL_FAILED;
}

static int check_kind(const char *kind)
{
	for (int i = 0; catalogue_kinds[i]; i++)
		if (!strcmp(catalogue_kinds[i], kind))
			return 0;
	options_unknown("list of", kind, catalogue_kinds, "list");
	return -1;
}

int tool_list(int argc, char **argv)
{
	struct listing listing = { .text = "" };
	char part[SELECTOR_NEAR];
	uint32_t unmatched;
	int option, status;

	while ((option = options_next(argc, argv)) > 0)
		listing.names = true;
	if (option != OPTIONS_END)
		return options_status(option);
	if (argc - optind < 1 || argc - optind > 2) {
		tool_complain("list takes what to list, and one selector; see cuaudit list --help");
		return TOOL_FAILED;
	}
	listing.kind = argv[optind];
	if (check_kind(listing.kind))
		return TOOL_FAILED;
	if (argv[optind + 1])
		listing.text = argv[optind + 1];
	if (*listing.kind == 'f' && *listing.text && options_selector("", listing.text))
		return TOOL_FAILED;
	listing.selector = selector_open(listing.text);
	if (!listing.selector) {
		tool_complain("no memory");
		return TOOL_FAILED;
	}
	status = catalogue_each(listing.kind, false, print, &listing);
	unmatched = selector_unmatched(listing.selector, part);
	selector_close(listing.selector);
	if (status)
		return TOOL_FAILED;
	if (!listing.printed)
		return complain(&listing, listing.text, 1);
	return unmatched ? complain(&listing, part, unmatched) : TOOL_OK;
}
