/* SPDX-License-Identifier: Apache-2.0 */
/* Goes through trace files, file after file or by time, for a format. */
#include "export/convert.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/file.h"
#include "util/sort.h"

enum { STEP = 1 << 16 };	/* calls between two looks at the progress */

int convert_fault(struct convert *convert, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(convert->fault, sizeof(convert->fault), format, list);
	va_end(list);
	return -EIO;
}

static void count(struct convert *convert)
{
	if (++convert->done % STEP == 0 && convert->progress)
		convert->progress(convert->progress_data, convert->done, convert->all);
}

/* What the format is given next is this file's. */
static void turn_to(struct convert *convert, struct convert_file *file)
{
	convert->lines->file = &file->lines;
	convert->ranges = &file->ranges;
	convert->file = file;
}

static int take_call(struct convert *convert, struct convert_file *file,
		     const struct trace_call *call)
{
	count(convert);
	if (!convert_file_takes(file, call->site, call->start, call->end) ||
	    (convert->choice.failed && !trace_is_error(convert_function(&file->trace, call->site),
						       call->result)) ||
	    !convert_file_in_range(file, call->thread, call->start))
		return 0;
	convert->calls++;
	turn_to(convert, file);
	return convert->format->call(convert, &file->trace, call) ?: convert->lines->error;
}

static int take_mark(struct convert *convert, struct convert_file *file,
		     const struct trace_mark *mark)
{
	if (!convert->format->mark || !convert_file_in_time(file, mark->ticks, mark->ticks))
		return 0;
	return convert->format->mark(convert, &file->trace, mark);
}

static int take_range(struct convert *convert, struct convert_file *file)
{
	const struct trace_range *range = convert_file_range(file);

	if (!convert->format->range || !convert_file_takes_range(file, range))
		return 0;
	turn_to(convert, file);
	return convert->format->range(convert, &file->trace, range);
}

static int begin_file(struct convert *convert, struct convert_file *file)
{
	convert->damaged = 0;
	turn_to(convert, file);
	return convert->format->file ? convert->format->file(convert, &file->trace) : 0;
}

/* Inner calls first, as they would end. */
static int by_depth(const void *a, const void *b)
{
	const struct cuaudit_trace_open *x = a, *y = b;

	return ORDER(y->depth, x->depth);
}

/* The calls of a thread that have not ended; owner: its number. */
static int take_opens(struct convert *convert, struct convert_file *file,
		      const struct trace_chunk *last, uint32_t owner)
{
	struct cuaudit_trace_open calls[CUAUDIT_TRACE_OPEN];
	int error = 0;

	memcpy(calls, last->open, sizeof(calls));
	if (convert->format->nests)
		qsort(calls, CUAUDIT_TRACE_OPEN, sizeof(calls[0]), by_depth);
	for (uint32_t i = 0; !error && i < CUAUDIT_TRACE_OPEN; i++) {
		const struct convert_open open = {
			.start = calls[i].ticks, .seen = file->opens_end, .thread = owner,
			.site = calls[i].site, .depth = calls[i].depth,
		};

		if (!open.start || open.site >= file->trace.nsites ||
		    file->trace.sites[open.site].function == TRACE_NONE ||
		    !convert_file_takes(file, open.site, open.start, open.seen) ||
		    !convert_file_in_range(file, owner, open.start))
			continue;
		convert->opens++;
		turn_to(convert, file);
		error = convert->format->open(convert, &file->trace, &open);
	}
	return error;
}

static bool has_opens(const struct trace_chunk *chunk)
{
	for (uint32_t i = 0; i < CUAUDIT_TRACE_OPEN; i++)
		if (chunk->open[i].ticks)
			return true;
	return false;
}

static int take_all_opens(struct convert *convert, struct convert_file *file)
{
	int error = 0;

	for (size_t i = 0; !error && i < file->trace.nthreads; i++) {
		const struct trace_thread *thread = &file->trace.threads[i];
		size_t last = thread->first + thread->count - 1;
		uint32_t owner;

		if (!thread->count || !has_opens(&file->trace.chunks[last]))
			continue;
		error = trace_chunk_owner(&file->trace, last, &owner) ?:
			take_opens(convert, file, &file->trace.chunks[last], owner);
	}
	return error;
}

static void note_length(struct convert *convert, const struct convert_file *file)
{
	uint64_t first = convert->first_ns - convert->choice.from;
	uint64_t end = trace_ns(&file->trace, file->seen);

	if (end > first && end - first > convert->length)
		convert->length = end - first;
}

static int end_file(struct convert *convert, struct convert_file *file)
{
	bool apart = convert->format->open && !convert->format->nests && !convert->choice.failed;
	int error = apart ? take_all_opens(convert, file) : 0;

	turn_to(convert, file);
	if (!error && convert->format->file_end)
		error = convert->format->file_end(convert, &file->trace);
	if (!error)
		error = convert->lines->error;
	convert_file_complain(file, convert);
	note_length(convert, file);
	return error;
}

static int walk_thread(struct convert *convert, struct convert_file *file,
		       struct trace_walk *walk, const struct trace_thread *thread)
{
	struct trace_call call;
	int error = 0;

