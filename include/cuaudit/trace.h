/* SPDX-License-Identifier: Apache-2.0 */
/* The trace file: what the trace hook writes, and where. C11 and C++. */
/*
 * cuaudit-trace(5) describes the format in full; this header is the same in C.
 * Numbers are in the writer's byte order, at their natural alignment, except
 * in the arguments of a call.
 */
#ifndef CUAUDIT_TRACE_H
#define CUAUDIT_TRACE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * A file is a row of chunks of one size, the header's `chunk`. Chunk 0 begins
 * with the file's header, whose magic is written last; the rest of it holds
 * descriptions, as chunks of kind DESCRIPTIONS do. Every other chunk begins
 * with its own header. A chunk of kind 0 has not been begun, or is being
 * begun anew: it holds nothing, and others may follow it.
 *
 * Descriptions are each published by their type, calls by their first word:
 * either is written after all else of the record (release). Where the next
 * would be published is zero, unless the chunk ends there; what follows may be
 * anything. So whatever kills the process, the file ends between two records,
 * and a call's record comes after all it refers to.
 */
#define CUAUDIT_TRACE_MAGIC "cuatrace"	/* without its NUL */

enum {
	CUAUDIT_TRACE_VERSION = 1,
	CUAUDIT_TRACE_ORDER = 0x01020304,
	CUAUDIT_TRACE_HEADER = 4096,	/* bytes of chunk 0 before its first description */
	CUAUDIT_TRACE_CHUNK = 262144,	/* what the writer uses; readers: 4096 << 1 to 1 << 30, a power of two */
	CUAUDIT_TRACE_ALIGN = 8,	/* all records begin at and are multiples of it */
	CUAUDIT_TRACE_OPEN = 4,
	CUAUDIT_TRACE_STEPS = 24,
	CUAUDIT_TRACE_TYPES_WORDS = 16,
	CUAUDIT_TRACE_TEXT_MOST = 32767,	/* bytes of a description's text, see below */
	CUAUDIT_TRACE_AGAIN_MOST = 64	/* bytes of arguments of a record that is referred to */
};

enum cuaudit_trace_flags {
	CUAUDIT_TRACE_ARGUMENTS = 1,	/* calls have their arguments */
	CUAUDIT_TRACE_RING = 2,		/* the oldest chunks are written over */
	CUAUDIT_TRACE_FINISHED = 4	/* the process came to its end; end_ticks and the clock are exact */
};

/* How the process ended, as far as code of the writer's ran then. */
enum cuaudit_trace_ending {
	CUAUDIT_TRACE_BY_OTHERS = 0,	/* not yet, or by a signal, exec, or a system call of its own */
	CUAUDIT_TRACE_BY_EXIT = 1,	/* exit() or return from main */
	CUAUDIT_TRACE_BY_QUIT = 2	/* _exit, _Exit, quick_exit */
};

/* Why calls are missing: counters in the header, written at any time. */
enum cuaudit_trace_loss {
	CUAUDIT_TRACE_LOST_SIZE,	/* the file has its full size; when-full=stop */
	CUAUDIT_TRACE_LOST_DISK,	/* the disk is full, or gave an error */
	CUAUDIT_TRACE_LOST_MEMORY,	/* no memory, or too many threads */
	CUAUDIT_TRACE_LOST_NESTED,	/* not hooked: in a handler within a hook, stack unaligned, no memory */
	CUAUDIT_TRACE_LOST_RING,	/* written over; when-full=ring */
	CUAUDIT_TRACE_LOST_UNWOUND,	/* a signal handler left the hook by siglongjmp */
	CUAUDIT_TRACE_LOSSES = 8
};

