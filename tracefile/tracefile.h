/* SPDX-License-Identifier: Apache-2.0 */
/* Reading trace files, cuaudit-trace(5), whatever is in them. */
/*
 * Files may be torn, damaged, still written to or made by an enemy. Nothing is
 * mapped, so that nobody who cuts a file short matters, and memory is bounded:
 * descriptions and the list of chunks are held, calls are streamed.
 *
 * One thread may open a file; trace_open's result is only read afterwards, so
 * that several threads can walk chunks, each with a walk of its own.
 */
#ifndef TRACEFILE_TRACEFILE_H
#define TRACEFILE_TRACEFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include <cuaudit/api.h>
#include <cuaudit/trace.h>

#include "print/table.h"
#include "tables/query.h"
#include "tracefile/demangle.h"

#define TRACE_NONE UINT32_MAX

struct prototypes;

/* Texts end with a NUL and belong to the trace. Numbers are indices into its arrays, not the file's. */
struct trace_function {
	const char *name;	/* the ELF symbol */
	const char *base;
	int32_t row;		/* of this tool's own table, by its name; -1: none, or CUAUDIT_ID_TABLES */
	uint32_t driver;
	uint32_t classes;
	uint32_t version;
	uint32_t nsteps;
	bool runtime;		/* of the CUDA runtime, not of the driver */
	bool provided;		/* of a library of CUAUDIT_PROVIDERS: results are no CUresult */
	bool masked;		/* arguments begin with a mask */
	uint64_t unrecorded;	/* bits of the words of parameters that no step is of */
	uint64_t inputs;	/* the same of pointers to what the driver reads */
	uint32_t nparams;	/* of the row; looked up once, as that takes longer than a call's text */
	struct print_param params[PRINT_TYPED];
	struct prototypes *types;	/* of provided: what the user's types say of it, NULL: nothing */
	struct print_param result;	/* by these, if has_result */
	bool has_result;
	bool has_others;	/* and there are, or may be, more parameters than nparams */
	struct cuaudit_trace_step steps[CUAUDIT_TRACE_STEPS];
};

struct trace_library {
	const char *path;
	const char *name;	/* its last component */
	uint64_t base;
	uint32_t id_size;
	uint8_t build_id[32];
};

struct trace_site {
	uint32_t function;	/* < nfunctions, TRACE_NONE: no such site */
	uint32_t library;	/* < nlibraries */
	uint32_t routes;	/* 1 << enum cuaudit_route each, as far as they are known */
	uint64_t caller;
};

enum { TRACE_THREAD_NAME = 64 };

struct trace_thread {
	uint32_t number;
	int32_t tid;
	char name[TRACE_THREAD_NAME];	/* the program's own by NVTX, else the system's */
	uint64_t start;		/* ticks */
	uint64_t end;		/* ticks, 0 while it lives */
	uint32_t first, count;	/* of trace.chunks: those that begin with its calls, see below */
};

struct trace_kernel {
	uint64_t handle;
	uint64_t ticks;
	const char *name;	/* as the driver told it, or see trace_demangle */
	uint32_t number;	/* equal names have the same, below nnames */
};

/* Frames' libraries are indices, too, or TRACE_NONE. */
struct trace_callers {
	const struct cuaudit_trace_frame *frames;
	uint32_t count;
	uint32_t python;	/* the innermost of Python's frames, < npythons, or TRACE_NONE */
};

/* A line of a Python function. */
struct trace_python {
	const char *name;	/* NULL: it is not described */
	const char *file;
	uint32_t line;		/* 0: it has none */
};

/* How the parameters of kernels lie in their parameter buffers. */
struct trace_layout {
	const struct cuaudit_trace_parameter *parameters;
	uint32_t count;
};

struct trace_driver {
	uint32_t index;
	uint32_t version;
	const char *path;
};

struct trace_mark {
	uint64_t ticks;
	uint32_t thread;
	uint32_t kind;		/* enum cuaudit_trace_mark_kind */
	const char *text;
};

/* What the program calls something by NVTX. */
struct trace_range_name {
	uint64_t id;
	uint32_t domain;
	uint32_t kind;		/* enum cuaudit_trace_range_name_kind */
	uint32_t number;	/* in the order of the file */
	const char *text;
};

struct trace_error_text {
	uint64_t correlation;
	const char *text;
};

/*
 * A chunk of calls. Within one, other threads may take over after its first
 * thread has ended: a call's thread is what trace_call says. Along the chunks
 * of one trace_thread the calls of each thread are in the order of their ends. The
 * first call of a thread that takes over may have ended before the last one of the
 * thread before it: it had ended, but was not recorded yet, when that one ended.
 */
