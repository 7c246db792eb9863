/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what the coverage hook has gathered. */
#include "hooks/modules/coverage/coverage_print.h"

#include <unistd.h>

#include "analysis/escape_kind.h"

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

static void key(struct out *out, const char *before, const char *name)
{
	out_text(out, before);
	out_json(out, name);
	out_text(out, ":");
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
			 what == 'c' ? coverage->called[slot] : function->id < 0;
	}
	return found;
}

static void text_driver(const struct coverage *coverage, const struct cuaudit_driver *driver,
			struct out *out)
{
	const struct cuaudit_function *function;

	out_text(out, "\nDriver  ");
	out_fit(out, driver->path, PATH_COLUMNS);
	out_text(out, "\n  functions   ");
	out_u64(out, driver->functions);
	out_text(out, " exported, ");
	out_u64(out, count(coverage, driver->index, 'b'));
	out_text(out, " bound, ");
	out_u64(out, count(coverage, driver->index, 'c'));
	out_text(out, " called, ");
	out_u64(out, driver->unrouted);
	out_text(out, " without a slot\n  newer than the table:");
	for (uint32_t slot = 0; (function = cuaudit_function_get(slot)); slot++) {
		if (function->driver != driver->index || function->id >= 0)
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

static void text_escapes(struct out *out)
{
	const struct cuaudit_export_table *table;
	const struct cuaudit_escape *escape;

	out_text(out, "\nNot routed");
	out_text(out, cuaudit_escape_get(0) ? "\n" : "  nothing\n");
	for (uint32_t i = 0; (escape = cuaudit_escape_get(i)); i++) {
		number(out, escape->count, NUMBER);
		out_text(out, "  ");
		out_fit(out, escape->name, PATH_COLUMNS);
		out_text(out, escape_reason(escape->kind));
		if (escape->library) {
			out_text(out, ", for ");
			out_fit(out, escape->library->path, PATH_COLUMNS);
		}
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
	text_libraries(coverage, out);
	if (cuaudit_bindings_lost()) {
		number(out, cuaudit_bindings_lost(), NUMBER);
		out_text(out, "  more bindings than there is room for\n");
	}
	if (cuaudit_unhooked_calls()) {
		number(out, cuaudit_unhooked_calls(), NUMBER);
		out_text(out, "  calls made while a hook ran: by a signal handler, or by the hook\n");
	}
	if (cuaudit_unwound_calls() + cuaudit_unwound_hooks()) {
		number(out, cuaudit_unwound_calls() + cuaudit_unwound_hooks(), NUMBER);
		out_text(out, "  calls left by longjmp or an exception\n");
	}
	text_escapes(out);
}

/* The bindings of one function; the list is sorted by driver and name. */
static void json_bindings(const struct coverage *coverage, uint32_t slot, struct out *out)
{
	const char *comma = "";

	key(out, ",", "bound");
	out_text(out, "[");
	for (size_t i = 0; i < coverage->count; i++) {
		const struct cuaudit_binding *binding = &coverage->bindings[i];

		if (binding->slot != slot)
			continue;
		out_text(out, comma);
		key(out, "{", "library");
		out_json(out, binding->library->path);
		key(out, ",", "route");
		out_json(out, routes[binding->route]);
		key(out, ",", "count");
		out_u64(out, binding->count);
		key(out, ",", "real");
		out_text(out, binding->real ? "true}" : "false}");
		comma = ",";
	}
	out_text(out, "]");
}

static void json_functions(const struct coverage *coverage, uint32_t driver, struct out *out)
{
	const struct cuaudit_function *function;
	const char *comma = "";

	key(out, ",", "functions");
	out_text(out, "[");
	for (uint32_t slot = 0; (function = cuaudit_function_get(slot)); slot++) {
		if (function->driver != driver)
			continue;
		out_text(out, comma);
		key(out, "{", "name");
		out_json(out, function->name);
		key(out, ",", "in_table");
		out_text(out, function->id >= 0 ? "true" : "false");
		key(out, ",", "called");
		out_text(out, coverage->called[slot] ? "true" : "false");
		json_bindings(coverage, slot, out);
		out_text(out, "}");
		comma = ",";
	}
	out_text(out, "]}");
}

static void json_escapes(struct out *out)
{
	const struct cuaudit_export_table *table;
	const struct cuaudit_escape *escape;

	key(out, ",", "unrouted");
	out_text(out, "[");
	for (uint32_t i = 0; (escape = cuaudit_escape_get(i)); i++) {
		key(out, i ? ",{" : "{", "name");
		out_json(out, escape->name);
		key(out, ",", "kind");
		out_json(out, escape_key(escape->kind));
		key(out, ",", "version");
		out_u64(out, escape->version);
		key(out, ",", "flags");
		out_u64(out, escape->flags);
		key(out, ",", "library");
		out_json(out, escape->library ? escape->library->path : "");
		key(out, ",", "count");
		out_u64(out, escape->count);
		out_text(out, "}");
	}
	key(out, "],", "export_tables");
	out_text(out, "[");
	for (uint32_t i = 0; (table = cuaudit_export_table_get(i)); i++) {
		key(out, i ? ",{" : "{", "uuid");
		out_text(out, "\"");
		out_uuid(out, table->uuid);
		out_text(out, "\"");
		key(out, ",", "size");
		out_u64(out, table->size);
		key(out, ",", "library");
		out_json(out, table->library ? table->library->path : "");
		key(out, ",", "count");
		out_u64(out, table->count);
		out_text(out, "}");
	}
	out_text(out, "]");
}

void coverage_json(const struct coverage *coverage, struct out *out)
{
	const struct cuaudit_driver *driver;

	key(out, "{", "version");
	out_text(out, "1");
	key(out, ",", "pid");
	out_u64(out, (uint64_t)getpid());
	key(out, ",", "drivers");
	out_text(out, "[");
	for (uint32_t i = 0; (driver = cuaudit_driver_get(i)); i++) {
		key(out, i ? ",{" : "{", "path");
		out_json(out, driver->path);
		key(out, ",", "version");
		out_u64(out, driver->version);
		key(out, ",", "exported");
		out_u64(out, driver->functions);
		key(out, ",", "without_slot");
		out_u64(out, driver->unrouted);
		json_functions(coverage, i, out);
	}
	out_text(out, "]");
	json_escapes(out);
	key(out, ",", "lost_bindings");
	out_u64(out, cuaudit_bindings_lost());
	key(out, ",", "unhooked_calls");
	out_u64(out, cuaudit_unhooked_calls());
	key(out, ",", "unwound_calls");
	out_u64(out, cuaudit_unwound_calls() + cuaudit_unwound_hooks());
	out_text(out, "}\n");
}
