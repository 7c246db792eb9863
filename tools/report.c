/* SPDX-License-Identifier: Apache-2.0 */
/* cuaudit report: prints what traces and the record files of stat say. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "names/selector.h"
#include "report/metrics.h"
#include "report/report.h"
#include "tools/inputs.h"
#include "tools/load.h"
#include "tools/options.h"
#include "tools/summarize.h"
#include "tools/terminal.h"
#include "tools/tool.h"

enum {
	COLUMNS = 132,
	THREADS = 16,
	TOP = 40,
	POINTS = 240
};

enum format { TEXT, JSON, PROMETHEUS, OPENMETRICS };

struct settings {
	struct summarize how;
	enum format format;
	struct metrics metrics;		/* of all record files: they are one text */
	bool diff, top;
	const char *colour;
	const char *html;
	struct selector *bars;
};

static int number(const char *option, const char *text, size_t *value)
{
	char *end;

	errno = 0;
	*value = strtoul(text, &end, 10);
	if (!errno && !*end && *text >= '0' && *text <= '9')
		return 0;
	tool_complain("--%s takes a number, not '%s'", option, text);
	return -1;
}

static int among(const char *option, const char *values, const char *text)
{
	if (options_among(values, text))
		return 0;
	tool_complain("--%s takes %s, not '%s'", option, values, text);
	return -1;
}

static int choose_format(struct settings *settings, const char *text)
{
	if (among("format", "text|json|prometheus|openmetrics", text))
		return -1;
	settings->format = *text == 'j' ? JSON : *text == 'p' ? PROMETHEUS :
			   *text == 'o' ? OPENMETRICS : TEXT;
	settings->how.json = settings->format == JSON;
	return 0;
}

static int choose_table(unsigned int *tables, const char *name, size_t length)
{
	const char *words[SUMMARY_TABLES + 1] = { NULL };
	char word[32];

	for (int i = 0; i < SUMMARY_TABLES; i++) {
		words[i] = summary_tables[i];
		if (strlen(words[i]) == length && !memcmp(words[i], name, length)) {
			*tables |= 1u << i;
			return 0;
		}
	}
	snprintf(word, sizeof(word), "%.*s", (int)length, name);
	options_unknown("table", word, words, "report");
	return -1;
}

/* "function,rank" */
static int choose_tables(unsigned int *tables, const char *text)
{
	size_t length;

	for (;; text += length + 1) {
		length = strcspn(text, ",");
		if (choose_table(tables, text, length))
			return -1;
		if (!text[length])
			return 0;
	}
}

static int choose_bars(struct settings *settings, const char *text)
{
	if (options_selector("--histogram: ", text))
		return -1;
	if (settings->bars)
		selector_close(settings->bars);
	settings->bars = selector_open(text);
	if (!settings->bars)
		tool_complain("no memory");
	return settings->bars ? 0 : -1;
}

static int choose(struct settings *settings, int option, const char *value)
{
	struct summarize *how = &settings->how;

	switch (option) {
	case 'b':
		return choose_tables(&how->print.tables, value);
	case 'c':
		settings->colour = value;
		return among("color", "auto|always|never", value);
	case 'D':
		return options_names(value, &how->options.names);
	case 'd':
		settings->diff = true;
		return 0;
	case 'f':
		return choose_format(settings, value);
	case 'g':
		return choose_bars(settings, value);
	case 'H':
		settings->html = value;
		return 0;
	case 'j':
		return number("jobs", value, &how->options.jobs);
	case 'n':
		settings->top = true;
		return number("top", value, &how->print.top);
	default:
		return number("threads", value, &how->options.threads);
	}
}