struct trace_chunk {
	uint64_t offset;	/* in the file */
	uint64_t sequence;
	uint64_t base_ticks;
	uint64_t base_ns;
	uint64_t base_raw;
	uint64_t base_correlation;
	uint64_t filtered;
	uint64_t records;	/* how many calls, once it is full; 0: not known */
	uint32_t thread;	/* the number of its first */
	uint32_t size;		/* bytes of the file, the header included */
	struct cuaudit_trace_open open[CUAUDIT_TRACE_OPEN];
};

struct trace_segment;	/* of descriptions */

struct trace {
	const char *path;
	int fd;			/* -1 where it is opened for each read, see trace_park */
	uint64_t device, inode;
	uint64_t size;		/* of the file when it was opened */
	struct cuaudit_trace_header header;	/* texts in it end with a NUL */
	struct trace_function *functions;
	struct trace_library *libraries;
	struct trace_site *sites;		/* by number */
	struct trace_thread *threads;		/* by number, not all of which are there */
	struct trace_kernel *kernels;		/* by handle and ticks */
	struct trace_callers *callers;		/* by number */
	struct trace_layout *layouts;		/* by number */
	struct trace_python *pythons;		/* by number */
	struct trace_driver *drivers;
	struct trace_mark *marks;		/* by ticks */
	struct trace_error_text *error_texts;	/* by correlation */
	struct trace_range_name *range_names;	/* see tracefile/names.h */
	struct trace_chunk *chunks;		/* by thread and sequence */
	size_t npythons;
	size_t nfunctions, nlibraries, nsites, nthreads, nkernels, ncallers, nlayouts, ndrivers, nmarks,
	       nrange_names, nerror_texts, nchunks;
	size_t nnames;		/* different names of kernels */
	uint64_t records;	/* of chunks that say how many they hold */
	uint64_t damaged;	/* descriptions and chunks that could not be used */
	uint64_t torn;		/* bytes at the end that are no whole chunk's */
	uint64_t cut;		/* bytes that the file is shorter than it was */
	bool living;		/* the process may still write */
	uint64_t *overwritten;	/* calls of chunks that were begun anew while they were read */
	/* ns since the epoch = start_ns + (ticks - start_ticks) * mult >> shift */
	uint64_t start_ticks, start_ns, mult;
	uint32_t shift;
	uint32_t steps;		/* how often the time of day was set meanwhile */
	int64_t step_ns;	/* by how much, in all; forward */
	struct trace_segment *segments;
	size_t nsegments;
	char **spelled;		/* names of kernels that are not the file's */
	size_t nspelled;
	char **function_names;	/* the same of functions, by their number; NULL: none */
};

/*
 * NULL, or what is wrong with the file, "is not a trace of cuaudit". The path
 * is kept, not copied. trace_close in both cases.
 */
const char *trace_open(struct trace *trace, const char *path);
void trace_close(struct trace *trace);

/* The process's arguments with spaces between; text has the size of header.command. */
void trace_command(const struct trace *trace, char *text);

/* How many calls are missing for a reason, those that were written over meanwhile included. */
uint64_t trace_lost(const struct trace *trace, enum cuaudit_trace_loss why);
/* Closes the file but for the moments in which it is read, where descriptors are few. */
void trace_park(struct trace *trace);

/* As pread(2), whatever is interrupted; -errno. */
ssize_t trace_read(const struct trace *trace, void *to, size_t size, uint64_t offset);

/* Gives kernels, and functions of other libraries, the names that people read, before anything is done with them. 0 or -ENOMEM. */
int trace_demangle(struct trace *trace, enum demangle how);

/* The extension of trace files, with its dot. */
#define TRACE_SUFFIX ".cutrace"

/* Nanoseconds since the epoch, and of a number of ticks. */
static inline uint64_t trace_ns(const struct trace *trace, uint64_t ticks)
{
	int64_t since = (int64_t)(ticks - trace->start_ticks);
	__extension__ __int128 product = (__int128)since * (int64_t)trace->mult;

	return trace->start_ns + (uint64_t)(int64_t)(product >> trace->shift);
}

static inline uint64_t trace_duration(const struct trace *trace, uint64_t ticks)
{
	return (uint64_t)(__extension__(unsigned __int128)ticks * trace->mult >> trace->shift);
}

/* Ticks since the trace began until the first one of which trace_ns() is this time, or later. */
static inline int64_t trace_ticks_since(const struct trace *trace, uint64_t ns)
{
	__extension__ __int128 ticks = (__extension__(__int128)ns - trace->start_ns) *
				       ((__extension__(__int128)1) << trace->shift);

	ticks = (ticks + (ticks > 0 ? (__int128)trace->mult - 1 : 0)) / (__int128)trace->mult;
	if (ticks > INT64_MAX)
		return INT64_MAX;
	return ticks < INT64_MIN ? INT64_MIN : (int64_t)ticks;
}

