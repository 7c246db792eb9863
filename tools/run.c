/* SPDX-License-Identifier: Apache-2.0 */
/* cuaudit run and cuaudit stat: start a program with hooks of one's choice, or with statistics. */
#include <getopt.h>
#include <stdlib.h>

#include "tools/launch.h"
#include "tools/options.h"
#include "tools/tool.h"

int tool_run(int argc, char **argv)
{
	struct launch launch = { .driver = NULL };
	int option;

	while ((option = options_next(argc, argv)) > 0) {
		int result = launch_take(&launch, option);

		if (result < 0)
			return TOOL_FAILED;
		if (result == LAUNCH_OTHER)
			launch.hooks = launch_join(launch.hooks, ",", optarg);
	}
	if (option == OPTIONS_END)
		option = options_program(argc, argv);
	return option ? options_status(option) : launch_start(&launch, argv + optind);
}

struct stat_options {
	const char *format, *interval;
};

static int take_interval(struct stat_options *stat, const char *value)
{
	char *end;
	double seconds = strtod(value, &end);

	if (end == value || *end || !(seconds > 0)) {
		tool_complain("--interval takes seconds, 10 or 0.5, not '%s'", value);
		return -1;
	}
	stat->interval = value;
	return 0;
}

static int take_format(struct stat_options *stat, const char *value)
{
	static const char formats[] = "text|json|prometheus|openmetrics";

	if (!options_among(formats, value)) {
		tool_complain("--format takes %s, not '%s'", formats, value);
		return -1;
	}
	stat->format = value;
	return 0;
}

static int take_stat(struct stat_options *stat, int option)
{
	switch (option) {
	case 'i':
		return take_interval(stat, optarg);
	case 'm':
		return take_format(stat, optarg);
	default:
		stat->format = "json";
		return 0;
	}
}

int tool_stat(int argc, char **argv)
{
	struct stat_options stat = { .format = "text" };
	struct launch launch = { .driver = NULL };
	int option;

	while ((option = options_next(argc, argv)) > 0) {
		int result = launch_take(&launch, option);

		if (result == LAUNCH_OTHER)
			result = take_stat(&stat, option);
		if (result)
			return TOOL_FAILED;
	}
	if (option == OPTIONS_END)
		option = options_program(argc, argv);
	if (option)
		return options_status(option);
	launch.hooks = launch_join("stat(format", "=", stat.format);
	if (stat.interval)
		launch.hooks = launch_join(launch.hooks, ";interval=", stat.interval);
	launch.hooks = launch_join(launch.hooks, "", ")");
	launch.reports = true;
	return launch_start(&launch, argv + optind);
}
