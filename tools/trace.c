/* SPDX-License-Identifier: Apache-2.0 */
/* cuaudit trace: start a program and write down each of its driver calls. */
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "names/selector.h"
#include "report/size.h"
#include "tools/launch.h"
#include "tools/options.h"
#include "tools/tool.h"

struct trace_options {
	char *hook;		/* its options, as CUAUDIT_HOOKS has them */
	const char *folder;	/* NULL: none given */
	bool text;
};

/* Digits, then one of units. */
static bool is_measure(const char *value, const char *units)
{
	size_t digits = strspn(value, "0123456789");

	return digits && options_among(units, value + digits);
}

static bool is_selector(const char *value)
{
	size_t length;

	return !selector_fault(value, &length);
}

/* By what the table of options says that it takes. */
static bool is_right(const struct option_row *row, const char *value)
{
	uint64_t size;

	if (!strcmp(row->value, "N"))
		return is_measure(value, "");
	if (!strcmp(row->value, "SIZE"))
		return size_parse(value, &size);
	if (!strcmp(row->value, "TIME"))
		return is_measure(value, "ns|us|ms|s");
	if (!strcmp(row->value, "SELECTOR"))
		return is_selector(value);
	return *row->value < 'a' || options_among(row->value, value);
}

/* What ends an option in CUAUDIT_HOOKS. */
static bool is_closed(const char *value)
{
	int open = 0;

	for (; *value && open >= 0; value++)
		open += (*value == '(') - (*value == ')');
	return open || *value;
}

static const struct option_row *find_row(int option)
{
	const struct option_row *row = option_rows;

	while (row->letter != option || !option_belongs(row, "trace"))
		row++;
	return row;
}

/* An option of the hook's own: it has the same name there. */
static int take_hook(struct trace_options *trace, int option)
{
	const struct option_row *row = find_row(option);

	if (!is_right(row, optarg)) {
		tool_complain("--%s takes %s, not '%s'", row->name, row->value, optarg);
		return -1;
	}
	if (strchr(optarg, ';') || is_closed(optarg)) {
		tool_complain("--%s: no ';' and no bracket without its other may be in '%s'",
			      row->name, optarg);
		return -1;
	}
	trace->hook = launch_join(trace->hook, ";", launch_join(row->name, "=", optarg));
	return 0;
}

static int take(struct launch *launch, struct trace_options *trace, int option)
{
	int result;

	switch (option) {
	case 'o':
		trace->folder = optarg;
		return 0;
	case 'T':
		trace->text = true;
		return 0;
	}
	result = launch_take(launch, option);
	return result == LAUNCH_OTHER ? take_hook(trace, option) : result;
}

/* A file for each process; by way of the variable, whose values may hold anything. */
static void choose_output(struct launch *launch, const struct trace_options *trace)
{
	launch->folder = trace->folder;
	if (!trace->folder && !trace->text)
		launch->folder = "cuaudit-trace";
	if (launch->folder)
		launch->output = launch_join(launch_path_template(launch->folder), "/",
					     "%e-%h-%p");
}

int tool_trace(int argc, char **argv)
{
	struct trace_options trace = { .hook = NULL };
	struct launch launch = { .driver = NULL };
	int option;

	while ((option = options_next(argc, argv)) > 0)
		if (take(&launch, &trace, option))
			return TOOL_FAILED;
	if (option == OPTIONS_END)
		option = options_program(argc, argv);
	if (option)
		return options_status(option);
	if (trace.text)
		trace.hook = launch_join(trace.hook, ";", "text=yes");
	launch.hooks = launch_join("trace(", trace.hook ? trace.hook : "", ")");
	choose_output(&launch, &trace);
	return launch_start(&launch, argv + optind);
}
