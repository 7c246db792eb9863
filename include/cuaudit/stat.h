/* SPDX-License-Identifier: Apache-2.0 */
/* The record file of the stat hook: what is in it and where. C11 and C++. */
#ifndef CUAUDIT_STAT_H
#define CUAUDIT_STAT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A file is a row of segments of one size. The first begins with the header
 * in its first CUAUDIT_STAT_HEADER bytes. The rest of each segment is a row
 * of records; none crosses into the next segment, and type 0 or the
 * segment's end ends the row. A record's type is written after its contents;
 * the numbers in it go on changing while the process lives. A reader checks
 * every size, skips types it does not know and takes nothing for granted: the
 * process may have died at any instruction. Byte order: the writer's.
 */
#define CUAUDIT_STAT_MAGIC "cuaustat"	/* without its NUL */

enum {
	CUAUDIT_STAT_VERSION = 1,
	CUAUDIT_STAT_ORDER = 0x01020304,
	CUAUDIT_STAT_HEADER = 4096,
	CUAUDIT_STAT_SEGMENT = 262144,
	CUAUDIT_STAT_ALIGN = 64,	/* records begin at and are multiples of it */
	CUAUDIT_STAT_BUCKETS = 304
};

enum cuaudit_stat_flags {
	CUAUDIT_STAT_TIMED = 1,		/* cells have times, errors and a histogram */
	CUAUDIT_STAT_COVERAGE = 2,	/* what escaped was recorded, as of the last report */
	CUAUDIT_STAT_ENDED = 4,		/* the process came to its end by exit() */
	CUAUDIT_STAT_PARTIAL = 8	/* not all is in the file: it could not grow */
};

enum cuaudit_stat_ending {
	CUAUDIT_STAT_BY_OTHERS,	/* it has not ended, or not by the program itself */
	CUAUDIT_STAT_BY_EXIT,	/* exit() was called: what came of it flags tell */
	CUAUDIT_STAT_BY_QUIT	/* _exit(), _Exit() or quick_exit() */
};

struct cuaudit_stat_header {
	char magic[8];
	uint32_t version;
	uint32_t order;
	uint64_t incompatible;	/* a reader refuses bits it does not know; none yet */
	uint64_t compatible;	/* a reader ignores bits it does not know; none yet */
	uint32_t segment;	/* bytes */
	uint32_t pid;
	uint32_t flags;
	uint32_t clock_source;	/* enum cuaudit_clock_source */
	uint64_t clock_mult;	/* ns = ticks * mult >> shift */
	uint32_t clock_shift;
	uint32_t clock_pair;	/* ticks that two reads in a row are apart */
	uint64_t clock_hz;
	uint64_t start_ns;	/* CLOCK_REALTIME */
	uint64_t elapsed_ns;	/* since then, when a report was last made; or 0 */
	uint64_t lost;		/* calls not counted: no memory for them */
	char program[1024];
	char host[72];		/* "" before there was this field */
	uint32_t rank;		/* as %r of CUAUDIT_OUTPUT, + 1; 0 outside of a job */
	uint32_t parent;	/* its parent's pid at the first call; these are 0 where there were none */
	uint64_t run;		/* number of the run of cuaudit stat that it is part of, 0: of none */
	uint64_t process_start;	/* field 22 of /proc/PID/stat; 0: not known */
	uint64_t file_segments;	/* that are in the file; 0: not known */
	uint64_t unhooked;	/* with CUAUDIT_STAT_COVERAGE: calls of hooks, and of signal handlers in them */
	uint64_t unwound;	/* the same: calls whose end no hook saw, left by longjmp or an exception */
	char command[1024];	/* the process's arguments with a space between */
	uint32_t ending;	/* enum cuaudit_stat_ending, written behind status */
	uint32_t status;	/* 0 to 255, unless ending is 0 */
};

enum cuaudit_stat_type {
	CUAUDIT_STAT_END,
	CUAUDIT_STAT_CELL,
	CUAUDIT_STAT_FUNCTION,
	CUAUDIT_STAT_LIBRARY,
	CUAUDIT_STAT_THREAD,
	CUAUDIT_STAT_DRIVER,
	CUAUDIT_STAT_ROUTES,
	CUAUDIT_STAT_ESCAPE,
	CUAUDIT_STAT_TABLE,
	CUAUDIT_STAT_ERROR
};

struct cuaudit_stat_record {
	uint32_t type;
	uint32_t size;		/* of the whole record */
};

#define CUAUDIT_STAT_NONE UINT32_MAX	/* no library */

