/* SPDX-License-Identifier: Apache-2.0 */
/* cuaudit report: prints what traces and the record files of stat say. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/error_symbols.h"
#include "analysis/stat_metrics.h"
#include "analysis/stat_report.h"
#include "tools/conflicts.h"
#include "tools/inputs.h"
#include "tools/hook_report.h"
#include "tools/merge_stat.h"
#include "tools/options.h"
#include "tools/summarize.h"
#include "tools/terminal.h"
#include "tools/tool.h"
#include "util/selector.h"

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

static int number(const char *option, const char *text, size_t least, size_t *value)
{
	char *end;

	errno = 0;
	*value = strtoul(text, &end, 10);
	if (!errno && !*end && *text >= '0' && *text <= '9' && *value >= least)
		return 0;
	tool_complain("--%s takes a number%s, not '%s'", option, least ? " from 1" : "", text);
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
	case 'y':
		return choose_tables(&how->print.tables, value);
	case 'I':
		return options_range(value, &how->options.in_range);
	case 'c':
		settings->colour = value;
		return among("color", "auto|always|never", value);
	case 'D':
		return options_names(value, &how->options.names);
	case 'X':
		how->options.failed = true;
		return 0;
	case 'C':
		settings->diff = true;
		return 0;
	case 'p':
		how->exit_code = true;
		return 0;
	case 'm':
		return choose_format(settings, value);
	case 'g':
		return choose_bars(settings, value);
	case 'Y':
		how->no_symbols = *value == 'n';
		return among("symbols", "yes|no", value);
	case 'H':
		settings->html = value;
		return 0;
	case 'j':
		return number("jobs", value, 1, &how->options.jobs);
	case 'n':
		settings->top = true;
		return number("top", value, 0, &how->print.top);
	default:
		return number("threads", value, 0, &how->options.threads);
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
	else if (settings->diff && argc - optind != 2)
		tool_complain("report: --diff takes two files or directories");
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
	how->options.ranges = how->print.tables >> SUMMARY_BY_RANGE & 1;
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
		break;
	}
	return out_write(out, STDOUT_FILENO, IO_FOREVER);
}

static int print_metrics(struct settings *settings)
{
	struct out out = { 0 };
	int error;

	metrics_text(&settings->metrics, settings->format == OPENMETRICS ?
		     METRICS_OPENMETRICS : METRICS_PROMETHEUS, &out);
	error = out_write(&out, STDOUT_FILENO, IO_FOREVER);
	if (error)
		tool_complain("cannot write: %s", strerror(-error));
	out_free(&out);
	return error ? TOOL_FAILED : TOOL_OK;
}

static void complain_symbols(void *data, const char *path, const char *text)
{
	(void)data;
	tool_complain("%s: %s", path, text);
}

static const char *print_merged(struct settings *settings, struct merge *merge)
{
	struct symbols *symbols = NULL;
	struct out out = { 0 };
	int error = 0;

	if (settings->format < PROMETHEUS && merge->report.errors.count && !settings->how.no_symbols) {
		symbols = symbols_new(settings->how.options.names, complain_symbols, NULL);
		merge->report.errors.find = symbols ? error_symbols_find : NULL;
		merge->report.errors.data = symbols;
		error = symbols ? 0 : -ENOMEM;
	}
	if (!error)
		error = settings->format < PROMETHEUS ? print_report(settings, &merge->report, &out) :
			merge_metrics(merge, &settings->metrics);
	if (!error && symbols && symbols_error(symbols)) {
		error = symbols_error(symbols);
		if (symbols_fault(symbols))
			tool_complain("%s: %s; --symbols no does without it", symbols_fault(symbols),
				      strerror(-error));
	}
	symbols_free(symbols);
	out_free(&out);
	return error == -EEXIST ? "of a process that an earlier file is of" :
	       error ? strerror(-error) : NULL;
}

/* A record file by itself. NULL, or what is wrong. */
static const char *print_stat(struct settings *settings, const char *path)
{
	struct merge merge = { .count = 0 };
	const char *fault = merge_add(&merge, path, 0), *damage = NULL;

	if (merge.count) {
		const char *other = NULL;

		if (merge_build(&merge, NULL, settings->how.options.threads, NULL, &damage))
			other = strerror(ENOMEM);
		else
			other = print_merged(settings, &merge);
		fault = other ? other : fault ? fault : damage;
	}
	merge_free(&merge);
	return fault;
}