	if (convert->format->thread)
		error = convert->format->thread(convert, &file->trace, thread);
	for (uint32_t i = 0; !error && i < thread->count; i++) {
		trace_walk_chunk(walk, thread->first + i);
		while (!error && trace_walk_next(walk, &call))
			error = take_call(convert, file, &call);
		convert_file_saw(file, walk->last);
		if (!error)
			error = walk->error;
	}
	if (!error && convert->format->nests && thread->count && !convert->choice.failed)
		error = take_opens(convert, file,
				   &file->trace.chunks[thread->first + thread->count - 1],
				   walk->thread);
	return error;
}

static int walk_file(struct convert *convert, struct convert_file *file)
{
	size_t window = trace_window(&file->trace);
	void *buffer = malloc(window);
	struct trace_walk walk;
	int error;

	if (!buffer)
		return -ENOMEM;
	trace_walk_begin(&walk, &file->trace, buffer, window);
	error = begin_file(convert, file);
	for (size_t i = 0; !error && i < file->trace.nmarks; i++)
		error = take_mark(convert, file, &file->trace.marks[i]);
	for (file->range = 0; !error && file->range < file->ranges.count; file->range++)
		error = take_range(convert, file);
	for (size_t i = 0; !error && i < file->trace.nthreads; i++)
		error = walk_thread(convert, file, &walk, &file->trace.threads[i]);
	convert->damaged = walk.damaged;
	free(buffer);
	return error ?: end_file(convert, file);
}

static int by_thread(struct convert *convert)
{
	int error = 0;

	for (size_t i = 0; !error && i < convert->npaths; i++) {
		struct convert_file file;

		error = convert_file_open(&file, convert, convert->paths[i]) ?:
			walk_file(convert, &file);
		convert_file_close(&file);
	}
	return error;
}

static int by_time(struct convert *convert)
{
	struct convert_files files;
	struct convert_file *file;
	int error = convert_files_open(&files, convert);

	while (!error && (file = convert_files_next(&files))) {
		switch (file->what) {
		case CONVERT_FILE_BEGINS:
			error = begin_file(convert, file);
			break;
		case CONVERT_FILE_MARK:
			error = take_mark(convert, file, &file->trace.marks[file->mark]);
			break;
		case CONVERT_FILE_RANGE:
			error = take_range(convert, file);
			break;
		case CONVERT_FILE_CALL:
			convert_file_saw(file, file->call->end);
			error = take_call(convert, file, file->call);
			break;
		case CONVERT_FILE_ENDS:
			convert->damaged = trace_merge_damaged(file->merge);
			error = end_file(convert, file);
			break;
		}
	}
	if (!error)
		error = files.error;
	convert_files_close(&files);
	return error;
}

/* What there will be to do, and from when on. Files that are none are found before anything is written. */
static int survey(struct convert *convert)
{
	uint64_t first = UINT64_MAX, until = convert->choice.until;
	size_t kept = 0;
	int error = 0;

	for (size_t i = 0; i < convert->npaths; i++) {
		struct trace trace;
		const char *fault = trace_open(&trace, convert->paths[i]);

		if (fault) {
			convert->complain(convert->paths[i], fault);
			convert->incomplete = true;
			if (convert->named && convert->named[i])
				error = -EINVAL;
		} else {
			convert->paths[kept] = convert->paths[i];
			convert->starts[kept++] = trace.start_ns;
			first = trace.start_ns < first ? trace.start_ns : first;
			convert->all += trace.records;
		}
		trace_close(&trace);
	}
	convert->npaths = kept;
	convert->first_ns = first + convert->choice.from;
	convert->end_ns = until < UINT64_MAX - first ? first + until + 1 : UINT64_MAX;
	return kept ? error : -EINVAL;
}

static int run(struct convert *convert)
{
	const struct convert_format *format = convert->format;
	int error = (format->begin ? format->begin(convert) : 0) ?:
		    (format->order == CONVERT_BY_THREAD ? by_thread(convert) : by_time(convert));

	if (!error && format->end)
		error = format->end(convert);
	if (format->release)
		format->release(convert);
	if (!error && convert->sink)
		error = convert->sink->error;
	return error;
}

static void complain_symbols(void *data, const char *path, const char *text)
{
	const struct convert *convert = data;

	convert->complain(path, text);
}

int convert_run(struct convert *convert)
{
	struct lines lines = { .symbols = NULL };
	int error = -ENOMEM;

	convert->lines = &lines;
	if (!convert->choice.no_symbols) {
		lines.symbols = symbols_new(convert->choice.names, complain_symbols, convert);
		if (!lines.symbols)
			return -ENOMEM;
	}
	convert->state = calloc(1, convert->format->state + 1);
	convert->starts = calloc(convert->npaths + 1, sizeof(*convert->starts));
	if (convert->state && convert->starts)
		error = survey(convert);
	if (!error)
		error = run(convert);
	/* The files of libraries that cannot be read are no trace's. */
	if (lines.error && lines.error != -ENOMEM)
		error = convert_fault(convert, "%s: %s; --symbols no does without it",
				      symbols_fault(lines.symbols), strerror(-lines.error));
	symbols_free(lines.symbols);
	free(convert->starts);
	free(convert->state);
	return error;
}