/* Why ranges or their ends are missing: counters of the header, too. */
enum cuaudit_trace_range_loss {
	CUAUDIT_TRACE_RANGES_DEEP,	/* inside of 128 others */
	CUAUDIT_TRACE_RANGES_OPEN,	/* started, while 4096 others were open */
	CUAUDIT_TRACE_RANGES_NESTED,	/* events of a signal handler while a record was written */
	CUAUDIT_TRACE_RANGES_NAMES,	/* domains, texts and names: more than 65536 */
	CUAUDIT_TRACE_RANGES_UNMATCHED,	/* ends of ranges that are not open: the program's own */
	CUAUDIT_TRACE_RANGES_MEMORY,	/* there was no memory */
	CUAUDIT_TRACE_RANGES_ROOM,	/* the file took no more; see CUAUDIT_TRACE_LOST_SIZE */
	CUAUDIT_TRACE_RANGES_LOSSES = 8
};

/* What a reader has to know. */
enum cuaudit_trace_incompatible {
	CUAUDIT_TRACE_HAS_AGAIN = 1,		/* records may have one word */
	CUAUDIT_TRACE_HAS_PARAMETERS = 2,	/* steps may be CUAUDIT_TRACE_PARAMETERS */
	CUAUDIT_TRACE_HAS_PYTHON = 4,		/* frames may be of any enum cuaudit_trace_frame_kind */
	CUAUDIT_TRACE_HAS_RANGES = 8		/* records may be of ranges; set before the first is written */
};

struct cuaudit_trace_header {
	char magic[8];
	uint32_t version;
	uint32_t order;
	uint64_t incompatible;	/* enum cuaudit_trace_incompatible; a reader refuses others */
	uint64_t compatible;	/* a reader ignores bits it does not know; none yet */
	uint32_t chunk;		/* bytes */
	uint32_t flags;		/* enum cuaudit_trace_flags */
	uint32_t pid;
	uint32_t parent;	/* the parent's pid */
	int32_t rank;		/* as %r of CUAUDIT_OUTPUT, -1 for none */
	uint32_t clock_source;	/* enum cuaudit_clock_source */
	uint64_t clock_mult;	/* ns = ticks * mult >> shift */
	uint32_t clock_shift;
	uint32_t process_start;	/* field 22 of /proc/PID/stat, its low 32 bits; 0: not known */
	uint64_t clock_hz;	/* ticks a second */
	uint64_t start_ticks;	/* read together with start_raw and start_ns ... */
	uint64_t start_ns;	/* ... of CLOCK_REALTIME */
	uint64_t end_ticks;	/* the same at the end, 0 until then */
	uint64_t end_ns;
	uint64_t error;		/* errno of the disk's first error, 0 for none */
	uint64_t lost[CUAUDIT_TRACE_LOSSES];	/* by enum cuaudit_trace_loss */
	char host[64];
	char program[1024];	/* its path */
	char command[2048];	/* its arguments, each ended by a NUL; cut at the end */
	uint64_t size;		/* bytes of the file once it has its end; 0: not known */
	uint64_t start_raw;	/* CLOCK_MONOTONIC_RAW at start_ticks; 0: not known */
	uint64_t end_raw;	/* and at end_ticks */
	uint32_t ending;	/* enum cuaudit_trace_ending, written behind status, just before the end */
	uint32_t status;	/* 0 to 255: of the process, unless ending is 0 */
	uint64_t lost_ranges[CUAUDIT_TRACE_RANGES_LOSSES];	/* by enum cuaudit_trace_range_loss */
};

enum cuaudit_trace_kind {
	CUAUDIT_TRACE_EMPTY,
	CUAUDIT_TRACE_DESCRIPTIONS,
	CUAUDIT_TRACE_CALLS
};

/* A call that has begun and not ended. */
struct cuaudit_trace_open {
	uint64_t ticks;		/* when; 0: there is none. Written last, cleared first */
	uint32_t site;
	uint32_t depth;
};

