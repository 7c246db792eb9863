/* SPDX-License-Identifier: Apache-2.0 */
/* Traces, added up and printed. */
#include "tools/summarize.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/difference.h"
#include "analysis/error_symbols.h"
#include "analysis/symbols.h"
#include "export/html/page.h"
#include "tools/atomic_file.h"
#include "tools/merge_stat.h"
#include "tools/options.h"
#include "tools/progress.h"
#include "tools/tool.h"
#include "tracefile/losses.h"

enum { ARENAS = 2 };

static void tell(void *data, uint64_t done, uint64_t all)
{
	progress_tell(data, done, all);
}

/* What could not be read, a line each. */
static int complain(const struct summary *summary)
{
	for (size_t i = 0; i < summary->nprocesses; i++)
		if (summary->processes[i].fault)
			tool_complain("%s: %s", summary->processes[i].path,
				      summary->processes[i].fault);
	return summary->faults ? TOOL_FAILED : TOOL_OK;
}

/* What is missing of those that were read, a line each. */
static int complain_losses(const struct summary *summary)
{
	int status = TOOL_OK;

	for (size_t i = 0; i < summary->nprocesses; i++) {
		const struct summary_process *process = &summary->processes[i];
		char text[512] = "";
		struct buffer out = { text, sizeof(text), 0 };

		if (process->fault || !trace_losses_any(&process->losses))
			continue;
		trace_losses_print(&out, &process->losses);
		tool_complain("%s: %s", process->path, text);
		status = TOOL_FAILED;
	}
	return status;
}

/*
 * Adds up the traces among the inputs. A status; where there is nothing to print, all
 * processes are faults. summary_free in all cases.
 */
static int build(struct summary *summary, const struct summarize *how, const struct inputs *inputs)
{
	char **paths = calloc(inputs->count + 1, sizeof(*paths));
	struct summary_options options = how->options;
	struct progress progress;
	size_t count = 0;
	int error = -ENOMEM;

	*summary = (struct summary){ .store = NULL };
	for (size_t i = 0; paths && i < inputs->count; i++)
		if (inputs->files[i].kind == INPUT_TRACE)
			paths[count++] = inputs->files[i].path;
	/* One for each thread is much address space, which may be limited. */
	mallopt(M_ARENA_MAX, ARENAS);
	progress_begin(&progress, "report");
	options.progress = tell;
	options.data = &progress;
	if (paths)
		error = summary_build(summary, paths, count, &options);
	free(paths);
	progress_clear(&progress);
	if (!error && options.in_range && !summary->in_range && summary->faults < summary->nprocesses)
		options_no_range(options.in_range);
	if (!error)
		return complain(summary);
	tool_complain("report: %s", strerror(-error));
	/* Half of the calls, or none, would look like all of them. */
	summary->faults = summary->nprocesses;
	return TOOL_FAILED;
}

/* Nothing is printed of what is not whole. */
static int finish(struct out *out, int error)
{
	if (!error)
		error = out->error;
	if (!error)
		error = out_write(out, STDOUT_FILENO, IO_FOREVER);
	out_free(out);
	if (!error)
		return TOOL_OK;
	tool_complain("cannot write: %s", strerror(-error));
	return TOOL_FAILED;
}

static void complain_symbols(void *data, const char *path, const char *text)
{
	(void)data;
	tool_complain("%s: %s", path, text);
}

/* For callers, which are looked up when they are printed. 0 or -ENOMEM. */
static int want_symbols(struct summary *summary, const struct summarize *how)
{
	if (how->no_symbols ||
	    !(how->options.callers || how->print.tables >> SUMMARY_BY_ERROR & 1))
		return 0;
	summary->symbols = symbols_new(how->options.names, complain_symbols, NULL);
	summary->errors.find = summary->symbols ? error_symbols_find : NULL;
	summary->errors.data = summary->symbols;
	return summary->symbols ? 0 : -ENOMEM;
}

/* Whether a library's file could not be read; a message then. */
static bool symbols_failed(const struct summary *summary)
{
	int error = summary->symbols ? symbols_error(summary->symbols) : 0;

	if (!error)
		return false;
	if (error == -ENOMEM)
		tool_complain("report: %s", strerror(ENOMEM));
	else
		tool_complain("%s: %s; --symbols no does without it", symbols_fault(summary->symbols),
			      strerror(-error));
	return true;
}

int summarize(const struct summarize *how, const struct inputs *inputs)
{
	struct summary summary;
	struct out out = { 0 };
	int status = build(&summary, how, inputs);
	int error = want_symbols(&summary, how);

	if (summary.faults < summary.nprocesses) {
		if (how->json)
			summary_json(&summary, &how->print, &out);
		else
			summary_text(&summary, &how->print, &out);
	}
	if (!error && symbols_failed(&summary))
		status = TOOL_FAILED;
	else if (finish(&out, error))
		status = TOOL_FAILED;
	if (summary.faults < summary.nprocesses && complain_losses(&summary))
		status = TOOL_FAILED;
	out_free(&out);
	symbols_free(summary.symbols);
	summary_free(&summary);
	return status;
}

/* One side of a comparison; a record file's names stay where it was read to. */
struct side {
	struct summary summary;
	struct merge merge;
};

