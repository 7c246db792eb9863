/* SPDX-License-Identifier: Apache-2.0 */
/* What a program's driver calls come to, run after run, and the lock file that keeps it. */
/*
 * A lock file has a line for each fact: its kind, the library that calls, what is called,
 * launched or copied, the NVTX range that is innermost then, and the count. Fields are
 * separated by tabs and have neither tabs nor line breaks in them, so that a line is a line
 * whatever the names are. Of routes there is no range, and the count is 1. The text of a fact
 * before its count is its key here, the last tab included: in the order of the keys' bytes the
 * lines are sorted as sort(1) does in the C locale.
 */
#ifndef ANALYSIS_BASELINE_H
#define ANALYSIS_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tracefile/demangle.h"
#include "util/hash_table.h"
#include "util/out.h"

enum { BASELINE_FAULT = 512 };

/*
 * How names of kernels are written. Demangled ones are the default: the mangled name of a kernel in
 * an unnamed namespace has a number in it that is another one each time the file is compiled.
 */
#define BASELINE_DEMANGLED "demangled"
#define BASELINE_MANGLED "mangled"

/* What all processes of one run did. Begins as BASELINE_RUN. */
struct baseline_run {
	struct table counts;	/* key, with a NUL -> uint64_t */
	struct table traces;	/* pid -> uint32_t: how many it left, being several programs */
	uint32_t driver;	/* its version, the highest of them; 0: not known */
	enum demangle names;	/* of kernels */
};

#define BASELINE_RUN ((struct baseline_run){ .counts = { .row = sizeof(uint64_t) }, \
					     .traces = { .row = sizeof(uint32_t) } })

/*
 * Adds the trace of a process. false: it does not hold all that the process did, fault says
 * why, and the run is of no use.
 */
bool baseline_run_add(struct baseline_run *run, const char *path, char fault[BASELINE_FAULT]);
void baseline_run_free(struct baseline_run *run);

/* A count over several runs. */
struct baseline_seen {
	uint64_t low, high;	/* of the runs that have it */
	uint32_t runs;		/* how many these are */
};

/* Begins as BASELINE_RUNS. */
struct baseline_runs {
	struct table seen;	/* key, with a NUL -> struct baseline_seen */
	uint32_t count;
	uint32_t driver;
};

#define BASELINE_RUNS ((struct baseline_runs){ .seen = { .row = sizeof(struct baseline_seen) } })

/* 0 or -ENOMEM. */
int baseline_runs_add(struct baseline_runs *runs, const struct baseline_run *run);
void baseline_runs_free(struct baseline_runs *runs);

/* What a lock file has before its facts. */
enum baseline_header {
	BASELINE_COMMAND,	/* for people: it is not compared */
	BASELINE_DRIVER,	/* the same */
	BASELINE_KERNELS,
	BASELINE_RUNS_MADE,	/* how many it is made of, updates included */
	BASELINE_HEADERS
};

/* Lines of comment and blank ones before a line; in the text that was read. */
struct baseline_comment {
	const char *text;
	size_t size;
};

struct baseline_fact {
	uint64_t low, high;
	uint32_t line;		/* in the file, 0: it is new */
	bool any;		/* whatever the count is, 0 too */
	bool gone;		/* it is not written any more */
	bool met;		/* by baseline_update: a run had it */
	struct baseline_comment comment;
};

/* All zero but for facts.row at first, see BASELINE_LOCK. */
struct baseline_lock {
	struct table facts;	/* key, with a NUL -> struct baseline_fact */
	char *headers[BASELINE_HEADERS];	/* fields as they are written; NULL: not there */
	struct baseline_comment comments[BASELINE_HEADERS + 1];	/* the last: at the end */
	uint32_t lines;
};

#define BASELINE_LOCK ((struct baseline_lock){ .facts = { .row = sizeof(struct baseline_fact) } })

struct baseline_fault {
	uint32_t line;		/* from 1; 0: memory is out */
	uint32_t column;	/* the byte of the line, from 1 */
	char text[BASELINE_FAULT];
};

/*
 * Reads a lock file of size bytes, which has to stay as long as the lock: comments are parts of
 * it. false: it is none, fault says where and why; baseline_lock_free in both cases.
 */
bool baseline_read(struct baseline_lock *lock, const char *text, size_t size,
		   struct baseline_fault *fault);

/* Takes a header's fields, any texts. 0 or -ENOMEM. */
int baseline_header(struct baseline_lock *lock, enum baseline_header header,
		    const char *const *fields, size_t count);

/*
 * Makes the lock one that these runs agree with. Lines that they agree with already stay as
 * they are, bounds are made wider; an exact count that is another one now is replaced.
 * 0 or -ENOMEM.
 */
int baseline_update(struct baseline_lock *lock, const struct baseline_runs *runs);

/* All of the file; out->error tells whether memory was out. */
void baseline_write(const struct baseline_lock *lock, struct out *out);

/* How many facts are written, and of those how many are exact and how many say any. */
struct baseline_totals {
	size_t facts, exact, any;
};
struct baseline_totals baseline_totals(const struct baseline_lock *lock);

/* A fact of a run that is not as the lock has it. Texts are one line of printed characters. */
struct baseline_difference {
	uint32_t line;		/* in the lock file; of a new one: that before which it would be */
	const char *kind;	/* new, missing or changed; renamed: a library, of whatever facts */
	char *fact;		/* its fields, with spaces between them; renamed: the library */
	const char *expected, *seen;	/* counts, or "none"; renamed: its names */
};

struct baseline_differences {
	struct baseline_difference *items;
	size_t count;
};

/* In the order of the lock's lines. 0 or -ENOMEM; baseline_differences_free in both cases. */
int baseline_compare(const struct baseline_lock *lock, const struct baseline_run *run,
		     struct baseline_differences *differences);
void baseline_differences_free(struct baseline_differences *differences);
void baseline_lock_free(struct baseline_lock *lock);

/*
 * The rows of a table whose keys are texts, in the order of their bytes; to be freed. NULL when
 * memory is out.
 */
struct baseline_item {
	const char *key;
	void *row;
};
struct baseline_item *baseline_sorted(const struct table *table);

#endif