/* Before the records of every chunk but the first. */
struct cuaudit_trace_chunk {
	uint32_t kind;		/* enum cuaudit_trace_kind, written last */
	uint32_t thread;	/* whose calls come first; 0 for descriptions */
	uint64_t sequence;	/* 1, 2, ... in the order in which the file's chunks were begun */
	uint64_t base_ticks;	/* what the first record's end counts from, read together with ... */
	uint64_t base_ns;	/* ... this of CLOCK_REALTIME */
	uint64_t base_correlation;
	uint64_t records;	/* once the chunk is full or its thread has ended: how many calls; else 0 */
	uint64_t filtered;	/* calls of this chunk's time that min-duration and failed left out */
	uint64_t base_raw;	/* CLOCK_MONOTONIC_RAW at base_ticks; 0: not known */
	uint64_t unused[8];
	struct cuaudit_trace_open open[CUAUDIT_TRACE_OPEN];	/* those the hook's open= selects, by depth */
	uint64_t padding[8];
};

enum { CUAUDIT_TRACE_CHUNK_HEADER = sizeof(struct cuaudit_trace_chunk) };

/*
 * A call: two words, then what its flags name, in the order of the flags; or
 * one, see below; all words of 64 bits. It is written when the call ends, so a
 * thread's records are in the order of their ends, and an inner call's precedes
 * its outer's.
 *
 * word 0: bits 0-7   words of the record
 *              8-15  enum cuaudit_trace_call
 *             16-31  low bits of the correlation id, which is the one nearest
 *                    to the record before (to base_correlation)
 *             32-63  ticks from the end of the record before (from base_ticks)
 *                    to this one's end
 * word 1: bits 0-31  ticks the driver's function took
 *             32-63  number of the site
 *
 * A record of one word is a call from where an earlier one came from, with the
 * same arguments, if any; the result and the depth are 0:
 *
 * word 0: bits 0-7   1
 *              8-23  how many words before this record that one's begins: of the
 *                    same chunk and thread, two words at least, and 64 bytes of
 *                    arguments at most
 *             24-41  ticks the driver's function took
 *             42-63  ticks from the end of the record before to this one's end
 *
 * Its correlation id is that of the record before, + 1.
 */
enum cuaudit_trace_call {
	CUAUDIT_TRACE_LONG = 1,		/* two words: the two counts of ticks, which are 0 above */
	CUAUDIT_TRACE_STATUS = 2,	/* one: bits 0-31 the result, 32-47 the depth, 48-63 status; without it all 0 */
	CUAUDIT_TRACE_CORRELATION = 4,	/* one: the whole correlation id */
	CUAUDIT_TRACE_STACK = 8,	/* one: bits 0-31 number of the stack */
	CUAUDIT_TRACE_WITH_ARGUMENTS = 16,	/* all that remains, see struct cuaudit_trace_step */
	CUAUDIT_TRACE_RANGE = 64,		/* no call, see below */
	CUAUDIT_TRACE_NEXT_THREAD = 128		/* no call, see below */
};

/*
 * In place of a call: the thread has ended and left room, which another takes
 * over for its first calls. A thread's later chunks have higher sequences, as
 * ever. The flag stands alone, and the words are these.
 */
enum cuaudit_trace_next_thread {
	CUAUDIT_TRACE_NEXT_FIRST,	/* bits 0-7 and 8-15 as of a call, else 0 */
	CUAUDIT_TRACE_NEXT_NUMBER,	/* bits 0-31: the thread, as in the chunk's header; ... */
	CUAUDIT_TRACE_NEXT_TICKS,	/* ... base_ticks ... */
	CUAUDIT_TRACE_NEXT_NS,		/* ... base_ns ... */
	CUAUDIT_TRACE_NEXT_CORRELATION,	/* ... and base_correlation, from here on */
	CUAUDIT_TRACE_NEXT_WORDS
};

/*
 * In place of a call: something of a range that the program named by NVTX. Two
 * words, then what the bits above name, in their order.
 *
 * word 0: bits 0-7   words of the record
 *              8-15  CUAUDIT_TRACE_RANGE, and CUAUDIT_TRACE_LONG
 *             16-19  enum cuaudit_trace_range_event
 *             20-27  enum cuaudit_trace_range
 *             28-31  enum cuaudit_trace_range_payload
 *             32-63  ticks from the record before to this event, as of a call
 * word 1: bits 0-31  number of the domain; 0: NVTX's default
 *             32-63  the category; 0: none
 */
