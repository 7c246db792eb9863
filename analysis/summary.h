/* SPDX-License-Identifier: Apache-2.0 */
/* What trace files say, added up: any number of them, in bounded memory. */
#ifndef ANALYSIS_SUMMARY_H
#define ANALYSIS_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuaudit/trace.h>

#include "analysis/error_rows.h"
#include "analysis/row.h"
#include "tracefile/copy.h"
#include "tracefile/demangle.h"
#include "tracefile/ending.h"
#include "tracefile/losses.h"
#include "tracefile/tracefile.h"

#define SUMMARY_NONE UINT32_MAX

/* A part of something: the counts of one function. */
struct summary_share {
	uint32_t function;	/* index into summary.functions */
	struct row_counts counts;
};

struct summary_function {
	const char *name;	/* the ELF symbol */
	const char *base;
	uint32_t classes;
	bool runtime;		/* of the CUDA runtime, not of the driver */
	struct row_times times;
};

/* Calls of one function by one library. */
struct summary_pair {
	uint32_t function, library;
	struct row_times times;
};

/* Driver calls of one function inside of calls of the runtime. */
struct summary_inside {
	const struct summary_pair *outer;
	uint32_t function;
	struct row_counts counts;
};

struct summary_library {
	const char *path;
	struct row_times times;
	const struct summary_pair *pairs;	/* the most time first */
	size_t npairs;
};

/* Calls of one function from one address of a library. */
struct summary_caller {
	uint32_t function;
	uint32_t library;
	uint32_t build;		/* index into summary.builds: which file the library was */
	uint64_t offset;	/* the return address, from the library's beginning */
	/* The innermost line of Python; NULL: none was recorded. line: 0: it has none. */
	const char *python, *file;
	uint32_t line;
	struct row_times times;
};

/* Files of one path may differ from process to process. */
struct summary_build {
	const char *path;	/* see trace_library_file */
	uint32_t id_size;	/* 0: not known */
	uint8_t id[32];		/* the build ID */
	uint32_t zero;		/* keys have no padding */
};

/* Launches, and the host's time in them. */
struct summary_kernel {
	const char *name;	/* see summary_options.names; NULL: unknown */
	struct row_times times;
};

/* Calls inside of NVTX ranges of one text, the innermost of each call. */
struct summary_range {
	const char *text;	/* NULL: outside of all */
	struct row_times times;
};

/* Copies of one direction that succeeded, and the host's time in them. */
struct summary_copies {
	struct row_counts counts;
	uint64_t unsized;	/* calls of which nobody knows how many bytes */
	uint64_t bytes, sized_ns;	/* of the others */
};

enum summary_memory_kind {
#define MEMORY(name, text) SUMMARY_##name,
#include "tables/facts.def"
	SUMMARY_KINDS,
	SUMMARY_UNCOUNTED = SUMMARY_KINDS
};

extern const char *const summary_memory_kinds[SUMMARY_KINDS];

/* Memory taken and given back. Bytes. */
struct summary_bytes {
	uint64_t allocations, frees;
	uint64_t unsized;	/* allocations of which nobody knows how large */
	uint64_t allocated;	/* all in all */
	uint64_t peak;
	uint64_t held;		/* at the end */
};

/* Of one process, as its calls tell it; what a context takes along is not seen. */
struct summary_memory {
	bool known;		/* calls that take memory were recorded, with arguments */
	struct summary_bytes device;	/* all kinds but the host's */
	struct summary_bytes kinds[SUMMARY_KINDS];
	uint64_t peak_ns;	/* since the epoch: when device.peak was first reached */
	uint64_t start_ns;	/* of the series, since the epoch */
	uint64_t step_ns;
	uint64_t *points;	/* the most device memory held in each step */
	size_t npoints;
};

/* A call that had begun and not ended. */
struct summary_open {
	uint32_t process, function;
	uint32_t thread;	/* its number in the file */
	int32_t tid;
	uint64_t since_ns;	/* since the epoch */
	uint64_t for_ns;	/* see trace_until */
};

struct summary_process {
	const char *path;	/* of its file, the caller's */
	const char *fault;	/* why nothing is known of it: the file could not be read */
	const char *program, *command, *host;	/* command: arguments with spaces between */
	uint32_t pid, parent;
	int32_t rank;		/* -1 for none */
	bool finished;		/* it came to its end */
	enum trace_ending ending;
	int status;		/* -1: not known */
	bool arguments;		/* were recorded */
	bool ring;		/* the oldest calls were written over */
	uint64_t first_ns, last_ns;	/* first beginning and last end of a call, since the epoch */
	uint64_t nthreads;	/* that made calls */
	struct row_counts counts;
	const struct summary_share *functions;	/* the most time first */
	size_t nfunctions;
	struct trace_losses losses;
	uint64_t error;		/* errno of the disk, 0 for none */
	uint64_t filtered;	/* calls too short to be recorded */
	bool partial;		/* calls are missing, by loss, filter, start= or stop= */
	const char *no_python;	/* why Python frames are missing; NULL: they are not */
	uint64_t steps;		/* how often the time of day was set ... */
	int64_t step_ns;	/* ... and by how much, in all */
	struct summary_memory memory;
};

