/* SPDX-License-Identifier: Apache-2.0 */
/* Many files that are converted, by time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "export/file.h"
#include "util/sort.h"

enum {
	MEMORY = 64 << 20,	/* for the windows of all files, as long as they are few */
	OTHERS = 32		/* descriptors that are no traces */
};

struct convert_start {
	const char *path;
	uint64_t ns;
};

static int compare_starts(const void *a, const void *b)
{
	const struct convert_start *x = a, *y = b;

	return ORDER(x->ns, y->ns) ?: strcmp(x->path, y->path);
}

/* Whether so many files can be open. */
static bool allow_descriptors(size_t count)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return false;
	if (limit.rlim_cur >= count + OTHERS)
		return true;
	limit.rlim_cur = limit.rlim_max < count + OTHERS ? limit.rlim_max : count + OTHERS;
	return !setrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_cur >= count + OTHERS;
}

int convert_files_open(struct convert_files *files, struct convert *convert)
{
	*files = (struct convert_files){ .convert = convert, .nstarts = convert->npaths };
	files->starts = calloc(convert->npaths + 1, sizeof(*files->starts));
	files->heap = calloc(convert->npaths + 1, sizeof(struct convert_file *));
	if (!files->starts || !files->heap)
		return -ENOMEM;
	for (size_t i = 0; i < convert->npaths; i++)
		files->starts[i] = (struct convert_start){ convert->paths[i], convert->starts[i] };
	qsort(files->starts, files->nstarts, sizeof(*files->starts), compare_starts);
	files->parked = !allow_descriptors(files->nstarts);
	return 0;
}

/* What it has next, and when. */
static int advance(struct convert_file *file)
{
	const struct trace *trace = &file->trace;
	uint64_t mark_ns = UINT64_MAX, call_ns = UINT64_MAX, range_ns = UINT64_MAX;
	bool has_mark, has_range;

	if (file->what == CONVERT_FILE_MARK)
		file->mark++;
	if (file->what == CONVERT_FILE_CALL || file->what == CONVERT_FILE_BEGINS)
		file->call = trace_merge_next(file->merge);
	if (file->what == CONVERT_FILE_RANGE)
		file->range++;
	has_mark = file->mark < trace->nmarks;
	has_range = file->range < file->ranges.count;
	if (has_mark)
		mark_ns = trace_ns(trace, trace->marks[file->mark].ticks);
	if (has_range)
		range_ns = trace_ns(trace, convert_file_range(file)->end);
	if (file->call)
		call_ns = trace_ns(trace, file->call->end);
	if (has_mark && (!file->call || mark_ns <= call_ns) && (!has_range || mark_ns <= range_ns)) {
		file->what = CONVERT_FILE_MARK;
		file->ns = mark_ns;
	} else if (has_range && (!file->call || range_ns < call_ns)) {
		file->what = CONVERT_FILE_RANGE;
		file->ns = range_ns;
	} else if (file->call) {
		file->what = CONVERT_FILE_CALL;
		file->ns = call_ns;
	} else {
		file->what = CONVERT_FILE_ENDS;
		return trace_merge_error(file->merge);
	}
	return 0;
}

static void sift_up(struct convert_file **heap, size_t at)
{
	struct convert_file *file = heap[at];

	for (; at && heap[(at - 1) / 2]->ns > file->ns; at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = file;
}

static void sift_down(struct convert_file **heap, size_t count)
{
	struct convert_file *file = heap[0];
	size_t at = 0, child;

	while ((child = 2 * at + 1) < count) {
		if (child + 1 < count && heap[child + 1]->ns < heap[child]->ns)
			child++;
		if (heap[child]->ns >= file->ns)
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = file;
}

static int join(struct convert_files *files)
{
	const struct convert_start *start = &files->starts[files->begun];
	struct convert_file *file = malloc(sizeof(*file));
	int error;

	if (!file)
		return -ENOMEM;
	error = convert_file_open(file, files->convert, start->path);
	if (!error && files->parked)
		trace_park(&file->trace);
	if (!error)
		file->merge = trace_merge_open(&file->trace);
	if (error || !file->merge) {
		convert_file_close(file);
		free(file);
		return error ?: -ENOMEM;
	}
	trace_merge_limit(file->merge, MEMORY / files->nstarts);
	files->begun++;
	file->what = CONVERT_FILE_BEGINS;
	file->ns = start->ns;
	files->heap[files->nheap] = file;
	sift_up(files->heap, files->nheap++);
	return 0;
}

/* A file joins once it could have the next. */
static bool joins(const struct convert_files *files)
{
	return !files->nheap || (files->convert->format->order == CONVERT_BY_TIME &&
				 files->starts[files->begun].ns <= files->heap[0]->ns);
}

static void go_on(struct convert_files *files)
{
	struct convert_file *file = files->heap[0];

	if (file->what == CONVERT_FILE_ENDS) {
		convert_file_close(file);
		free(file);
		files->heap[0] = files->heap[--files->nheap];
	} else {
		files->error = advance(file);
	}
	if (files->nheap > 1)
		sift_down(files->heap, files->nheap);
}

struct convert_file *convert_files_next(struct convert_files *files)
{
	if (files->moved)
		go_on(files);
	while (!files->error && files->begun < files->nstarts && joins(files))
		files->error = join(files);
	files->moved = files->nheap;
	return files->nheap && !files->error ? files->heap[0] : NULL;
}

void convert_files_close(struct convert_files *files)
{
	for (size_t i = 0; i < files->nheap; i++) {
		convert_file_close(files->heap[i]);
		free(files->heap[i]);
	}
	free(files->heap);
	free(files->starts);
}