enum cuaudit_trace_range_event {
	CUAUDIT_TRACE_RANGE_PUSH = 1,	/* the thread's next range, inside of those that are open */
	CUAUDIT_TRACE_RANGE_POP,	/* its innermost open one of the domain has ended */
	CUAUDIT_TRACE_RANGE_START,	/* a range of the process began, which any thread may end; with ID */
	CUAUDIT_TRACE_RANGE_FINISH,	/* it ended: again with all that it began with, and TICKS */
	CUAUDIT_TRACE_RANGE_MARK,
	/*
	 * A chunk's and a thread's ranges of before: RESET says that none are open but those of the
	 * OPEN records right behind it, outermost first, with TICKS. It comes where there are some, or
	 * where events are missing.
	 */
	CUAUDIT_TRACE_RANGE_RESET,
	CUAUDIT_TRACE_RANGE_IS_OPEN
};

enum cuaudit_trace_range {
	CUAUDIT_TRACE_RANGE_TICKS = 1,	/* one word: when the range began */
	CUAUDIT_TRACE_RANGE_ID = 2,	/* one: the number of a range of the process */
	CUAUDIT_TRACE_RANGE_COLOUR = 4,	/* one: bits 0-31 0xAARRGGBB */
	CUAUDIT_TRACE_RANGE_PAYLOAD = 8,	/* one: the payload */
	CUAUDIT_TRACE_RANGE_TEXT = 16,	/* all that remains: the text, filled up with NULs, at least one */
	CUAUDIT_TRACE_RANGE_CUT = 32	/* the text was longer */
};
/* CUAUDIT_TRACE_LONG is one word here, and the first: the count of ticks, which is 0 above. */

enum cuaudit_trace_range_payload {
	CUAUDIT_TRACE_RANGE_UINT64 = 1,
	CUAUDIT_TRACE_RANGE_INT64,
	CUAUDIT_TRACE_RANGE_DOUBLE,
	CUAUDIT_TRACE_RANGE_UINT32,
	CUAUDIT_TRACE_RANGE_INT32,
	CUAUDIT_TRACE_RANGE_FLOAT,
	CUAUDIT_TRACE_RANGE_OTHER	/* there was one of another type: no word */
};

enum cuaudit_trace_status {
	CUAUDIT_TRACE_SKIPPED = 1,	/* a hook answered in the driver's place */
	CUAUDIT_TRACE_CUT = 2,		/* the arguments did not fit: those of the last steps are missing */
	CUAUDIT_TRACE_INPUTS = 4,	/* it failed; what the driver reads was followed, but NULL */
	CUAUDIT_TRACE_FAILED = 8	/* the driver failed, and a hook made the result 0 */
};

/* Descriptions. */
enum cuaudit_trace_type {
	CUAUDIT_TRACE_END,
	CUAUDIT_TRACE_FUNCTION,
	CUAUDIT_TRACE_LIBRARY,
	CUAUDIT_TRACE_SITE,
	CUAUDIT_TRACE_THREAD,
	CUAUDIT_TRACE_KERNEL,
	CUAUDIT_TRACE_CALLERS,
	CUAUDIT_TRACE_DRIVER,
	CUAUDIT_TRACE_MARK,
	CUAUDIT_TRACE_LAYOUT,
	CUAUDIT_TRACE_PYTHON = 10,
	CUAUDIT_TRACE_RANGE_NAME = 11,
	CUAUDIT_TRACE_ERROR = 15,
	CUAUDIT_TRACE_TYPES = 16
};

/*
 * Texts at a record's end fill it up with NULs, at least one. The writer cuts a
 * text of more than CUAUDIT_TRACE_TEXT_MOST bytes, which then ends with "...".
 */
