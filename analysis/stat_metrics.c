/* SPDX-License-Identifier: Apache-2.0 */
/* Reports as one text of metrics, for Prometheus and what reads its formats. */
#include "analysis/stat_metrics.h"

#include <errno.h>
#include <string.h>

enum kind { COUNTER, GAUGE, HISTOGRAM };

enum family {
	CALLS, ERRORS, RESULTS, NOT_READY, SECONDS, DURATION, ANSWERED, LOST, UNHOOKED, UNWOUND, PROCESS, START,
	REPORTED
};

static const struct {
	const char *name;	/* a counter's without _total */
	enum kind kind;
	const char *unit;	/* the name ends in it, too */
	const char *help;
} families[] = {
	[CALLS] = { "cuaudit_calls", COUNTER, NULL,
		    "Calls of a driver function that reached the driver." },
	[ERRORS] = { "cuaudit_errors", COUNTER, NULL,
		     "Calls whose result was an error." },
	[RESULTS] = { "cuaudit_results", COUNTER, NULL,
		      "Calls whose result was this error." },
	[NOT_READY] = { "cuaudit_not_ready", COUNTER, NULL,
			"Queries answered with CUDA_ERROR_NOT_READY." },
	[SECONDS] = { "cuaudit_call_seconds", COUNTER, "seconds",
		      "The host's time inside a driver function." },
	[DURATION] = { "cuaudit_call_duration_seconds", HISTOGRAM, "seconds",
		       "How long calls of a driver function took the host." },
	[ANSWERED] = { "cuaudit_answered_by_hooks", COUNTER, NULL,
		       "Calls of a driver function that a hook answered for the driver." },
	[UNHOOKED] = { "cuaudit_unhooked_calls", COUNTER, NULL,
		       "Calls not counted because a hook was running on their thread." },
	[UNWOUND] = { "cuaudit_unwound_calls", COUNTER, NULL,
		      "Calls not counted because longjmp or an exception left them." },
	[LOST] = { "cuaudit_lost_calls", COUNTER, NULL,
		   "Calls not counted because memory was out." },
	[PROCESS] = { "cuaudit_process_info", GAUGE, NULL,
		      "The process that was audited; always 1." },
	[START] = { "cuaudit_process_start_time_seconds", GAUGE, "seconds",
		    "When auditing began, in seconds of the epoch." },
	[REPORTED] = { "cuaudit_report_timestamp_seconds", GAUGE, "seconds",
		       "When these figures were taken, in seconds of the epoch." }
};

_Static_assert(sizeof(families) / sizeof(families[0]) == METRICS_FAMILIES, "a name each");

static const char *const kinds[] = {
	[COUNTER] = "counter", [GAUGE] = "gauge", [HISTOGRAM] = "histogram"
};

struct metrics_process {
	struct metrics_process *next;
	uint32_t pid;
	char host[sizeof(((struct cuaudit_stat_header *)0)->host)];
};

void metrics_label(struct out *out, const char *before, const char *name, const char *value)
{
	out_text(out, before);
	out_text(out, name);
	out_text(out, "=\"");
	out_label(out, value);
	out_text(out, "\"");
}

/* What tells this process's series from those of others on its host, and from other hosts'. */
static void process_labels(struct out *out, const struct cuaudit_stat_header *header)
{
	metrics_label(out, "{", "host", header->host);
	metrics_label(out, ",", "pid", out_count(header->pid).text);
	if (header->rank)
		metrics_label(out, ",", "rank", out_count(header->rank - 1).text);
}

/* name{labels} up to the closing brace, for more labels. */
static struct out *begin(struct metrics *metrics, const struct report *report,
			 enum family family, const char *suffix)
{
	struct out *out = &metrics->families[family];

	out_text(out, families[family].name);
	out_text(out, families[family].kind == COUNTER ? "_total" : suffix);
	process_labels(out, report->header);
	return out;
}

static void end(struct out *out, const char *value)
{
	out_text(out, "} ");
	out_text(out, value);
	out_text(out, "\n");
}

static void end_count(struct out *out, uint64_t value)
{
	end(out, out_count(value).text);
}

static void end_seconds(struct out *out, uint64_t ns)
{
	end(out, out_seconds(ns).text);
}

struct place {
	const char *function;
	const char *library;	/* NULL: all together */
};

static struct out *begin_at(struct metrics *metrics, const struct report *report,
			    enum family family, const char *suffix, const struct place *place)
{
	struct out *out = begin(metrics, report, family, suffix);

	metrics_label(out, ",", "function", place->function);
	if (place->library)
		metrics_label(out, ",", "library", place->library);
	return out;
}

static void counters(struct metrics *metrics, const struct report *report,
		     const struct report_row *row, const char *library)
{
	const struct place place = { row->name, library };

	end_count(begin_at(metrics, report, CALLS, "", &place), row->times.calls);
	if (!report->timed)
		return;
	end_count(begin_at(metrics, report, ERRORS, "", &place), row->times.errors);
	if (row->times.not_ready)
		end_count(begin_at(metrics, report, NOT_READY, "", &place), row->times.not_ready);
	end_seconds(begin_at(metrics, report, SECONDS, "", &place), row->times.total);
}