/* 0, or OPTIONS_WRONG and OPTIONS_ENOUGH. */
static int parse(int argc, char **argv, struct settings *settings)
{
	int option;

	while ((option = options_next(argc, argv)) > 0)
		if (choose(settings, option, optarg))
			return OPTIONS_WRONG;
	if (option != OPTIONS_END)
		return option;
	if (optind == argc)
		tool_complain("report: no file given; see cuaudit report --help");
	else if (settings->diff && settings->format >= PROMETHEUS)
		tool_complain("report: --diff prints text or json");
	else if (settings->diff && argc - optind != 2)
		tool_complain("report: --diff takes two files or folders");
	else if (settings->diff && settings->html)
		tool_complain("report: --html is of one job; it does not go with --diff");
	else
		return 0;
	return OPTIONS_WRONG;
}

/* What the terminal and the tables that are wanted decide. */
static void settle(struct settings *settings)
{
	struct summarize *how = &settings->how;

	how->options.points = POINTS;
	how->options.callers = how->json || how->print.tables >> SUMMARY_BY_CALLER & 1;
	how->print.columns = terminal_columns(COLUMNS);
	how->print.colour = terminal_colour(settings->colour);
	how->print.blocks = terminal_utf8();
	how->print.bars = settings->bars;
	if (!settings->top && !how->json)
		how->print.top = TOP;
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
static const char *print_stat(struct settings *settings, const char *path)
{
	struct report report = { .calls = 0 };
	struct out out = { 0 };
	struct load load;
	const char *fault = load_file(&load, path);
	int error;

	if (!fault && report_build(&report, load.segments, load.count,
				   settings->how.options.threads))
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

/* A record file; a trace waits for the others. NULL, or what is wrong. */
static const char *print_one(struct settings *settings, const struct input *file, size_t *traces)
{
	if (file->kind == INPUT_STAT)
		return print_stat(settings, file->path);
	if (settings->format >= PROMETHEUS)
		return "a trace, of which there are no metrics";
	++*traces;
	return NULL;
}

/* Record files one by one, or as one text of metrics, then all traces as one. */
static int print(struct settings *settings, char **files, size_t count)
{
	struct inputs inputs;
	size_t traces = 0;
	int status = inputs_take(&inputs, files, count, INPUT_TRACE | INPUT_STAT);

	for (size_t i = 0; i < inputs.count; i++) {
		const char *fault = print_one(settings, &inputs.files[i], &traces);

		if (!fault)
			continue;
		tool_complain("%s: %s", inputs.files[i].path, fault);
		status = TOOL_FAILED;
	}
	if (settings->metrics.processes && print_metrics(settings))
		status = TOOL_FAILED;
	if (traces && summarize(&settings->how, &inputs))
		status = TOOL_FAILED;
	if (traces && settings->bars && settings->format == TEXT)
		options_unmatched("--histogram: ", settings->bars);
	metrics_free(&settings->metrics);
	inputs_free(&inputs);
	return status;
}

static int page(const struct summarize *how, const char *target, char **files, size_t count)
{
	struct inputs inputs;
	int status = inputs_take(&inputs, files, count, INPUT_TRACE);

	if (inputs.count && summarize_page(how, target, &inputs))
		status = TOOL_FAILED;
	inputs_free(&inputs);
	return status;
}

static int diff(const struct summarize *how, char **files)
{
	struct inputs a, b = { .count = 0 };
	int status = inputs_take(&a, files, 1, INPUT_TRACE | INPUT_STAT);

	if (status == TOOL_OK)
		status = inputs_take(&b, files + 1, 1, INPUT_TRACE | INPUT_STAT);
	if (status == TOOL_OK)
		status = summarize_diff(how, &a, &b);
	inputs_free(&a);
	inputs_free(&b);
	return status;
}

int tool_report(int argc, char **argv)
{
	struct settings settings = {
		.how.options = { .threads = THREADS, .names = DEMANGLE_SHORT },
		.colour = "auto",
	};
	int option = parse(argc, argv, &settings), status;

	if (option) {
		status = options_status(option);
	} else {
		settle(&settings);
		status = settings.diff ? diff(&settings.how, argv + optind) :
			 settings.html ? page(&settings.how, settings.html, argv + optind,
					      (size_t)(argc - optind)) :
			 print(&settings, argv + optind, (size_t)(argc - optind));
	}
	if (settings.bars)
		selector_close(settings.bars);
	return status;
}
