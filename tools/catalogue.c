/* SPDX-License-Identifier: Apache-2.0 */
/* What settings can name: functions, classes, hooks, variables. */
#include "tools/catalogue.h"

#include <cuaudit/api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "tools/auditor.h"
#include "tools/tool.h"

/* The short names rows give their classes by. */
enum {
#define CLASS(name, text, summary) name = CUAUDIT_CLASS_##name,
#include <cuaudit/classes.def>
#undef CLASS
};

static const struct {
	const char *name, *base;
	uint32_t version, classes;
	const char *parameters;
} functions[] = {
#define DIRECTION_VAL	""
#define DIRECTION_IN	"in "
#define DIRECTION_OUT	"out "
#define DIRECTION_INOUT "inout "
#define DIRECTION_ADDR	"addr "
#define P(direction, type, name) DIRECTION_##direction #type " " #name
#define SEP ", "
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) \
	{ #symbol, #base, version, classes, "(" params ")" },
#include <cuaudit/driver_api.def>
#undef CUAPI
#undef SEP
#undef P
};

/* Of the runtime; one name may have several rows, of different parameters. */
static const struct {
	const char *name;
	uint32_t version;
	const char *parameters;
} runtime[] = {
#define DIRECTION_PTR	""
#define P(direction, type, name, offset, size) DIRECTION_##direction #type " " #name
#define SEP ", "
#define RUNTIME(id, symbol, callback, version, result, nparams, params) \
	{ #symbol, version, "(" params ")" },
#include <cuaudit/runtime_api.def>
#undef RUNTIME
#undef SEP
#undef P
};

/* Of export tables, those that have names. */
static const char *const slots[] = {
#define EXPORT_SLOT(table, slot, name) #table "." #name,
#include "tables/export_tables.def"
};

/* As they are bound, where they are. */
static const char *const libc[] = {
#define LIBC_FUNCTION(name, how) "libc.so.6:" #name,
#include <internal/libc_functions.def>
#undef LIBC_FUNCTION
};

static const struct {
	const char *name, *summary;
	int id;
} domains[] = {
#define DOMAIN(name, text, id, bit, summary) { text, summary, id },
#include "util/domain_classes.def"
#undef DOMAIN
};

static const struct {
	const char *name, *summary;
	uint32_t bit;
} classes[] = {
#define CLASS(name, text, summary) { text, summary, CUAUDIT_CLASS_##name },
#include <cuaudit/classes.def>
#undef CLASS
};

static const struct {
	const char *name, *fallback, *values, *summary;
} variables[] = {
#define VARIABLE(name, field, kind, fallback, values, summary) \
	{ "CUAUDIT_" #name, fallback, values, summary },
#include <cuaudit/variables.def>
#undef VARIABLE
};

enum {
	NFUNCTIONS = sizeof(functions) / sizeof(functions[0]),
	NRUNTIME = sizeof(runtime) / sizeof(runtime[0]),
	NSLOTS = sizeof(slots) / sizeof(slots[0]),
	NLIBC = sizeof(libc) / sizeof(libc[0]),
	NDOMAINS = sizeof(domains) / sizeof(domains[0]),
	NCLASSES = sizeof(classes) / sizeof(classes[0]),
	NVARIABLES = sizeof(variables) / sizeof(variables[0])
};

enum { TEXT = 1024 };

const char *const catalogue_kinds[] = { "functions", "classes", "hooks", "variables", NULL };

static void class_names(uint32_t bits, char text[TEXT])
{
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; i < NCLASSES; i++)
		if (bits & classes[i].bit)
			used += (size_t)snprintf(text + used, TEXT - used, "%s%s", used ? "," : "",
						 classes[i].name);
}

/* "T * x" as C is written. */
static void tidy(const char *parameters, char text[TEXT])
{
	size_t used = 0;

	for (; *parameters && used < TEXT - 1; parameters++)
		if (*parameters != ' ' || !used || text[used - 1] != '*')
			text[used++] = *parameters;
	text[used] = '\0';
}

bool catalogue_function(uint32_t index, struct cuaudit_function *function)
{
	*function = (struct cuaudit_function){ .id = CUAUDIT_ID_RUNTIME };
	if (index < NFUNCTIONS) {
		function->name = functions[index].name;
		function->base = functions[index].base;
		function->id = (int)index;
		function->version = functions[index].version;
		function->classes = functions[index].classes;
		return true;
	}
	index -= NFUNCTIONS;
	if (index < NRUNTIME) {
		function->name = function->base = runtime[index].name;
		function->version = runtime[index].version;
		return true;
	}
	index -= NRUNTIME;
	if (index < NSLOTS) {
		function->name = function->base = slots[index];
		function->id = CUAUDIT_ID_TABLES;
		return true;
	}
	index -= NSLOTS;
	if (index < NLIBC) {
		function->name = function->base = libc[index];
		function->id = CUAUDIT_ID_PROVIDER;
	}
	return index < NLIBC;
}

/* The driver has functions without a row beside; of providers none is known before it is bound. */
static bool is_of_domain(const struct cuaudit_function *function, int domain)
{
	return domains[domain].id == (function->id < 0 ? function->id : CUAUDIT_ID_UNKNOWN) &&
	       strcmp(domains[domain].name, "providers") != 0;
}

static const char *domain_name(const struct cuaudit_function *function)
{
	for (int i = 0; i < NDOMAINS; i++)
		if (is_of_domain(function, i))
			return domains[i].name;
	return "";
}

static const char *parameters_of(uint32_t index)
{
	if (index < NFUNCTIONS)
		return functions[index].parameters;
	index -= NFUNCTIONS;
	return index < NRUNTIME ? runtime[index].parameters : "";
}

static void each_function(catalogue_fn each, void *data)
{
	char version[32], names[TEXT], parameters[TEXT];
	struct entry entry = { .first = version, .second = names, .summary = parameters };

	for (uint32_t i = 0; catalogue_function(i, &entry.names); i++) {
		uint32_t number = entry.names.version;

		strcpy(version, "-");
		if (number)
			snprintf(version, sizeof(version), "%u.%u", number / 1000,
				 number % 1000 / 10);
		if (entry.names.id >= 0)
			class_names(entry.names.classes, names);
		else
			snprintf(names, sizeof(names), "%s", domain_name(&entry.names));
		tidy(parameters_of(i), parameters);
		each(&entry, data);
	}
}

static int count_domain(int domain)
{
	struct cuaudit_function function;
	int count = 0;

	for (uint32_t i = 0; catalogue_function(i, &function); i++)
		count += is_of_domain(&function, domain);
	return count;
}

static void each_domain(catalogue_fn each, void *data)
{
	for (int i = 0; i < NDOMAINS; i++) {
		int members = count_domain(i);
		char name[64], count[32] = "-";
		struct entry entry = {
			.names = { .name = name, .base = domains[i].name, .id = domains[i].id },
			.first = count, .second = "", .summary = domains[i].summary,
		};

		snprintf(name, sizeof(name), "%%%s", domains[i].name);
		if (members)
			snprintf(count, sizeof(count), "%d", members);
		each(&entry, data);
	}
}

static void each_class(catalogue_fn each, void *data)
{
	for (int i = 0; i < NCLASSES; i++) {
		char name[64], count[32];
		struct entry entry = {
			.names = { .name = name, .base = classes[i].name,
				   .classes = classes[i].bit },
			.first = count, .second = "", .summary = classes[i].summary,
		};
		int members = 0;

		for (int k = 0; k < NFUNCTIONS; k++)
			members += !!(functions[k].classes & classes[i].bit);
		snprintf(name, sizeof(name), "%%%s", classes[i].name);
		snprintf(count, sizeof(count), "%d", members);
		each(&entry, data);
	}
}

static void each_variable(catalogue_fn each, void *data)
{
	for (int i = 0; i < NVARIABLES; i++) {
		struct entry entry = {
			.names = { .name = variables[i].name,
				   .base = strchr(variables[i].name, '_') + 1 },
			.first = *variables[i].fallback ? variables[i].fallback : "-",
			.second = variables[i].values, .summary = variables[i].summary,
		};

		each(&entry, data);
	}
}

/* The core tells, which has them; without an auditor it starts nothing. */
static int each_hook(int quiet, catalogue_fn each, void *data)
{
	enum finding finding;
	const char *first, *auditor = auditor_path(&finding, &first);
	__typeof__(cuaudit_builtin) *builtin;
	const struct cuaudit_module *module;
	void *core;

	if (!auditor) {
		if (!quiet)
			finding_complain(finding, first, NULL);
		return -1;
	}
	core = dlopen(auditor_beside(auditor, "cuaudit-core.so"), RTLD_NOW | RTLD_LOCAL);
	builtin = core ? (__typeof__(cuaudit_builtin) *)dlsym(core, "cuaudit_builtin") : NULL;
	if (!builtin) {
		if (!quiet)
			tool_complain("%s; install cuaudit again", dlerror());
		return -1;
	}
	for (uint32_t i = 0; (module = builtin(i)); i++) {
		struct entry entry = {
			.names = { .name = module->name, .base = module->name },
			.first = "", .second = "", .summary = module->summary,
			.options = module->options,
		};

		each(&entry, data);
	}
	return 0;
}

int catalogue_each(const char *kind, int quiet, catalogue_fn each, void *data)
{
	switch (*kind) {
	case 'f':
		each_function(each, data);
		return 0;
	case 'c':
		each_class(each, data);
		each_domain(each, data);
		return 0;
	case 'h':
		return each_hook(quiet, each, data);
	default:
		each_variable(each, data);
		return 0;
	}
}