/* The functions of record files, which is all that is compared of them. */
static const char *sum_stat(struct side *side, const struct summarize *how)
{
	const struct report *report = &side->merge.report;
	struct summary *summary = &side->summary;
	const char *fault;

	if (merge_build(&side->merge, NULL, how->options.threads, NULL, &fault))
		return strerror(ENOMEM);
	if (fault)
		return fault;
	summary->functions = calloc(report->nrows + 1, sizeof(*summary->functions));
	summary->processes = calloc(report->nprocesses + 1, sizeof(*summary->processes));
	if (!summary->functions || !summary->processes)
		return strerror(ENOMEM);
	summary->nprocesses = report->nprocesses;
	for (size_t i = 0; i < report->nrows; i++) {
		const struct report_row *row = &report->rows[i];

		summary->functions[summary->nfunctions++] =
			(struct summary_function){ .name = row->name, .times = row->times };
		row_add(&summary->counts, &row->times);
	}
	for (size_t i = 0; i < report->nprocesses; i++)
		summary->processes[i].counts = report->processes[i].counts;
	return NULL;
}

static int build_side(struct side *side, const struct summarize *how, const struct inputs *inputs)
{
	enum input_kind kind = inputs->files[0].kind;
	const char *fault = NULL, *path = inputs->files[0].path;

	*side = (struct side){ .merge = { .count = 0 } };
	for (size_t i = 1; i < inputs->count; i++) {
		if (inputs->files[i].kind == kind)
			continue;
		tool_complain("%s: %s", inputs->files[i].path, kind == INPUT_TRACE ?
			      "a record file among traces" : "a trace among record files");
		return TOOL_FAILED;
	}
	if (kind == INPUT_TRACE)
		return build(&side->summary, how, inputs);
	for (size_t i = 0; i < inputs->count && !fault; i++) {
		path = inputs->files[i].path;
		fault = merge_add(&side->merge, path, 0);
	}
	if (!fault)
		fault = sum_stat(side, how);
	if (!fault)
		return TOOL_OK;
	tool_complain("%s: %s", path, fault);
	return TOOL_FAILED;
}

static void free_side(struct side *side)
{
	summary_free(&side->summary);
	merge_free(&side->merge);
}

static int write_page(const struct summary *summary, const char *target)
{
	struct atomic_file file;
	int error;

	if (atomic_file_begin(&file, target, ATOMIC_FILE))
		return TOOL_FAILED;
	error = page_write(summary, file.fd);
	if (!error && !symbols_failed(summary))
		return atomic_file_end(&file);
	if (error)
		tool_complain("%s: %s", file.target, strerror(-error));
	atomic_file_drop(&file);
	return TOOL_FAILED;
}

int summarize_page(const struct summarize *how, const char *target, const struct inputs *inputs)
{
	struct summarize all = *how;
	struct summary summary;
	int status;

	all.options.threads = PAGE_THREADS;
	all.options.ranges = true;
	all.options.points = PAGE_POINTS;
	all.options.callers = true;
	status = build(&summary, &all, inputs);
	if (want_symbols(&summary, &all)) {
		tool_complain("report: %s", strerror(ENOMEM));
		summary.faults = summary.nprocesses;
		status = TOOL_FAILED;
	}
	if (summary.faults < summary.nprocesses && write_page(&summary, target))
		status = TOOL_FAILED;
	if (summary.faults < summary.nprocesses && complain_losses(&summary))
		status = TOOL_FAILED;
	symbols_free(summary.symbols);
	summary_free(&summary);
	return status;
}

static struct difference_side comparable(const struct side *side)
{
	return (struct difference_side){
		&side->summary, side->merge.count ? &side->merge.report : NULL
	};
}

/* The verdict of --exit-code: a status, after a line if it is not TOOL_OK. */
static int judge(const struct side *before, const struct side *after)
{
	const struct difference_side a = comparable(before), b = comparable(after);
	const char *fault_a = difference_side_fault(&a), *fault_b = difference_side_fault(&b);
	const char *fault = fault_a ? fault_a : fault_b ? fault_b : difference_fault(&a, &b);
	const char *gap = difference_gap(&a, &b);
	struct out line = { 0 };
	int64_t count = 0;

	if (fault) {
		tool_complain("report: --exit-code: %s%s", fault_a ? "A: " : fault_b ? "B: " : "", fault);
		return TOOL_FAILED;
	}
	if (gap)
		tool_complain("report: --exit-code: %s", gap);
	count = difference_find(&a, &b, &line);
	if (count < 0)
		tool_complain("report: %s", strerror(ENOMEM));
	else if (count)
		tool_complain("report: B differs from A: %.*s", (int)line.used, line.data);
	out_free(&line);
	return count < 0 ? TOOL_FAILED : count ? TOOL_BROKEN : TOOL_OK;
}

int summarize_diff(const struct summarize *how, const struct inputs *a, const struct inputs *b)
{
	struct side before, after;
	struct out out = { 0 };
	int status = build_side(&before, how, a), error = 0;

	if (build_side(&after, how, b))
		status = TOOL_FAILED;
	/* Half of a job is not compared with all of it. */
	if (status == TOOL_OK) {
		error = how->json ? summary_diff_json(&before.summary, &after.summary,
						      &how->print, &out) :
				    summary_diff_text(&before.summary, &after.summary,
						      &how->print, &out);
		status = finish(&out, error);
		if (complain_losses(&before.summary) | complain_losses(&after.summary))
			status = TOOL_FAILED;
	}
	if (status == TOOL_OK && how->exit_code)
		status = judge(&before, &after);
	free_side(&before);
	free_side(&after);
	return status;
}