struct cuaudit_trace_record {
	uint32_t type;		/* enum cuaudit_trace_type, written last; readers skip others */
	uint32_t size;		/* of the whole record */
};

/*
 * How the arguments of a function's calls are written: step after step, each
 * right behind the one before, without alignment. Steps that follow a pointer
 * are there only where their bit of the mask is set: two bytes at the very
 * beginning, if the function has any such step; bit 0 is the first of them.
 * Bytes past the last step are 0.
 */
enum cuaudit_trace_step_kind {
	CUAUDIT_TRACE_NOTHING,	/* the argument is not written */
	CUAUDIT_TRACE_VALUE,	/* the low `size` bytes of the words from `word` on */
	CUAUDIT_TRACE_DEREF,	/* `size` bytes that word points to */
	CUAUDIT_TRACE_TEXT,	/* two bytes: length, + 0x8000 where it was cut; then the text without NUL */
	CUAUDIT_TRACE_ARRAY,	/* two bytes: how many elements of `size` bytes; then they; + 0x8000 where cut */
	/*
	 * Two bytes: length, + 0x8000 where cut; four: number of the layout, or
	 * CUAUDIT_TRACE_NO_LAYOUT; then so much of the kernel's parameter buffer.
	 */
	CUAUDIT_TRACE_PARAMETERS
};

struct cuaudit_trace_step {
	uint8_t kind;		/* enum cuaudit_trace_step_kind */
	uint8_t word;		/* as in cuaudit_call.words */
	uint16_t size;
};

/* A function of a loaded copy of the driver. */
struct cuaudit_trace_function {
	struct cuaudit_trace_record record;
	uint32_t slot;		/* its number in this file */
	uint32_t driver;
	int32_t id;		/* row of driver_api.def, -1: newer than the writer */
	uint32_t classes;	/* CUAUDIT_CLASS_* */
	uint32_t version;	/* of cuGetProcAddress */
	uint32_t nsteps;	/* at most CUAUDIT_TRACE_STEPS */
	struct cuaudit_trace_step steps[CUAUDIT_TRACE_STEPS];
	/* Behind it: the ELF symbol, NUL, what cuGetProcAddress calls it. */
};

/* The parameters of a function of another library, whose types the user has given. */
struct cuaudit_trace_types {
	struct cuaudit_trace_record record;
	uint32_t slot;		/* the function's, whose record comes before */
	uint16_t nwords;	/* at most CUAUDIT_TRACE_TYPES_WORDS */
	uint16_t result;	/* the word that the result begins with; 0: it has none, or none is known */
	uint8_t words[CUAUDIT_TRACE_TYPES_WORDS];	/* where each parameter's value begins */
	/*
	 * Behind it: its line of cuaudit-types(5), and those of enumerations that it names, NUL, and
	 * where the values of further parameters begin: a byte each, the word + 1; 0 ends them.
	 */
};

struct cuaudit_trace_library {
	struct cuaudit_trace_record record;
	uint32_t index;		/* its number in this file; 0: unknown code */
	uint32_t id_size;	/* bytes of build_id, 0: none known */
	uint64_t base;		/* where it was loaded: file offsets, as of its symbols, count from here */
	uint8_t build_id[32];
	/* Behind it: its path. */
};

/* Where calls come from: one function, called at one address of one library. */
struct cuaudit_trace_site {
	struct cuaudit_trace_record record;
	uint32_t number;	/* from 0 */
	uint32_t slot;
	uint32_t library;
	/*
	 * How the library had bound the function when this was written, 1 << enum cuaudit_route each.
	 * 0: by none of these, as by a pointer of another library, or the loader does not tell.
	 */
	uint32_t routes;
	uint64_t caller;	/* the return address */
};

/* The last record of a number holds. */
struct cuaudit_trace_thread {
	struct cuaudit_trace_record record;
	uint32_t number;	/* from 1 */
	int32_t tid;
	char name[16];
	uint64_t start_ticks;	/* its first call */
	uint64_t end_ticks;	/* 0 while it lives */
};