/*
 * One function called by one library on one thread. Cells with thread 0 hold
 * the calls of threads that have ended; cells with no calls wait for use.
 * Words named own_ mean nothing outside the process. Ticks in bucket b: b
 * itself below 16, else from (8 + b % 8) << (b / 8 - 1) on; the last bucket
 * has no upper end. A bucket stops at UINT32_MAX. Without CUAUDIT_STAT_TIMED
 * the record ends before buckets, and of the counts only calls and answered
 * are kept.
 */
struct cuaudit_stat_cell {
	struct cuaudit_stat_record record;
	uint32_t slot;
	uint32_t library;
	uint32_t thread;
	uint32_t unused;
	uint64_t own_next;
	uint64_t own_thread;
	uint64_t answered;	/* calls that a hook answered: no driver's, in no other count */
	uint64_t own_caller;
	uint64_t own_generation;
	uint64_t own_library;
	uint64_t calls;
	uint64_t errors;
	uint64_t not_ready;
	uint64_t total;		/* ticks */
	double squares;		/* of ticks, summed */
	uint64_t min;		/* UINT64_MAX before the first */
	uint64_t max;
	uint32_t buckets[CUAUDIT_STAT_BUCKETS];
};

struct cuaudit_stat_function {
	struct cuaudit_stat_record record;
	uint32_t slot;
	uint32_t driver;
	char name[112];
};

struct cuaudit_stat_library {
	struct cuaudit_stat_record record;
	uint32_t index;
	uint32_t unused;
	char path[496];		/* the end of a longer one */
	/* Records of 512 bytes, which there were before, end here. */
	uint32_t build_id_size;	/* 0: it has none, or one that is longer than this */
	uint32_t unused2;
	uint8_t build_id[56];
};

/*
 * A thread, live or ended: its counts are in its cells. Or number 0: all ended
 * threads that have no record of their own, whose counts are here.
 */
struct cuaudit_stat_thread {
	struct cuaudit_stat_record record;
	uint32_t number;	/* from 1, never used twice */
	uint32_t state;		/* 0 not in use, 1 live, 2 ended */
	int32_t tid;
	uint32_t merged;	/* number 0: how many threads */
	char name[16];
	uint64_t calls;
	uint64_t errors;
	uint64_t total;
};

struct cuaudit_stat_driver {
	struct cuaudit_stat_record record;
	uint32_t index;
	uint32_t version;	/* cuDriverGetVersion's, 0 if it was never asked */
	uint32_t functions;
	uint32_t without_slot;
	char path[488];
};

/* By enum cuaudit_route; one record, the newest if there are more. */
struct cuaudit_stat_routes {
	struct cuaudit_stat_record record;
	uint64_t functions[4];	/* that were bound at least once so */
	uint64_t bindings[4];
	uint64_t bound;		/* functions bound by any route */
	uint64_t padding[6];
};

struct cuaudit_stat_escape {
	struct cuaudit_stat_record record;
	uint32_t kind;		/* enum cuaudit_escape_kind */
	uint32_t version;
	uint64_t flags;
	uint64_t count;
	uint32_t library;
	uint32_t unused;
	char name[88];
};

struct cuaudit_stat_table {
	struct cuaudit_stat_record record;
	uint32_t library;
	int32_t result;
	uint64_t size;
	uint64_t count;
	uint8_t uuid[16];
	uint64_t padding[2];
};

/*
 * Calls of one function by one library, from one call site, on all threads, that had one result
 * which is an error. Of a function with very many call sites, one record without offset has all that
 * have no record of their own. Errors of the cells that are in no such record had results of which
 * there were too many. Records may be alike: their counts add up.
 */
struct cuaudit_stat_error {
	struct cuaudit_stat_record record;
	uint32_t slot;
	uint32_t library;
	int32_t result;		/* a CUresult */
	uint32_t unused;
	uint64_t count;
	uint64_t offset;	/* of the return address, in the library's file; 0: not known */
	uint64_t own_caller;
	uint64_t padding[2];
};

/* The bucket of a number of ticks: 8 to an octave, so at most 12.5 % wide. */
static inline uint32_t cuaudit_stat_bucket(uint64_t ticks)
{
	uint32_t shift = 60 - (uint32_t)__builtin_clzll(ticks | 8);
	uint32_t bucket = shift * 8 + (uint32_t)(ticks >> shift);

	return bucket < CUAUDIT_STAT_BUCKETS ? bucket : CUAUDIT_STAT_BUCKETS - 1;
}

/* The least number of ticks in a bucket. */
static inline uint64_t cuaudit_stat_floor(uint32_t bucket)
{
	return bucket < 16 ? bucket : (uint64_t)(8 + bucket % 8) << (bucket / 8 - 1);
}

#ifdef __cplusplus
}
#endif
#endif
