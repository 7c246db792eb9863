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

/* 0, or -1 after a message. */
static int parse(int argc, char **argv, struct settings *settings)
{
	static const struct option options[] = {
		{ "format", required_argument, NULL, 'f' },
		{ "threads", required_argument, NULL, 't' },
		{ NULL, 0, NULL, 0 }
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "f:t:", options, NULL)) != -1) {
		if (option == 'f' && (!strcmp(optarg, "text") || !strcmp(optarg, "json"))) {
			settings->json = !strcmp(optarg, "json");
		} else if (option == 'f') {
			tool_complain("--format takes text or json, not '%s'", optarg);
			return -1;
		} else if (option == 't' && number(optarg, &settings->threads)) {
			tool_complain("--threads takes a number, not '%s'", optarg);
			return -1;
		} else if (option == '?') {
			tool_complain("report: '%s' is wrong; see cuaudit --help", argv[optind - 1]);
			return -1;
		}
	}
	if (optind < argc)
		return 0;
	tool_complain("report: no file given; see cuaudit --help");
	return -1;
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
	int status = TOOL_OK;

	if (parse(argc, argv, &settings))
		return TOOL_FAILED;
	for (int i = optind; i < argc; i++) {
		const char *fault = print(&settings, argv[i]);

		if (!fault)
			continue;
		tool_complain("%s: %s", argv[i], fault);
		status = TOOL_FAILED;
	}
	return status;
}