/* From ticks on the handle, of a function or kernel, names a kernel. */
struct cuaudit_trace_kernel {
	struct cuaudit_trace_record record;
	uint64_t handle;
	uint64_t ticks;
	/* Behind it: its name as the driver tells it, mangled. */
};

enum cuaudit_trace_frame_kind {
	CUAUDIT_TRACE_FRAME_NATIVE,
	CUAUDIT_TRACE_FRAME_PYTHON,	/* address: number of a struct cuaudit_trace_python; library 0 */
	CUAUDIT_TRACE_FRAME_CUT		/* the last: there were more; address and library 0 */
};

struct cuaudit_trace_frame {
	uint64_t address;	/* the return address */
	uint32_t library;
	uint32_t kind;		/* enum cuaudit_trace_frame_kind; 0 where the header does not say that there are others */
};

/* A backtrace, from the caller outwards. */
struct cuaudit_trace_callers {
	struct cuaudit_trace_record record;
	uint32_t number;	/* from 0 */
	uint32_t nframes;
	/* Behind it: nframes struct cuaudit_trace_frame. */
};

struct cuaudit_trace_driver {
	struct cuaudit_trace_record record;
	uint32_t index;
	uint32_t version;	/* cuDriverGetVersion's, 0: unknown */
	/* Behind it: its path. */
};

enum cuaudit_trace_mark_kind {
	CUAUDIT_TRACE_MARK_TRIGGER,	/* the trace started or stopped, by which condition */
	CUAUDIT_TRACE_MARK_NO_PYTHON	/* Python frames are not recorded, and why */
};

/* Something worth a line. */
struct cuaudit_trace_mark {
	struct cuaudit_trace_record record;
	uint64_t ticks;
	uint32_t thread;
	uint32_t kind;		/* enum cuaudit_trace_mark_kind; readers take others as a text */
	/* Behind it: the text. */
};

/* What the driver wrote into its log during a call that failed. */
struct cuaudit_trace_error {
	struct cuaudit_trace_record record;
	uint64_t correlation;	/* the call's */
	uint32_t thread;
	int32_t result;
	/* Behind it: the text. */
};

struct cuaudit_trace_parameter {
	uint32_t offset;	/* in the kernel's parameter buffer */
	uint32_t size;
};

/* How the parameters of a kernel lie, in their order. */
struct cuaudit_trace_layout {
	struct cuaudit_trace_record record;
	uint32_t number;	/* from 0 */
	uint32_t nparameters;
	/* Behind it: nparameters struct cuaudit_trace_parameter. */
};

/* A line of a Python function. */
struct cuaudit_trace_python {
	struct cuaudit_trace_record record;
	uint32_t number;	/* from 0 */
	uint32_t line;		/* 0: it has none */
	/* Behind it: the function's qualified name, NUL, the file. */
};

/* What a program calls something by NVTX. Of equal kind, domain and id, the last one holds. */
enum cuaudit_trace_range_name_kind {
	CUAUDIT_TRACE_NAME_DOMAIN = 1,	/* the domain itself */
	CUAUDIT_TRACE_NAME_CATEGORY,	/* id: a category of the domain */
	CUAUDIT_TRACE_NAME_THREAD,	/* id: the system's number */
	CUAUDIT_TRACE_NAME_DEVICE,	/* id: the number or handle */
	CUAUDIT_TRACE_NAME_CONTEXT,
	CUAUDIT_TRACE_NAME_STREAM,
	CUAUDIT_TRACE_NAME_EVENT
};

struct cuaudit_trace_range_name {
	struct cuaudit_trace_record record;
	uint64_t id;
	uint32_t domain;
	uint32_t kind;		/* enum cuaudit_trace_range_name_kind */
	/* Behind it: the name. */
};

/* Nobody knows how they lie, and nothing was written. */
#define CUAUDIT_TRACE_NO_LAYOUT UINT32_MAX

#ifdef __cplusplus
}
#endif
#endif
