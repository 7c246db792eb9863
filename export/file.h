/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are converted: what is taken of one, and many by time. */
#ifndef EXPORT_FILE_H
#define EXPORT_FILE_H

#include "export/convert.h"
#include "export/lines.h"

enum convert_file_what {
	CONVERT_FILE_BEGINS,
	CONVERT_FILE_MARK,
	CONVERT_FILE_RANGE,
	CONVERT_FILE_CALL,
	CONVERT_FILE_ENDS
};

struct convert_file {
	struct trace trace;
	struct lines_file lines;
	bool *taken;		/* by function; NULL: all are */
	struct trace_ranges ranges;	/* if the format or the choice has a use for them */
	bool *texts;		/* of ranges, by number; NULL: all are taken */
	bool timed;
	int64_t from, until;	/* ticks since trace.start_ticks, if timed; begins before until */
	uint64_t seen;		/* ticks: the latest */
	uint64_t opens_end;	/* ticks: of calls that have not ended */
	/* By time: */
	struct trace_merge *merge;
	const struct trace_call *call;
	size_t range;		/* of ranges.order, the same */
	size_t mark;		/* of trace.marks, the one at hand or the next */
	uint64_t ns;		/* of what is at hand */
	enum convert_file_what what;
};

/* 0, or -errno after a complaint; convert_file_close in both cases. */
int convert_file_open(struct convert_file *file, struct convert *convert, const char *path);
void convert_file_close(struct convert_file *file);

/* Whether from start to end, ticks, touches the time that is wanted. */
static inline bool convert_file_in_time(const struct convert_file *file, uint64_t start,
					uint64_t end)
{
	return !file->timed || ((int64_t)(end - file->trace.start_ticks) >= file->from &&
				(int64_t)(start - file->trace.start_ticks) < file->until);
}

static inline bool convert_file_takes(const struct convert_file *file, uint32_t site,
				      uint64_t start, uint64_t end)
{
	return (!file->taken || file->taken[file->trace.sites[site].function]) &&
	       convert_file_in_time(file, start, end);
}

/* Whether the call of a thread that began then is in a range that is wanted. */
static inline bool convert_file_in_range(const struct convert_file *file, uint32_t thread,
					 uint64_t start)
{
	return !file->texts || trace_ranges_take(&file->ranges, file->texts, thread, start);
}

/* Whether a range is given to the format. */
static inline bool convert_file_takes_range(const struct convert_file *file,
					    const struct trace_range *range)
{
	return convert_file_in_time(file, range->start, range->end) &&
	       (!file->texts || file->texts[range->text_number] ||
		trace_ranges_take(&file->ranges, file->texts, range->thread, range->start));
}

/* The one at hand, by its end. */
static inline const struct trace_range *convert_file_range(const struct convert_file *file)
{
	return &file->ranges.ranges[file->ranges.order[file->range]];
}

static inline void convert_file_saw(struct convert_file *file, uint64_t ticks)
{
	if ((int64_t)(ticks - file->seen) > 0)
		file->seen = ticks;
}

/* What was lost or is damaged, if anything. */
void convert_file_complain(const struct convert_file *file, struct convert *convert);

/* All files of a conversion by time. */
struct convert_files {
	struct convert *convert;
	struct convert_start *starts;	/* by ns */
	size_t nstarts, begun;
	struct convert_file **heap;	/* by ns */
	size_t nheap;
	bool parked;			/* files are opened for each read */
	bool moved;			/* the first one has to go on */
	int error;
};

/* 0 or -ENOMEM; convert_files_close in both cases. */
int convert_files_open(struct convert_files *files, struct convert *convert);

/* The file that has what is next, said by its `what`; NULL at the end, or with files->error. */
struct convert_file *convert_files_next(struct convert_files *files);
void convert_files_close(struct convert_files *files);

#endif
