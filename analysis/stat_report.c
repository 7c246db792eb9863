/* SPDX-License-Identifier: Apache-2.0 */
/* What the records of one process, or of all of a run, say, ready to be printed. */
#include "analysis/stat_report.h"

#include <errno.h>
#include <string.h>

#include "analysis/stat_escapes.h"
#include "analysis/stat_part.h"
#include "util/buffer.h"
#include "util/sort.h"

/* A cell with calls, by the names behind its numbers. */
struct cell_ref {
	const char *function;
	const char *library;
	const struct cuaudit_stat_cell *cell;
	const struct cuaudit_stat_header *header;
	uint32_t process;
};

static const char unnamed[] = "(unknown function)", nowhere[] = "(none)";

static int by_library(const void *left, const void *right)
{
	const struct cell_ref *a = left, *b = right;

	return strcmp(a->library, b->library) ?: strcmp(a->function, b->function);
}

static int by_function(const void *left, const void *right)
{
	const struct cell_ref *a = left, *b = right;

	return strcmp(a->function, b->function);
}

static int rows_by_total(const void *left, const void *right)
{
	const struct report_row *a = left, *b = right;

	return row_compare(&a->times, &b->times) ?: strcmp(a->name, b->name);
}

static int libraries_by_total(const void *left, const void *right)
{
	const struct report_library *a = left, *b = right;

	return row_compare(&a->counts, &b->counts) ?: strcmp(a->path, b->path);
}

/* One row for each run of refs of one function that the driver was called for; returns how many. */
static size_t fill_rows(struct report *report, struct report_row *rows,
			const struct cell_ref *refs, size_t count)
{
	struct sum sum;
	size_t n = 0;

	for (size_t i = 0; i < count;) {
		const char *name = refs[i].function;

		sum_clear(&sum);
		for (; i < count && !strcmp(refs[i].function, name); i++)
			sum_add_of(&sum, refs[i].cell, refs[i].header, report->header);
		if (!sum.calls)
			continue;
		rows[n].name = name;
		sum_row(&sum, report->header, &rows[n++]);
	}
	sort(rows, n, sizeof(*rows), rows_by_total);
	return n;
}

static int fill_libraries(struct report *report, struct cell_ref *refs, size_t count)
{
	struct report_row *rows = arena_take(&report->memory, count, sizeof(*rows));

	report->libraries = arena_take(&report->memory, count, sizeof(*report->libraries));
	if (!rows || !report->libraries)
		return -ENOMEM;
	sort(refs, count, sizeof(*refs), by_library);
	for (size_t i = 0, end; i < count; i = end) {
		struct report_library *library = &report->libraries[report->nlibraries];

		library->path = refs[i].library;
		for (end = i; end < count && !strcmp(refs[end].library, library->path);)
			end++;
		library->rows = rows;
		library->nrows = fill_rows(report, rows, refs + i, end - i);
		for (size_t j = 0; j < library->nrows; j++)
			row_add(&library->counts, &rows[j].times);
		rows += library->nrows;
		/* Unless all of its calls were answered by hooks. */
		report->nlibraries += library->nrows != 0;
	}
	sort(report->libraries, report->nlibraries, sizeof(*report->libraries),
	     libraries_by_total);
	return 0;
}

static int by_thread(const void *left, const void *right)
{
	const struct cell_ref *a = left, *b = right;

	return ORDER(a->process, b->process) ?: ORDER(a->cell->thread, b->cell->thread) ?:
	       strcmp(a->function, b->function);
}

static struct report_thread *find_thread(struct report_threads *threads,
					 const struct cell_ref *ref)
{
	for (size_t i = 0; i < threads->count; i++)
		if (threads->rows[i].number == ref->cell->thread &&
		    threads->rows[i].process == ref->process)
			return &threads->rows[i];
	return NULL;
}

static int fill_threads(struct report *report, struct cell_ref *refs, size_t count)
{
	struct report_row *rows = arena_take(&report->memory, count, sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	sort(refs, count, sizeof(*refs), by_thread);
	for (size_t i = 0, end; i < count; i = end) {
		struct report_thread *thread = find_thread(&report->threads, &refs[i]);

		for (end = i; end < count && refs[end].process == refs[i].process &&
			      refs[end].cell->thread == refs[i].cell->thread;)
			end++;
		if (!thread)
			continue;
		thread->rows = rows;
		thread->nrows = fill_rows(report, rows, refs + i, end - i);
		rows += thread->nrows;
	}
	return 0;
}

/* refs by function. */
static int fill_answered(struct report *report, const struct cell_ref *refs, size_t count)
{
	struct report_answered *rows = arena_take(&report->memory, count, sizeof(*rows));
	size_t n = 0;

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < count;) {
		const char *name = refs[i].function;

		rows[n] = (struct report_answered){ .name = name };
		for (; i < count && !strcmp(refs[i].function, name); i++)
			rows[n].calls += refs[i].cell->answered;
		n += rows[n].calls != 0;
	}
	report->answered = rows;
	report->nanswered = n;
	return 0;
}