/*
 * Where a library's file may be, by its index: its path, but of a program that was started by a
 * relative one that of the header.
 */
const char *trace_library_file(const struct trace *trace, size_t index);

/* The thread of that number, NULL where nothing describes it: a call's may be such. */
const struct trace_thread *trace_thread(const struct trace *trace, uint32_t number);

/* What the handle named at that time; NULL: unknown. */
const struct trace_kernel *trace_kernel(const struct trace *trace, uint64_t handle, uint64_t ticks);

struct trace_call {
	uint64_t start, end;	/* ticks */
	uint64_t correlation;
	uint32_t thread;	/* its number */
	uint32_t site;		/* < nsites, described */
	uint32_t stack;		/* < ncallers, or TRACE_NONE */
	int32_t result;
	uint16_t depth;
	uint16_t status;	/* enum cuaudit_trace_status */
	uint32_t size;		/* of arguments */
	const uint8_t *arguments;	/* NULL: none; in the walk's buffer until the next call is read */
};

/* Whether the driver itself answered success, as cuaudit_call_succeeded() of the live call. */
static inline bool trace_call_succeeded(const struct trace_call *call)
{
	return !call->result && !(call->status & (CUAUDIT_TRACE_SKIPPED | CUAUDIT_TRACE_FAILED));
}

/* What the driver said of a call that failed, NULL: nothing that was recorded. */
const char *trace_error_text(const struct trace *trace, const struct trace_call *call);

struct buffer;

/* Whether nobody knows what a call returned: the function is none whose result is a status. */
static inline bool trace_result_unknown(const struct trace_function *function, int32_t result)
{
	return !result && (function->provided || function->row == CUAUDIT_ID_TABLES);
}

/* A call's result by name or number, or that it returned, of a function whose results are no status. */
void trace_print_result(struct buffer *out, const struct trace_function *function, int32_t result);

/* Whether a result is an error. */
static inline bool trace_is_error(const struct trace_function *function, int32_t result)
{
	return query_is_error(function->name, result);
}

enum { TRACE_WINDOW_MIN = 8192, TRACE_RECORD_MAX = 255 * 8, TRACE_BACKREFS = 16 };

/* Records that others say again, and that were not in the window any more. */
struct trace_backref {
	uint64_t offsets[TRACE_BACKREFS];	/* in the file; 0: none */
	uint32_t sites[TRACE_BACKREFS];
	uint32_t sizes[TRACE_BACKREFS];
	uint64_t arguments[TRACE_BACKREFS][CUAUDIT_TRACE_AGAIN_MOST / 8];
	uint32_t next;			/* gives way to another */
};

/* A walk through chunks; the caller gives the buffer, of 8-byte alignment. */
struct trace_walk {
	const struct trace *trace;
	uint64_t *buffer;
	struct trace_backref *backrefs;	/* at its end; NULL where it holds whole chunks */
	size_t window;		/* bytes before that */
	const uint64_t *at, *end;	/* what is in it and not yet walked */
	uint64_t last, correlation;	/* of the record before */
	const struct trace_chunk *chunk;
	uint64_t before;	/* calls of earlier chunks */
	uint64_t begin;		/* where the chunk's records are in the file */
	uint64_t offset, left;	/* of them, still to be read */
	uint32_t thread;
	uint64_t calls;		/* seen so far, in all chunks */
	uint64_t damaged;	/* chunks that broke off, or whose calls made no sense */
	int error;		/* -errno: the file could not be read, and calls are missing */
	/* Told of each record of a range, once `last` is its time; NULL: nobody. */
	void (*on_range)(struct trace_walk *walk, const uint64_t *record);
	void *range_data;
};

/* Bytes for a window that suits the file: a chunk's, but not too many. */
size_t trace_window(const struct trace *trace);

/* window: bytes of the buffer, >= TRACE_WINDOW_MIN. */
void trace_walk_begin(struct trace_walk *walk, const struct trace *trace, void *buffer,
		      size_t window);

/* Goes to the beginning of chunk index of trace->chunks. 0 or -errno. */
int trace_walk_chunk(struct trace_walk *walk, size_t index);

/* The number of the chunk's last thread, whose `open` is. 0 or -errno. */
int trace_chunk_owner(const struct trace *trace, size_t index, uint32_t *number);

/*
 * Until when, in ticks, calls have lasted that have not ended: now if the process is
 * alive on this machine, else its end, or the last that was recorded. 0 or -errno.
 */
int trace_until(const struct trace *trace, uint64_t *ticks);

/* More of the chunk into the buffer; false at its end. For trace_walk_next. */
bool trace_walk_more(struct trace_walk *walk);

/* What is not in the first two words. false: the record makes no sense. */
bool trace_walk_rest(struct trace_walk *walk, const uint64_t *record, struct trace_call *call);

