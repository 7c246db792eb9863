/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what the coverage hook has gathered. */
#include "hooks/modules/coverage/coverage_print.h"

#include <cuaudit/api.h>
#include <unistd.h>

#include "analysis/escape_kind.h"
#include "hooks/call_site.h"
#include "util/writer.h"

enum { PATH_COLUMNS = 72, NUMBER = 9, LIBRARIES = 256 };

static const char *const routes[CUAUDIT_ROUTES] = {
	[CUAUDIT_ROUTE_PLT] = "plt",
	[CUAUDIT_ROUTE_DLSYM] = "dlsym",
	[CUAUDIT_ROUTE_RELOCATION] = "relocation",
	[CUAUDIT_ROUTE_PROCADDR] = "procaddr",
};

static void number(struct out *out, uint64_t value, size_t width)
{
	out_right(out, out_count(value).text, width);
}

/* The number of bound, called or unknown functions of a driver. */
static uint32_t count(const struct coverage *coverage, uint32_t driver, char what)
{
	const struct cuaudit_function *function;
	uint32_t found = 0;

	for (uint32_t slot = 0; (function = cuaudit_function_get(slot)); slot++) {
		uint64_t bound = 0;

		if (function->driver != driver)
			continue;
		for (int route = 0; route < CUAUDIT_ROUTES; route++)
			bound += cuaudit_bound(slot, (enum cuaudit_route)route);
		found += what == 'b' ? bound > 0 :
			 what == 'c' ? coverage->called[slot] : function->id == CUAUDIT_ID_UNKNOWN;
	}
	return found;
}

static void text_driver(const struct coverage *coverage, const struct cuaudit_driver *driver,
			struct out *out)
{
	const struct cuaudit_function *function;

	out_text(out, driver->index < CUAUDIT_FIRST_PROVIDER ? "\nDriver  " : "\nLibrary ");
	out_fit(out, driver->path, PATH_COLUMNS);
	out_text(out, "\n  functions   ");
	out_u64(out, driver->functions);
	out_text(out, " exported, ");
	out_u64(out, count(coverage, driver->index, 'b'));
	out_text(out, " bound, ");
	out_u64(out, count(coverage, driver->index, 'c'));
	out_text(out, " called, ");
	out_u64(out, driver->without_slot);
	out_text(out, " without a slot\n  newer than the table:");
	for (uint32_t slot = 0; (function = cuaudit_function_get(slot)); slot++) {
		if (function->driver != driver->index || function->id != CUAUDIT_ID_UNKNOWN)
			continue;
		out_text(out, " ");
		out_fit(out, function->name, PATH_COLUMNS);
	}
	out_text(out, count(coverage, driver->index, 'n') ? "\n" : " none\n");
}

/* How many functions a library bound by each route, and of the driver itself. */
struct tally {
	const struct cuaudit_library *library;
	uint32_t functions[CUAUDIT_ROUTES];
	uint32_t real;
};

static size_t tally_up(const struct coverage *coverage, struct tally *tallies, uint64_t *left)
{
	size_t used = 0;

	*left = 0;

	for (size_t i = 0; i < coverage->count; i++) {
		const struct cuaudit_binding *binding = &coverage->bindings[i];
		size_t at = 0;

		while (at < used && tallies[at].library != binding->library)
			at++;
		if (at == LIBRARIES) {
			++*left;
			continue;
		}
		if (at == used)
			tallies[used++] = (struct tally){ .library = binding->library };
		if (binding->real)
			tallies[at].real++;
		else
			tallies[at].functions[binding->route]++;
	}
	return used;
}

static void text_libraries(const struct coverage *coverage, struct out *out)
{
	struct tally tallies[LIBRARIES];
	uint64_t left;
	size_t used = tally_up(coverage, tallies, &left);

	out_text(out, "\nFunctions by route");
	out_text(out, "\n      plt    dlsym   reloc. procaddr     real  Library\n");
	for (size_t i = 0; i < used; i++) {
		for (int route = 0; route < CUAUDIT_ROUTES; route++)
			number(out, tallies[i].functions[route], NUMBER);
		number(out, tallies[i].real, NUMBER);
		out_text(out, "  ");
		out_fit(out, tallies[i].library->path, PATH_COLUMNS);
		out_text(out, "\n");
	}
	if (left) {
		number(out, left, NUMBER);
		out_text(out, "  bindings of more libraries than fit here; format=json has them\n");
	}
}

/* The call that was the first of its kind. */
static void text_first(const void *caller, const struct cuaudit_library *library, struct out *out)
{
	char site[CALL_SITE_TEXT];

	if (!caller || !library)
		return;
	out_text(out, ", first by ");
	out_text(out, call_site_text(site, caller, library));
}

static void text_escapes(struct out *out)
{
	const struct cuaudit_export_table *table;
	const struct cuaudit_escape *escape;

	out_text(out, "\nEscapes");
	out_text(out, cuaudit_escape_get(0) ? "\n" : "  none\n");
	for (uint32_t i = 0; (escape = cuaudit_escape_get(i)); i++) {
		number(out, escape->count, NUMBER);
		out_text(out, "  ");
		out_fit(out, escape->name, PATH_COLUMNS);
		out_text(out, escape_reason(escape->kind));
		if (escape->library) {
			out_text(out, ", for ");
			out_fit(out, escape->library->path, PATH_COLUMNS);
		}
		text_first(call_site_escape(escape), escape->library, out);
		out_text(out, "\n");
	}
	out_text(out, "\nExport tables handed out");
	out_text(out, cuaudit_export_table_get(0) ? "\n" : "  none\n");
	for (uint32_t i = 0; (table = cuaudit_export_table_get(i)); i++) {
		number(out, table->count, NUMBER);
		out_text(out, "  ");
		out_uuid(out, table->uuid);
		number(out, table->size, 6);
		out_text(out, " bytes  ");
		out_fit(out, table->library ? table->library->path : "", PATH_COLUMNS);
		text_first(call_site_table(table), table->library, out);
		out_text(out, "\n");
	}
}