static int fill_functions(struct report *report, struct cell_ref *refs, size_t count)
{
	report->rows = arena_take(&report->memory, count, sizeof(*report->rows));
	if (!report->rows)
		return -ENOMEM;
	sort(refs, count, sizeof(*refs), by_function);
	report->nrows = fill_rows(report, report->rows, refs, count);
	for (size_t i = 0; i < report->nrows; i++)
		row_add(&report->counts, &report->rows[i].times);
	return fill_answered(report, refs, count);
}

static void add_to_process(struct report_process *process, const struct cuaudit_stat_cell *cell)
{
	process->counts.calls += cell->calls;
	process->counts.errors += cell->errors;
	process->answered += cell->answered;
	process->counts.total += sum_ns(process->header, cell->total);
}

static int errors_by_library(const void *left, const void *right)
{
	const struct error_calls *a = left, *b = right;

	return strcmp(a->library, b->library) ?: strcmp(a->function, b->function);
}

static size_t name_errors(struct error_calls *calls, const struct part *parts, size_t nparts)
{
	size_t n = 0;

	for (size_t i = 0; i < nparts; i++)
		for (size_t j = 0; j < parts[i].errors.count; j++) {
			const struct cuaudit_stat_error *error = parts[i].errors.records[j];
			const struct cuaudit_stat_library *library =
				part_library(&parts[i], error->library);
			struct error_calls *call = &calls[n++];

			*call = (struct error_calls){
				.function = part_function(&parts[i], error->slot) ?: unnamed,
				.library = part_path(&parts[i], error->library) ?: nowhere,
				.offset = error->offset, .caller = error->own_caller,
				.result = error->result, .count = error->count
			};
			if (library)
				call->id_size = records_build_id(library, &call->build_id);
		}
	sort(calls, n, sizeof(*calls), errors_by_library);
	return n;
}

/* Errors by result, then those of which no record tells the result. refs by library and function. */
static int fill_errors(struct report *report, const struct part *parts, size_t nparts,
		       const struct cell_ref *refs, size_t count)
{
	struct error_calls *calls;
	size_t room = count, named, n, at = 0;

	for (size_t i = 0; i < nparts; i++)
		room += parts[i].errors.count;
	calls = arena_take(&report->memory, room, sizeof(*calls));
	if (!calls)
		return -ENOMEM;
	named = n = name_errors(calls, parts, nparts);
	for (size_t i = 0, end; i < count; i = end) {
		struct error_calls rest = { refs[i].function, refs[i].library, .others = true };
		uint64_t known = 0;
		int order = -1;

		for (end = i; end < count && !by_library(&refs[i], &refs[end]); end++)
			rest.count += refs[end].cell->errors;
		for (; at < named && (order = errors_by_library(&calls[at], &rest)) <= 0; at++)
			known += order ? 0 : calls[at].count;
		/* What is read of a process that runs may be of two moments. */
		rest.count -= known < rest.count ? known : rest.count;
		if (rest.count)
			calls[n++] = rest;
	}
	return error_rows_fill(&report->errors, &report->memory, calls, n);
}

static int fill_refs(struct report *report, const struct part *parts, size_t nparts)
{
	struct cell_ref *refs;
	size_t count = 0, room = 0;

	for (size_t i = 0; i < nparts; i++)
		room += parts[i].cells.count;
	refs = arena_take(&report->memory, room, sizeof(*refs));
	if (!refs)
		return -ENOMEM;
	for (size_t i = 0; i < nparts; i++)
		for (size_t j = 0; j < parts[i].cells.count; j++) {
			const struct cuaudit_stat_cell *cell = parts[i].cells.records[j];
			const char *function;

			if (!cell->calls && !cell->answered)
				continue;
			function = part_function(&parts[i], cell->slot);
			/* What is read of a process that runs may be of two moments. */
			report->damaged += !function && report->processes[i].end != REPORT_END_RUNS;
			refs[count++] = (struct cell_ref){
				.function = function ? function : unnamed,
				.library = part_path(&parts[i], cell->library),
				.cell = cell,
				.header = parts[i].header,
				.process = (uint32_t)i
			};
			if (!refs[count - 1].library)
				refs[count - 1].library = nowhere;
			add_to_process(&report->processes[i], cell);
		}
	if (fill_libraries(report, refs, count) || fill_errors(report, parts, nparts, refs, count) ||
	    fill_threads(report, refs, count))
		return -ENOMEM;
	return fill_functions(report, refs, count);
}

