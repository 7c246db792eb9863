/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a trace: its header, and room for its chunks. */
#ifndef HOOKS_MODULES_TRACE_TRACE_FILE_H
#define HOOKS_MODULES_TRACE_TRACE_FILE_H

#include <stdbool.h>

#include <cuaudit/trace.h>

/* What file=, size= and when-full= say. */
struct trace_file_settings {
	const char *name;	/* with %-fields; NULL: beside CUAUDIT_OUTPUT */
	uint64_t size;
	uint32_t flags;		/* enum cuaudit_trace_flags */
	uint32_t incompatible;	/* enum cuaudit_trace_incompatible */
};

/* No loss: calls after the end. */
enum { TRACE_FILE_ENDED = CUAUDIT_TRACE_LOSSES };

/* Context: setup. 0, or -errno after a message: what that name leads to is no file. */
int trace_file_check(const char *name);

/* Context: setup. No file is made yet. */
void trace_file_setup(const struct trace_file_settings *settings);

bool trace_file_ring(void);

/*
 * Context: call, locked. What follows the header in chunk 0, of a file that is
 * made the first time; NULL: there is none, for the loss in *why.
 */
void *trace_file_begin(uint32_t *why);

/*
 * Context: call, locked. Takes room on disk for another chunk, whose number is
 * then in *index. False: there is none, for the loss in *why; where that is
 * for good, it is reported once.
 */
bool trace_file_extend(uint32_t *index, uint32_t *why);

/* Context: call, locked. The same, without a message, and nothing follows if there is none. */
bool trace_file_grow(uint32_t *index);

/* Context: call, locked. It has its full size. */
bool trace_file_is_full(void);

/* Context: call, locked. Takes the room back, if it is the file's last; false if not. */
bool trace_file_give(uint32_t index);

/*
 * Context: call, locked. A chunk's addresses, or NULL. The second: if it can be,
 * behind those that it gave before.
 */
void *trace_file_map(uint32_t index);
void *trace_file_map_beside(uint32_t index);

/* Context: call. Of so many chunks one behind the other. */
void trace_file_unmap(void *at, uint32_t count);

/* Context: call. Has the pages of a mapped chunk, all at once. */
void trace_file_populate(void *at);

/* Nanoseconds of two other clocks at a time of ours. */
struct trace_file_clocks {
	uint64_t ns;	/* CLOCK_REALTIME, which may be set at any time */
	uint64_t raw;	/* CLOCK_MONOTONIC_RAW */
};

/* Context: call. Of a time not long ago. */
struct trace_file_clocks trace_file_clocks(uint64_t ticks);

/*
 * Context: call. From now on all is lost, for this reason; then whether it is
 * so, and the reason.
 */
void trace_file_stop(uint32_t why);
bool trace_file_stopped(uint32_t *why);

/*
 * Context: call, locked. Whether the file was cut: then nobody may write to a
 * page that nobody wrote to before. *why is TRACE_FILE_ENDED if so.
 */
bool trace_file_ended(uint32_t *why);

/* Context: call. Counts lost calls. */
void trace_file_lost(uint32_t why, uint64_t calls);
uint64_t trace_file_losses(enum cuaudit_trace_loss why);

/* Context: call. Records of ranges may follow: see CUAUDIT_TRACE_HAS_RANGES. */
void trace_file_has_ranges(void);

/* Context: call. So many ranges are lost, in all. */
void trace_file_lost_ranges(enum cuaudit_trace_range_loss why, uint64_t ranges);

/*
 * Context: call. The process is about to end so, unless it has done: enum
 * cuaudit_trace_ending. No calls are lost by it.
 */
void trace_file_ending(uint32_t ending, uint32_t status);

/*
 * Context: setup, locked. Ends the file, cut to used bytes of its last chunk.
 * Returns its path, NULL if there is none.
 */
const char *trace_file_finish(uint32_t used);

/* Context: setup. Whether the file is no longer where it was made. */
bool trace_file_is_gone(void);

/* Context: call. How many chunks the file has. */
uint32_t trace_file_chunks(void);

/* Context: call, in the child of fork: the next call begins another file. */
void trace_file_forked(void);

#endif