static const char *last_part(const char *path)
{
	const char *end = path + strlen(path), *start;
	static char name[256];

	while (end > path + 1 && end[-1] == '/')
		end--;
	for (start = end; start > path && start[-1] != '/';)
		start--;
	snprintf(name, sizeof(name), "%.*s", (int)(end - start), start);
	return name;
}

/* The record files of a directory, from the first on, are one report. A status. */
static int print_directory(struct settings *settings, const struct inputs *inputs, size_t first,
			const char *directory)
{
	struct merge merge = { .count = 0 };
	const char *fault;
	int status = TOOL_OK;

	for (size_t i = first; i < inputs->count; i++) {
		const struct input *file = &inputs->files[i];

		if (file->directory != inputs->files[first].directory || file->kind != INPUT_STAT)
			continue;
		fault = merge_add(&merge, file->path, 0);
		if (!fault)
			continue;
		tool_complain("%s: %s", file->path, fault);
		status = TOOL_FAILED;
	}
	if (!merge.count)
		return status;
	if (merge_build(&merge, last_part(directory), settings->how.options.threads, NULL, &fault)) {
		tool_complain("%s: %s", directory, strerror(ENOMEM));
		status = TOOL_FAILED;
		goto out;
	}
	if (fault) {
		tool_complain("%s: %s", directory, fault);
		status = TOOL_FAILED;
	}
	if (merge.report.nruns > 1)
		tool_complain("%s: files of %zu runs of cuaudit stat are added up; move those of one "
			      "run to a directory of their own for a report of it", directory,
			      merge.report.nruns);
	fault = print_merged(settings, &merge);
	if (fault) {
		tool_complain("%s: %s", directory, fault);
		status = TOOL_FAILED;
	}
out:
	merge_free(&merge);
	return status;
}

/* A record file; a trace waits for the others. A status. */
static int print_one(struct settings *settings, const struct inputs *inputs, size_t i, char **files,
		     size_t *traces)
{
	const struct input *file = &inputs->files[i];
	const char *fault = NULL;

	if (file->kind == INPUT_TRACE) {
		++*traces;
		if (settings->format >= PROMETHEUS)
			fault = "a trace, of which there are no metrics";
	} else if (settings->how.options.failed) {
		fault = file->kind == INPUT_LEAK ? "a report, which --failed takes none of" :
			"saved statistics, every report of which names the errors; --failed takes traces";
	} else if (settings->how.options.in_range) {
		fault = "no trace, as --in-range takes";
	} else if (file->kind == INPUT_LEAK) {
		fault = settings->format >= PROMETHEUS ? "a report, of which there are no metrics" :
			hook_report(file->path, settings->format == JSON, !settings->how.no_symbols,
				    settings->how.options.names);
	} else if (!file->directory) {
		fault = print_stat(settings, file->path);
	} else {
		for (size_t j = 0; j < i; j++)
			if (inputs->files[j].directory == file->directory &&
			    inputs->files[j].kind == INPUT_STAT)
				return TOOL_OK;
		return print_directory(settings, inputs, i, files[file->directory - 1]);
	}
	if (!fault)
		return TOOL_OK;
	tool_complain("%s: %s", file->path, fault);
	return TOOL_FAILED;
}

static bool holds(const struct inputs *inputs, enum input_kind kind)
{
	for (size_t i = 0; i < inputs->count; i++)
		if (inputs->files[i].kind == kind)
			return true;
	return false;
}

/* Record files one by one, or as one text of metrics, then all traces as one. */
static int print(struct settings *settings, char **files, size_t count)
{
	struct inputs inputs;
	size_t traces = 0;
	int status = inputs_take(&inputs, files, count, INPUT_TRACE | INPUT_STAT | INPUT_LEAK);

	if (inputs.count && !holds(&inputs, INPUT_TRACE) && conflicts_any("report", ":records")) {
		inputs_free(&inputs);
		return TOOL_FAILED;
	}
	for (size_t i = 0; i < inputs.count; i++)
		if (print_one(settings, &inputs, i, files, &traces))
			status = TOOL_FAILED;
	if (settings->metrics.processes && print_metrics(settings))
		status = TOOL_FAILED;
	if (traces && settings->format < PROMETHEUS && summarize(&settings->how, &inputs))
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

	if (inputs.count && (inputs_spare(&inputs, target) || summarize_page(how, target, &inputs)))
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
	if (status == TOOL_OK && !holds(&a, INPUT_TRACE) && !holds(&b, INPUT_TRACE) &&
	    conflicts_any("report", ":records-compared"))
		status = TOOL_FAILED;
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