struct summary_thread {
	uint32_t process;
	uint32_t number;	/* in the file */
	int32_t tid;
	char name[TRACE_THREAD_NAME];
	struct row_counts counts;
	const struct summary_share *functions;	/* the most time first, ROW_BUSIEST at most */
	size_t nfunctions;	/* all of them */
};

struct summary_rank {
	int32_t rank;
	uint32_t nprocesses;
	uint64_t nthreads;
	uint64_t first_ns, last_ns;
	uint64_t peak;		/* of device memory: those of its processes added up */
	struct row_counts counts;
};

/*
 * Rows of each table: the most time first, equals by calls and then by name,
 * processes in the order of their files. Indices are into these arrays. A
 * function of which no call has ended has a row without calls.
 */
struct summary {
	struct summary_function *functions;
	struct summary_library *libraries;
	struct summary_caller *callers;
	struct summary_build *builds;	/* of callers */
	struct summary_kernel *kernels;
	struct summary_range *ranges;	/* if options.ranges */
	struct summary_copies copies[COPY_DIRECTIONS][2];	/* 1: the call waits for the copy */
	struct summary_inside *inside;	/* those of an outer one together */
	const struct summary_pair **waits;	/* those of the libraries that wait */
	struct error_rows errors;	/* results other than CUDA_SUCCESS, CUDA_ERROR_NOT_READY of queries, too */
	struct summary_process *processes;
	struct summary_thread *threads;	/* the busiest */
	struct summary_rank *ranks;	/* by rank */
	struct summary_open *open;	/* the longest first */
	size_t ncopies, nwaits, ninside;
	size_t nfunctions, nlibraries, ncallers, nkernels, nranges, nprocesses, nthreads, nranks,
	       nopen;
	size_t nranked;		/* ranks without that of processes that have none, -1 */
	struct row_counts others;	/* of the threads without a row */
	uint64_t nothers;
	struct row_counts counts;
	uint64_t first_ns, last_ns;
	uint64_t faults;	/* processes with one */
	enum demangle names;	/* of kernels */
	bool failed;		/* of calls alone whose result is an error */
	bool chosen;		/* of some calls alone, by which memory is not told */
	bool in_range;		/* there is a range that options.in_range takes */
	struct symbols *symbols;	/* for callers_find, the caller's; NULL: none are wanted */
	struct summary_store *store;
	struct arena memory;
};

struct summary_options {
	size_t threads;		/* rows of threads */
	size_t points;		/* of a process's memory over time, at most */
	size_t jobs;		/* threads that read, 0: as many as there are processors */
	bool failed;		/* of calls alone whose result is an error */
	bool callers;		/* fill summary.callers */
	bool ranges;		/* fill summary.ranges */
	const char *in_range;	/* a glob: calls in ranges of such texts alone; NULL: all */
	enum demangle names;	/* of kernels */
	/* Called now and then, by one thread at a time, with bytes of the files. */
	void (*progress)(void *data, uint64_t done, uint64_t whole);
	void *data;
};

/*
 * Adds up the files, which must not go away while the summary lives: their
 * paths are not copied. One that cannot be read is a process with a fault.
 * 0 or -ENOMEM; summary_free in both cases.
 */
int summary_build(struct summary *summary, char *const *paths, size_t count,
		  const struct summary_options *options);

void summary_free(struct summary *summary);

/* What is missing, and of how many processes. */
struct summary_loss {
	uint64_t count, processes;
};

struct summary_losses {
	struct summary_loss lost[CUAUDIT_TRACE_LOSSES], damaged, torn, cut, filtered, steps;
	uint64_t endings[TRACE_ENDINGS];
	uint64_t no_python;	/* processes without Python frames ... */
	const char *why_no_python;	/* ... and why, of the first one */
};

/* Of the files that could be read. */
struct summary_losses summary_losses(const struct summary *summary);

/* How many functions were called, and libraries called; others are only known, and come last. */
size_t summary_called(const struct summary *summary);
size_t summary_called_from(const struct summary *summary);

/* Whether the runtime was called. */
bool summary_has_runtime(const struct summary *summary);

#endif