void coverage_text(const struct coverage *coverage, struct out *out)
{
	const struct cuaudit_driver *driver;

	out_text(out, "cuaudit: coverage of pid ");
	out_u64(out, (uint64_t)getpid());
	out_text(out, "\n");
	for (uint32_t i = 0; (driver = cuaudit_driver_get(i)); i++)
		text_driver(coverage, driver, out);
	for (uint32_t i = CUAUDIT_FIRST_PROVIDER; (driver = cuaudit_driver_get(i)); i++)
		text_driver(coverage, driver, out);
	text_libraries(coverage, out);
	if (cuaudit_bindings_lost()) {
		number(out, cuaudit_bindings_lost(), NUMBER);
		out_text(out, "  more bindings than there is room for\n");
	}
	if (cuaudit_unhooked_calls()) {
		number(out, cuaudit_unhooked_calls(), NUMBER);
		out_text(out, "  calls made while a hook ran, with an unaligned stack, or without memory for "
			 "their thread\n");
	}
	if (cuaudit_unwound_calls() + cuaudit_unwound_hooks()) {
		number(out, cuaudit_unwound_calls() + cuaudit_unwound_hooks(), NUMBER);
		out_text(out, "  calls left by longjmp or an exception\n");
	}
	text_escapes(out);
}

/* The bindings of one function; the list is sorted by driver and name. */
static void json_bindings(const struct coverage *coverage, uint32_t slot, struct writer *json)
{
	writer_begin(json, "bound", '[');
	for (size_t i = 0; i < coverage->count; i++) {
		const struct cuaudit_binding *binding = &coverage->bindings[i];

		if (binding->slot != slot)
			continue;
		writer_begin(json, NULL, '{');
		writer_text(json, "library", binding->library->path);
		writer_text(json, "route", routes[binding->route]);
		writer_number(json, "count", binding->count);
		writer_flag(json, "real", binding->real);
		writer_end(json, '}');
	}
	writer_end(json, ']');
}

static void json_functions(const struct coverage *coverage, uint32_t driver, struct writer *json)
{
	const struct cuaudit_function *function;

	writer_begin(json, "functions", '[');
	for (uint32_t slot = 0; (function = cuaudit_function_get(slot)); slot++) {
		/* Slots of tables that nobody has asked for have no name. */
		if (function->driver != driver || !*function->name)
			continue;
		writer_begin(json, NULL, '{');
		writer_text(json, "name", function->name);
		writer_flag(json, "in_table", function->id >= 0);
		writer_flag(json, "called", coverage->called[slot]);
		json_bindings(coverage, slot, json);
		writer_end(json, '}');
	}
	writer_end(json, ']');
}

static void json_library(const struct cuaudit_library *library, const void *caller, uint64_t count,
			 struct writer *json)
{
	char name[CALL_SITE_SYMBOL];

	if (library && caller)
		call_site_json(json, caller, library, name, sizeof(name));
	else
		writer_text(json, "library", library ? library->path : "");
	writer_number(json, "count", count);
	writer_end(json, '}');
}

static void json_escapes(struct writer *json)
{
	const struct cuaudit_export_table *table;
	const struct cuaudit_escape *escape;

	writer_begin(json, "escapes", '[');
	for (uint32_t i = 0; (escape = cuaudit_escape_get(i)); i++) {
		writer_begin(json, NULL, '{');
		writer_text(json, "name", escape->name);
		writer_text(json, "kind", escape_key(escape->kind));
		writer_number(json, "version", escape->version);
		writer_number(json, "flags", escape->flags);
		json_library(escape->library, call_site_escape(escape), escape->count, json);
	}
	writer_end(json, ']');
	writer_begin(json, "export_tables", '[');
	for (uint32_t i = 0; (table = cuaudit_export_table_get(i)); i++) {
		writer_begin(json, NULL, '{');
		writer_uuid(json, "uuid", table->uuid);
		writer_number(json, "size", table->size);
		json_library(table->library, call_site_table(table), table->count, json);
	}
	writer_end(json, ']');
}

static void json_drivers(const struct coverage *coverage, uint32_t first, struct writer *json)
{
	const struct cuaudit_driver *driver;

	for (uint32_t i = first; (driver = cuaudit_driver_get(i)); i++) {
		writer_begin(json, NULL, '{');
		writer_text(json, "path", driver->path);
		writer_number(json, "version", driver->version);
		writer_number(json, "exported", driver->functions);
		writer_number(json, "without_slot", driver->without_slot);
		json_functions(coverage, i, json);
		writer_end(json, '}');
	}
}

void coverage_json(const struct coverage *coverage, struct out *out)
{
	struct writer json = { .out = out };

	writer_begin(&json, NULL, '{');
	writer_number(&json, "version", 1);
	writer_number(&json, "pid", (uint64_t)getpid());
	writer_begin(&json, "drivers", '[');
	json_drivers(coverage, 0, &json);
	writer_end(&json, ']');
	writer_begin(&json, "providers", '[');
	json_drivers(coverage, CUAUDIT_FIRST_PROVIDER, &json);
	writer_end(&json, ']');
	json_escapes(&json);
	writer_number(&json, "lost_bindings", cuaudit_bindings_lost());
	writer_number(&json, "unhooked_calls", cuaudit_unhooked_calls());
	writer_number(&json, "unwound_calls", cuaudit_unwound_calls() + cuaudit_unwound_hooks());
	writer_end(&json, '}');
	out_text(out, "\n");
}
