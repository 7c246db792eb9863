/* SPDX-License-Identifier: Apache-2.0 */
/* cuaudit report: prints the record files of processes that did not come to their end. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/metrics.h"
#include "report/report.h"
#include "tools/load.h"
#include "tools/options.h"
#include "tools/tool.h"

enum format { TEXT, JSON, PROMETHEUS, OPENMETRICS };

struct settings {
	enum format format;
	size_t threads;
	struct metrics metrics;		/* of all files: they are one text */
};

static enum format format(const char *text)
{
	return *text == 'j' ? JSON : *text == 'p' ? PROMETHEUS : *text == 'o' ? OPENMETRICS : TEXT;
}

static int number(const char *text, size_t *value)
{
	char *end;

	errno = 0;
	*value = strtoul(text, &end, 10);
	return errno || *end || *text < '0' || *text > '9' ? -1 : 0;
}

static const char formats[] = "text|json|prometheus|openmetrics";

/* 0, or OPTIONS_WRONG and OPTIONS_ENOUGH. */
static int parse(int argc, char **argv, struct settings *settings)
{
	int option;

	while ((option = options_next(argc, argv)) > 0) {
		if (option == 'f' && options_among(formats, optarg)) {
			settings->format = format(optarg);
		} else if (option == 'f') {
			tool_complain("--format takes %s, not '%s'", formats, optarg);
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

static int print_report(struct settings *settings, const struct report *report, struct out *out)
{
	switch (settings->format) {
	case TEXT:
		report_text(report, out);
		break;
	case JSON:
		report_json(report, out);
		break;
	default:
		return metrics_add(&settings->metrics, report, 1);
	}
	return out_write(out, STDOUT_FILENO);
}

static int print_metrics(struct settings *settings)
{
	struct out out = { 0 };
	int error;

	metrics_text(&settings->metrics, settings->format == OPENMETRICS ?
		     METRICS_OPENMETRICS : METRICS_PROMETHEUS, &out);
	error = out_write(&out, STDOUT_FILENO);
	if (error)
		tool_complain("cannot write: %s", strerror(-error));
	out_free(&out);
	return error ? TOOL_FAILED : TOOL_OK;
}

/* NULL, or what is wrong. */
static const char *print(struct settings *settings, const char *path)
{
	struct report report = { .calls = 0 };
	struct out out = { 0 };
	struct load load;
	const char *fault = load_file(&load, path);
	int error;

	if (!fault && report_build(&report, load.segments, load.count, settings->threads))
		fault = strerror(ENOMEM);
	if (!fault) {
		error = print_report(settings, &report, &out);
		if (error == -EEXIST)
			fault = "of a process that an earlier file is of";
		else if (error)
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
	if (settings.format >= PROMETHEUS && settings.metrics.processes &&
	    print_metrics(&settings))
		status = TOOL_FAILED;
	metrics_free(&settings.metrics);
	return status;
}
