/* SPDX-License-Identifier: Apache-2.0 */
/* cuaudit report: prints the record files of processes that did not come to their end. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/report.h"
#include "tools/load.h"
#include "tools/options.h"
#include "tools/tool.h"

struct settings {
	int json;
	size_t threads;
};

static int number(const char *text, size_t *value)
{
	char *end;

	errno = 0;
	*value = strtoul(text, &end, 10);
	return errno || *end || *text < '0' || *text > '9' ? -1 : 0;
}

/* 0, or OPTIONS_WRONG and OPTIONS_ENOUGH. */
static int parse(int argc, char **argv, struct settings *settings)
{
	int option;

	while ((option = options_next(argc, argv)) > 0) {
		if (option == 'f' && options_among("text|json", optarg)) {
			settings->json = !strcmp(optarg, "json");
		} else if (option == 'f') {
			tool_complain("--format takes text or json, not '%s'", optarg);
			return OPTIONS_WRONG;
		} else if (number(optarg, &settings->threads)) {
			tool_complain("--threads takes a number, not '%s'", optarg);
			return OPTIONS_WRONG;
		}
	}
	if (option != OPTIONS_END)
		return option;
	if (optind < argc)
		return 0;
	tool_complain("report: no file given; see cuaudit report --help");
	return OPTIONS_WRONG;
}

/* NULL, or what is wrong. */
static const char *print(const struct settings *settings, const char *path)
{
	struct report report = { .calls = 0 };
	struct out out = { 0 };
	struct load load;
	const char *fault = load_file(&load, path);
	int error;

	if (!fault && report_build(&report, load.segments, load.count, settings->threads))
		fault = strerror(ENOMEM);
	if (!fault) {
		if (settings->json)
			report_json(&report, &out);
		else
			report_text(&report, &out);
		error = out_write(&out, STDOUT_FILENO);
		if (error)
			fault = strerror(-error);
	}
	out_free(&out);
	report_free(&report);
	load_free(&load);
	return fault;
}

int tool_report(int argc, char **argv)
{
	struct settings settings = { .threads = 16 };
	int option = parse(argc, argv, &settings), status = TOOL_OK;

	if (option)
		return options_status(option);
	for (int i = optind; i < argc; i++) {
		const char *fault = print(&settings, argv[i]);

		if (!fault)
			continue;
		tool_complain("%s: %s", argv[i], fault);
		status = TOOL_FAILED;
	}
	return status;
}