/* By function alone: with libraries it would be most of the text. */
static void histogram(struct metrics *metrics, const struct report *report,
		      const struct report_row *row)
{
	const struct place place = { row->name, NULL };

	for (int i = 0; i <= SUM_BOUNDS; i++) {
		struct out *out = begin_at(metrics, report, DURATION, "_bucket", &place);

		metrics_label(out, ",", "le", i < SUM_BOUNDS ? sum_bounds[i].seconds : "+Inf");
		end_count(out, i < SUM_BOUNDS ? row->within[i] : row->times.calls);
	}
	end_seconds(begin_at(metrics, report, DURATION, "_sum", &place), row->times.total);
	end_count(begin_at(metrics, report, DURATION, "_count", &place), row->times.calls);
}

/* The calls of a caller's library from all call sites; 0: they are counted with an earlier one. */
static uint64_t count_of_library(const struct error_row *row, size_t caller)
{
	const char *library = row->callers[caller].library;
	uint64_t count = 0;

	for (size_t i = 0; i < row->ncallers; i++) {
		if (strcmp(row->callers[i].library, library) != 0)
			continue;
		if (i < caller)
			return 0;
		count += row->callers[i].count;
	}
	return count;
}

/* Of a function, which error; with libraries, of each that called. */
static void results(struct metrics *metrics, const struct report *report,
		    const struct error_row *row, int libraries)
{
	struct place place = { row->function, NULL };
	char text[ERROR_TEXT];
	uint64_t count;

	for (size_t i = 0; i < (libraries ? row->ncallers : 1); i++) {
		struct out *out;

		if (libraries)
			place.library = row->callers[i].library;
		count = libraries ? count_of_library(row, i) : row->count;
		if (!count)
			continue;
		out = begin_at(metrics, report, RESULTS, "", &place);
		metrics_label(out, ",", "result", error_result_text(text, row));
		end_count(out, count);
	}
}

static void process(struct metrics *metrics, const struct report *report)
{
	const struct cuaudit_stat_header *header = report->header;
	struct out *out = begin(metrics, report, PROCESS, "");

	metrics_label(out, ",", "program", header->program);
	end_count(out, 1);
	end_count(begin(metrics, report, LOST, ""), report->lost);
	if (!report->unknown) {
		end_count(begin(metrics, report, UNHOOKED, ""), report->unhooked);
		end_count(begin(metrics, report, UNWOUND, ""), report->unwound);
	}
	end_seconds(begin(metrics, report, START, ""), header->start_ns);
	if (header->elapsed_ns)
		end_seconds(begin(metrics, report, REPORTED, ""),
			    header->start_ns + header->elapsed_ns);
}

static int remember(struct metrics *metrics, const struct cuaudit_stat_header *header)
{
	struct metrics_process *it;

	for (it = metrics->processes; it; it = it->next)
		if (it->pid == header->pid && !strcmp(it->host, header->host))
			return -EEXIST;
	it = arena_take(&metrics->memory, 1, sizeof(*it));
	if (!it)
		return -ENOMEM;
	it->pid = header->pid;
	memcpy(it->host, header->host, sizeof(it->host));
	it->next = metrics->processes;
	metrics->processes = it;
	return 0;
}

int metrics_add(struct metrics *metrics, const struct report *report, int libraries)
{
	int error = remember(metrics, report->header);

	if (error)
		return error;
	for (size_t i = 0; libraries && i < report->nlibraries; i++) {
		const struct report_library *library = &report->libraries[i];

		for (size_t j = 0; j < library->nrows; j++)
			counters(metrics, report, &library->rows[j], library->path);
	}
	for (size_t i = 0; i < report->nrows; i++) {
		if (!libraries)
			counters(metrics, report, &report->rows[i], NULL);
		if (report->timed)
			histogram(metrics, report, &report->rows[i]);
	}
	for (size_t i = 0; i < report->errors.count; i++)
		results(metrics, report, &report->errors.rows[i], libraries);
	for (size_t i = 0; i < report->nanswered; i++) {
		const struct place place = { report->answered[i].name, NULL };

		end_count(begin_at(metrics, report, ANSWERED, "", &place), report->answered[i].calls);
	}
	process(metrics, report);
	for (int i = 0; i < METRICS_FAMILIES; i++)
		if (metrics->families[i].error)
			return metrics->families[i].error;
	return 0;
}

/* OpenMetrics has the family's name there, the text format the samples'. */
static void describe(struct out *out, const char *what, int family, enum metrics_format format,
		     const char *text)
{
	out_text(out, what);
	out_text(out, families[family].name);
	if (families[family].kind == COUNTER && format == METRICS_PROMETHEUS)
		out_text(out, "_total");
	out_text(out, " ");
	out_text(out, text);
	out_text(out, "\n");
}

void metrics_text(const struct metrics *metrics, enum metrics_format format, struct out *out)
{
	for (int i = 0; i < METRICS_FAMILIES; i++) {
		if (!metrics->families[i].used)
			continue;
		describe(out, "# HELP ", i, format, families[i].help);
		describe(out, "# TYPE ", i, format, kinds[families[i].kind]);
		if (families[i].unit && format == METRICS_OPENMETRICS)
			describe(out, "# UNIT ", i, format, families[i].unit);
		out_bytes(out, metrics->families[i].data, metrics->families[i].used);
	}
	if (format == METRICS_OPENMETRICS)
		out_text(out, "# EOF\n");
}

void metrics_free(struct metrics *metrics)
{
	for (int i = 0; i < METRICS_FAMILIES; i++)
		out_free(&metrics->families[i]);
	arena_free(&metrics->memory);
}