static int by_time(const void *left, const void *right)
{
	const struct report_process *a = left, *b = right;

	return row_compare(&a->counts, &b->counts) ?: ORDER(a->header->pid, b->header->pid);
}

static int by_run(const void *left, const void *right)
{
	const struct report_process *a = left, *b = right;

	return ORDER(a->header->run, b->header->run);
}

/* After the threads, who know them by their index. */
static void finish_processes(struct report *report)
{
	struct report_process *processes = report->processes;
	size_t kept = 0;

	for (size_t i = 0; i < report->nprocesses; i++)
		if (processes[i].counts.calls || processes[i].answered || processes[i].header->lost ||
		    processes[i].header->unhooked)
			processes[kept++] = processes[i];
	for (size_t i = 0; i < kept; i++)
		report->unknown += !(processes[i].header->flags & CUAUDIT_STAT_COVERAGE);
	report->nprocesses = kept;
	sort(processes, kept, sizeof(*processes), by_run);
	for (size_t i = 0; i < kept; i++)
		report->nruns += processes[i].header->run &&
				 (!i || processes[i].header->run != processes[i - 1].header->run);
	sort(processes, kept, sizeof(*processes), by_time);
}

static void add_header(struct report *report, const struct cuaudit_stat_header *header)
{
	if (!report->first_ns || header->start_ns < report->first_ns)
		report->first_ns = header->start_ns;
	if (header->start_ns > report->last_ns)
		report->last_ns = header->start_ns;
	report->timed &= !!(header->flags & CUAUDIT_STAT_TIMED);
	report->partial += !!(header->flags & CUAUDIT_STAT_PARTIAL);
	report->lost += header->lost;
	report->unhooked += header->unhooked;
	report->unwound += header->unwound;
}

static int fill_parts(struct report *report, struct part *parts,
		      const struct report_source *sources, size_t count)
{
	size_t threads = 0;

	for (size_t i = 0; i < count; i++) {
		struct records walk;

		if (part_gather(&parts[i], &report->memory, sources[i].segments, sources[i].count))
			return -ENOMEM;
		walk = parts[i].records;
		while (records_next(&walk))
			;
		report->damaged += walk.damaged;
		threads += threads_count(parts[i].records);
		report->processes[i] = (struct report_process){
			.header = parts[i].header, .end = sources[i].end, .status = sources[i].status
		};
		add_header(report, parts[i].header);
	}
	if (threads_room(&report->threads, &report->memory, threads))
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		threads_add(&report->threads, parts[i].records, parts[i].header, (uint32_t)i);
	return 0;
}

int report_merge(struct report *report, const struct report_source *sources, size_t count,
		 size_t threads)
{
	struct part *parts;

	*report = (struct report){ .timed = 1 };
	report->header = sources[0].segments[0].data;
	parts = arena_take(&report->memory, count, sizeof(*parts));
	report->processes = arena_take(&report->memory, count, sizeof(*report->processes));
	if (!parts || !report->processes)
		return -ENOMEM;
	report->nprocesses = count;
	if (fill_parts(report, parts, sources, count))
		return -ENOMEM;
	threads_finish(&report->threads, threads);
	if (escapes_fill(report, parts, count) || fill_refs(report, parts, count))
		return -ENOMEM;
	finish_processes(report);
	return 0;
}

int report_build(struct report *report, const struct segment *segments, size_t count,
		 size_t threads)
{
	const struct report_source source = {
		.segments = segments,
		.count = count,
		.end = ((const struct cuaudit_stat_header *)segments[0].data)->flags &
		       CUAUDIT_STAT_ENDED ? REPORT_END_EXIT : REPORT_END_UNKNOWN,
		.status = -1
	};

	return report_merge(report, &source, 1, threads);
}

struct out_number report_end_text(const struct report_process *process)
{
	static const char *const words[] = {
		[REPORT_END_UNKNOWN] = "not by exit()", [REPORT_END_EXIT] = "exit",
		[REPORT_END_QUIT] = "_exit", [REPORT_END_SIGNAL] = "signal",
		[REPORT_END_EXEC] = "exec", [REPORT_END_RUNS] = "still running"
	};
	struct out_number text;
	struct buffer out = { text.text, sizeof(text.text), 0 };

	buffer_text(&out, words[process->end]);
	if ((process->end == REPORT_END_EXIT && process->status >= 0) ||
	    process->end == REPORT_END_QUIT || process->end == REPORT_END_SIGNAL) {
		buffer_char(&out, ' ');
		buffer_unsigned(&out, (uint64_t)process->status);
	}
	buffer_end(&out);
	return text;
}

void report_free(struct report *report)
{
	arena_free(&report->memory);
}
