/* SPDX-License-Identifier: Apache-2.0 */
/* Trace files into other formats. */
/*
 * A format is a row of functions that are called with what the files hold, one
 * file after the other or all by time. Of each file comes: file, marks, ranges, calls
 * and unfinished calls, file_end. By thread, calls come in rows of chunks, a
 * `thread` before each, and among its calls may be those of threads that took
 * over: call->thread says whose it is, and trace_thread may not know it.
 */
#ifndef EXPORT_CONVERT_H
#define EXPORT_CONVERT_H

#include "export/sink.h"
#include "tracefile/ranges.h"

struct convert;
struct convert_file;
struct lines;
struct selector;

enum convert_order {
	CONVERT_BY_THREAD,	/* one file is open at a time; calls of a thread by their ends */
	CONVERT_BY_FILE,	/* one file is open at a time; its calls and marks by their ends */
	CONVERT_BY_TIME		/* calls and marks of all files by their ends; all files are open */
};

enum convert_target {
	CONVERT_STREAM,		/* to convert->sink, which may be a pipe, or compressed */
	CONVERT_FILE,		/* to the file convert->path, which is there, empty */
	CONVERT_DIRECTORY		/* into the directory convert->path, which is there, empty */
};

/* A call that had begun and not ended when the process, or the trace of it, did. */
struct convert_open {
	uint64_t start;		/* ticks */
	uint64_t seen;		/* ticks: see trace_until */
	uint32_t thread;	/* its number */
	uint32_t site;		/* < nsites, described */
	uint32_t depth;
};

/* All but name and call may be missing; they return 0 or -errno. */
struct convert_format {
	const char *name;
	const char *library;	/* not NULL: it was built without this one, and has no functions */
	enum convert_order order;
	enum convert_target target;
	bool binary;		/* not for terminals */
	bool ranges;		/* it asks convert->ranges, if it has no function for ranges */
	bool nests;		/* by thread: unfinished calls come behind their thread's, inner ones first */
	size_t state;		/* bytes of convert->state, all 0 before begin */
	int (*begin)(struct convert *convert);
	int (*file)(struct convert *convert, const struct trace *trace);
	int (*thread)(struct convert *convert, const struct trace *trace,
		      const struct trace_thread *thread);	/* by thread only */
	int (*call)(struct convert *convert, const struct trace *trace,
		    const struct trace_call *call);
	int (*open)(struct convert *convert, const struct trace *trace,
		    const struct convert_open *open);
	int (*mark)(struct convert *convert, const struct trace *trace,
		    const struct trace_mark *mark);
	/* A range or mark of NVTX, where a mark of that time would come. */
	int (*range)(struct convert *convert, const struct trace *trace,
		     const struct trace_range *range);
	int (*file_end)(struct convert *convert, const struct trace *trace);
	int (*end)(struct convert *convert);
	void (*release)(struct convert *convert);	/* always, if begin was called */
};

/* The formats by name, ended by NULL. */
extern const struct convert_format *const convert_formats[];

/* What the user may choose; all 0 but until is everything. */
struct convert_choice {
	const struct selector *functions;	/* NULL: all */
	const char *in_range;	/* a glob: calls in ranges of such texts, and those ranges; NULL: all */
	uint64_t from, until;	/* ns since the first file began; a call that touches them is taken */
	bool failed;		/* calls alone whose result is an error */
	bool no_arguments;	/* leave out what calls were given, but for names of kernels */
	bool count;		/* folded: calls, not their ns */
	enum demangle names;	/* of kernels, and of functions that call */
	bool no_symbols;	/* leave out functions, files and lines that call */
};

/* One line on what is wrong with a file, or missing from it. */
typedef void (*convert_complain_fn)(const char *path, const char *text);

/* How many calls are done, of how many there may be. */
typedef void (*convert_progress_fn)(void *data, uint64_t done, uint64_t all);

struct convert {
	const struct convert_format *format;
	const char **paths;	/* those of files that cannot be read are taken out */
	size_t npaths;
	const bool *named;	/* files that are not left out, but refused; NULL: none */
	struct convert_choice choice;
	struct sink *sink;	/* of a stream */
	const char *path;	/* else */
	convert_complain_fn complain;
	bool incomplete;	/* set: something that was to be recorded is missing of a file */
	convert_progress_fn progress;	/* NULL: nobody asks */
	void *progress_data;
	/* From here on convert_run's. */
	void *state;
	struct lines *lines;
	const struct convert_file *file;	/* at hand */
	const struct trace_ranges *ranges;	/* of it */
	uint64_t *starts;	/* of the files, ns since the epoch */
	uint64_t first_ns, end_ns;	/* of what is taken, since the epoch; it begins before end_ns */
	uint64_t calls;		/* given to the format */
	bool pushed;		/* there is a range that choice.in_range takes */
	uint64_t opens;		/* the same of those that have not ended */
	uint64_t length;	/* ns from the first file's beginning to the last that is recorded */
	uint64_t done, all;
	uint64_t damaged;	/* chunks of the file at hand that broke off */
	char fault[256];	/* a library's own words on why a function failed, or "" */
};

/*
 * Reads all files; those that are none are refused, or left out of it and make
 * it incomplete. 0, or -errno after a complaint; what there is in files that
 * are damaged or not finished is converted, and a complaint says so.
 */
int convert_run(struct convert *convert);

/* Formats convert->fault; returns -EIO. */
__attribute__((format(printf, 2, 3)))
int convert_fault(struct convert *convert, const char *format, ...);

/* Calls take for each kind of calls that are missing, and for what is damaged, in words. */
int convert_each_loss(struct convert *convert, const struct trace *trace,
		      int (*take)(struct convert *convert, const struct trace *trace,
				  const char *reason, uint64_t count));

/* What is missing of a file, in words; "" if all is there. damaged: convert->damaged, in file_end. */
void convert_losses(struct buffer *out, const struct trace *trace, uint64_t damaged);

static inline const struct trace_function *convert_function(const struct trace *trace,
							    uint32_t site)
{
	return &trace->functions[trace->sites[site].function];
}

/* The innermost range that the call of a thread which began then is in; NULL: none. */
static inline const struct trace_range *convert_range(const struct convert *convert, uint32_t thread,
						      uint64_t start)
{
	uint32_t at = trace_ranges_at(convert->ranges, thread, start);

	return at == TRACE_NONE ? NULL : &convert->ranges->ranges[at];
}

static inline const struct trace_library *convert_library(const struct trace *trace,
							  uint32_t site)
{
	return &trace->libraries[trace->sites[site].library];
}

#endif
