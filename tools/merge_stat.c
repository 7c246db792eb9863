/* SPDX-License-Identifier: Apache-2.0 */
/* Saved statistics of several processes, as one report. */
#include "tools/merge_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/process.h"

static const struct cuaudit_stat_header *header_of(const struct report_source *source)
{
	return source->segments[0].data;
}

const char *merge_add(struct merge *merge, const char *path, uint64_t run)
{
	struct load load;
	const char *fault = load_file(&load, path);

	if (fault || (run && ((const struct cuaudit_stat_header *)load.data)->run != run)) {
		load_free(&load);
		return fault;
	}
	/* At each power of two there is no more room. */
	if (!(merge->count & (merge->count - 1))) {
		size_t room = merge->count ? 2 * merge->count : 1;
		void *loads = reallocarray(merge->loads, room, sizeof(*merge->loads));
		void *sources = reallocarray(merge->sources, room, sizeof(*merge->sources));

		merge->loads = loads ? loads : merge->loads;
		merge->sources = sources ? sources : merge->sources;
		if (!loads || !sources) {
			load_free(&load);
			return strerror(ENOMEM);
		}
	}
	merge->loads[merge->count] = load;
	merge->sources[merge->count++] = (struct report_source){
		.segments = load.segments, .count = load.count, .status = -1
	};
	return load.cut ? "cut short: what is missing is in no figure" : NULL;
}

/* By process, in the order of its programs. */
static int by_process(const void *left, const void *right)
{
	const struct cuaudit_stat_header *a = header_of(left), *b = header_of(right);
	int order = strcmp(a->host, b->host);

	if (order)
		return order;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* The same process, though perhaps of another program. */
static bool is_same(const struct cuaudit_stat_header *a, const struct cuaudit_stat_header *b)
{
	return a->pid == b->pid && a->process_start == b->process_start && !strcmp(a->host, b->host);
}

static bool is_here(const struct cuaudit_stat_header *header)
{
	char host[sizeof(header->host)];

	if (gethostname(host, sizeof(host)))
		return false;
	host[sizeof(host) - 1] = '\0';
	return !strcmp(host, header->host);
}

static bool is_alive(const struct cuaudit_stat_header *header)
{
	return header->process_start && is_here(header) &&
	       process_runs(header->pid, header->process_start);
}

/* next: the source after it, NULL for the last. */
static void judge(struct report_source *source, const struct report_source *next,
		  const struct merge_child *child)
{
	const struct cuaudit_stat_header *header = header_of(source);
	bool ended = header->flags & CUAUDIT_STAT_ENDED;

	bool told = header->ending == (ended ? CUAUDIT_STAT_BY_EXIT : CUAUDIT_STAT_BY_QUIT) &&
		    header->status <= UINT8_MAX;

	source->end = ended ? REPORT_END_EXIT : told ? REPORT_END_QUIT : REPORT_END_UNKNOWN;
	source->status = told ? (int)header->status : -1;
	if (next && is_same(header, header_of(next))) {
		source->end = REPORT_END_EXEC;
		source->status = -1;
	} else if (child && child->ended && (pid_t)header->pid == child->pid && is_here(header)) {
		bool killed = WIFSIGNALED(child->status);

		source->end = killed ? REPORT_END_SIGNAL : ended ? REPORT_END_EXIT : REPORT_END_QUIT;
		source->status = killed ? WTERMSIG(child->status) : WEXITSTATUS(child->status);
	} else if (!ended && is_alive(header)) {
		source->end = REPORT_END_RUNS;
		source->status = -1;
	}
}

int merge_build(struct merge *merge, const char *name, size_t threads,
		const struct merge_child *child, const char **fault)
{
	struct report *report = &merge->report;
	int error;

	*fault = NULL;
	qsort(merge->sources, merge->count, sizeof(*merge->sources), by_process);
	for (size_t i = 0; i < merge->count; i++)
		judge(&merge->sources[i], i + 1 < merge->count ? &merge->sources[i + 1] : NULL, child);
	error = report_merge(report, merge->sources, merge->count, threads);
	if (error)
		return error;
	report->name = name;
	if (report->damaged)
		*fault = "damaged: what is missing is in no figure";
	return 0;
}

size_t merge_running(const struct merge *merge)
{
	size_t count = 0;

	for (size_t i = 0; i < merge->count; i++)
		count += merge->sources[i].end == REPORT_END_RUNS;
	return count;
}

int merge_metrics(const struct merge *merge, struct metrics *metrics)
{
	int error = 0;

	for (size_t i = 0, end; i < merge->count && !error; i = end) {
		const struct cuaudit_stat_header *first = header_of(&merge->sources[i]);
		struct report report;

		for (end = i + 1; end < merge->count; end++) {
			const struct cuaudit_stat_header *next = header_of(&merge->sources[end]);

			if (next->pid != first->pid || strcmp(next->host, first->host))
				break;
		}
		error = report_merge(&report, &merge->sources[i], end - i, 0);
		if (!error && report.nprocesses)
			error = metrics_add(metrics, &report, 1);
		report_free(&report);
	}
	return error;
}

void merge_free(struct merge *merge)
{
	report_free(&merge->report);
	for (size_t i = 0; i < merge->count; i++)
		load_free(&merge->loads[i]);
	free(merge->loads);
	free(merge->sources);
	*merge = (struct merge){ .count = 0 };
}