/* What is not in a record of one word: the site, and arguments. false: there is none such. */
bool trace_walk_again(struct trace_walk *walk, const uint64_t *record, struct trace_call *call);

/* Where that is in the window, and a record of two words and arguments, or without. */
static inline bool trace_walk_again_near(const struct trace_walk *walk, const uint64_t *record,
					 struct trace_call *call)
{
	uint64_t back = record[0] >> 8 & 0xffff, words;
	const uint64_t *said;
	unsigned int flags;

	if (back > (uint64_t)(record - walk->buffer))
		return false;
	said = record - back;
	words = said[0] & 255;
	flags = said[0] >> 8 & 255;
	if (flags & ~(unsigned int)CUAUDIT_TRACE_WITH_ARGUMENTS || words > back || words < 2 ||
	    words > 2 + CUAUDIT_TRACE_AGAIN_MOST / 8)
		return false;
	call->site = (uint32_t)(said[1] >> 32);
	if (flags) {
		call->arguments = (const uint8_t *)(said + 2);
		call->size = (uint32_t)(words - 2) * 8;
	}
	return true;
}

/* A call's id, by the low bits that its first word has. */
static inline void trace_walk_correlate(struct trace_walk *walk, uint64_t first)
{
	walk->correlation += (uint64_t)(int64_t)(int16_t)((first >> 16) - walk->correlation);
}

/* One of several words. */
static inline bool trace_walk_long(struct trace_walk *walk, const uint64_t *record,
				   struct trace_call *call)
{
	uint64_t first = record[0];

	call->site = (uint32_t)(record[1] >> 32);
	if (__builtin_expect(first & (CUAUDIT_TRACE_LONG | CUAUDIT_TRACE_STATUS |
				      CUAUDIT_TRACE_CORRELATION | CUAUDIT_TRACE_STACK |
				      CUAUDIT_TRACE_RANGE | CUAUDIT_TRACE_NEXT_THREAD) << 8, 0))
		return trace_walk_rest(walk, record, call);
	trace_walk_correlate(walk, first);
	walk->last += first >> 32;
	call->end = walk->last;
	call->start = walk->last - (uint32_t)record[1];
	if (first & CUAUDIT_TRACE_WITH_ARGUMENTS << 8) {
		call->arguments = (const uint8_t *)(record + 2);
		call->size = (uint32_t)((first & 255) - 2) * 8;
	}
	return true;
}

/* The chunk's next call; false at its end. */
static inline bool trace_walk_next(struct trace_walk *walk, struct trace_call *call)
{
	const uint64_t *record;
	uint64_t first, words;

	for (;;) {
		record = walk->at;
		if (__builtin_expect(walk->end == record, 0)) {
			if (!trace_walk_more(walk))
				return false;
			continue;
		}
		first = record[0];
		words = first & 255;
		if (__builtin_expect(!words || words > (uint64_t)(walk->end - record), 0)) {
			if (!trace_walk_more(walk))
				return false;
			continue;
		}
		walk->at = record + words;
		call->thread = walk->thread;
		call->stack = TRACE_NONE;
		call->result = 0;
		call->depth = call->status = 0;
		call->arguments = NULL;
		call->size = 0;
		if (words == 1) {
			walk->correlation++;
			walk->last += first >> 42;
			call->end = walk->last;
			call->start = walk->last - (first >> 24 & 0x3ffff);
			if (!trace_walk_again_near(walk, record, call) &&
			    !trace_walk_again(walk, record, call))
				continue;
		} else if (!trace_walk_long(walk, record, call)) {
			continue;
		}
		call->correlation = walk->correlation;
		if (__builtin_expect(call->site >= walk->trace->nsites ||
				     walk->trace->sites[call->site].function == TRACE_NONE, 0)) {
			walk->damaged++;
			continue;
		}
		walk->calls++;
		return true;
	}
}

/*
 * All calls of a trace in the order of their ends, but where a thread that took over a
 * chunk goes back in time, see trace_chunk: that call comes late.
 */
struct trace_merge;

/* NULL when memory is out. */
struct trace_merge *trace_merge_open(const struct trace *trace);

/* Before the first call: how many bytes its windows may have together; of many threads, each has the least. */
void trace_merge_limit(struct trace_merge *merge, size_t bytes);

/* The next one, valid until the one after; NULL at the end. */
const struct trace_call *trace_merge_next(struct trace_merge *merge);

/* At its end: -errno where calls are missing as memory was out, or the file could not be read. */
int trace_merge_error(const struct trace_merge *merge);

/* What was damaged on the way. */
uint64_t trace_merge_damaged(const struct trace_merge *merge);
void trace_merge_close(struct trace_merge *merge);

#endif
