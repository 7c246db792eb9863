/* SPDX-License-Identifier: Apache-2.0 */
/* The ranges and marks that a program names by NVTX, as hooks see them. C11 and C++. */
#ifndef CUAUDIT_RANGE_H
#define CUAUDIT_RANGE_H

#include <cuaudit/hook.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cuaudit_range_kind {
	CUAUDIT_RANGE_PUSH = 1,	/* the calling thread's next range, inside of those that are open */
	CUAUDIT_RANGE_POP,	/* its innermost one of the domain */
	CUAUDIT_RANGE_START,	/* one of the process, which any thread may end */
	CUAUDIT_RANGE_END,
	CUAUDIT_RANGE_MARK	/* a moment */
};

enum cuaudit_range_flags {
	CUAUDIT_RANGE_CUT = 1,	/* the text is longer than CUAUDIT_RANGE_TEXT - 1 bytes */
	CUAUDIT_RANGE_COLOUR = 2
};

/* What the 64 bits of a payload are. */
enum cuaudit_range_payload {
	CUAUDIT_RANGE_NO_PAYLOAD,
	CUAUDIT_RANGE_UINT64,
	CUAUDIT_RANGE_INT64,
	CUAUDIT_RANGE_DOUBLE,
	CUAUDIT_RANGE_UINT32,
	CUAUDIT_RANGE_INT32,
	CUAUDIT_RANGE_FLOAT,
	CUAUDIT_RANGE_OTHER	/* of a type that is not known; 0 */
};

enum {
	CUAUDIT_RANGE_TEXT = 944,	/* bytes of a text, its NUL included */
	CUAUDIT_RANGE_DEPTH = 128,	/* open ranges of a thread that are known; deeper ones are counted */
	CUAUDIT_RANGE_OPEN = 4096,	/* the same of ranges of the process */
	CUAUDIT_RANGE_SELECTORS = 32
};

/* The domain of a handle that the program was not given. Domain 0 is NVTX's default. */
#define CUAUDIT_RANGE_NO_DOMAIN UINT32_MAX

struct cuaudit_range {
	uint64_t ticks;		/* when it began */
	uint64_t end;		/* POP, END: when it ended; else 0 */
	uint64_t id;		/* START, END: its number; else 0 */
	uint64_t payload;
	const char *text;	/* ends with NULs up to a word of 8 bytes, at least one; "" for none */
	uint32_t domain;
	uint32_t category;	/* 0: none */
	uint32_t colour;	/* 0xAARRGGBB */
	uint16_t length;	/* of text */
	uint8_t kind;		/* enum cuaudit_range_kind */
	uint8_t flags;
	uint8_t payload_type;	/* enum cuaudit_range_payload */
	uint8_t unused[7];
};

/*
 * Context: call. A range began or ended, or a mark was made, on the calling
 * thread. Of call, only blocks, correlation (of the thread's last call) and
 * depth mean anything. At a POP the range is still open, at a PUSH not yet.
 */
typedef void (*cuaudit_range_fn)(const struct cuaudit_range *range,
				 const struct cuaudit_call *call, void *data);

/*
 * Context: setup (init). Has the core follow ranges, and call listen, if it is not
 * NULL, for each event. Where no module asks, ranges cost the program what they
 * cost without a tool. 0, or -ENOSPC.
 */
CUAUDIT_PUBLIC int cuaudit_range_listen(cuaudit_range_fn listen, void *data);

/*
 * Context: setup (init). Has the core follow ranges, and judge the text of each by a glob, which
 * stays in use. Returns a number for cuaudit_call_in_range, >= 0, or -EINVAL
 * (an unfinished set), -ENOSPC.
 */
CUAUDIT_PUBLIC int cuaudit_range_selector(const char *glob);

/* Context: call. Whether an open range of the call's thread has a text that the selector takes. */
CUAUDIT_PUBLIC int cuaudit_call_in_range(const struct cuaudit_call *call, int selector);

/*
 * Context: call. An open range of the call's thread, the innermost for index 0,
 * until the thread pops it; NULL past the outermost. Those that were started, not pushed, are
 * of no thread.
 */
CUAUDIT_PUBLIC const struct cuaudit_range *cuaudit_call_range(const struct cuaudit_call *call,
							      uint32_t index);

enum cuaudit_range_name_kind {
	CUAUDIT_RANGE_DOMAIN = 1,	/* id: 0 */
	CUAUDIT_RANGE_CATEGORY,		/* id: the category, of the domain */
	CUAUDIT_RANGE_THREAD,		/* id: the system's number of it */
	CUAUDIT_RANGE_DEVICE,		/* id: the number, or a handle ... */
	CUAUDIT_RANGE_CONTEXT,
	CUAUDIT_RANGE_STREAM,
	CUAUDIT_RANGE_EVENT,
	CUAUDIT_RANGE_STRING = 16	/* registered, for use as a text; id: 0 */
};

/* A name that the program gave to something. Of equal kind, domain and id, the last one holds. */
struct cuaudit_range_name {
	uint64_t id;
	const char *text;	/* of CUAUDIT_RANGE_TEXT bytes at most, its NUL included */
	uint32_t domain;	/* of DOMAIN, its own number */
	uint32_t kind;		/* enum cuaudit_range_name_kind */
};

/* Context: call. The index-th name that was given, from 0 on; NULL: there are no more yet. */
CUAUDIT_PUBLIC const struct cuaudit_range_name *cuaudit_range_name_at(uint32_t index);

/* What the core could not follow. */
enum cuaudit_range_loss {
	CUAUDIT_RANGE_LOST_DEEP,	/* pushed inside of CUAUDIT_RANGE_DEPTH others */
	CUAUDIT_RANGE_LOST_OPEN,	/* started while CUAUDIT_RANGE_OPEN others were open */
	CUAUDIT_RANGE_LOST_NESTED,	/* events of a signal handler, while a hook ran */
	CUAUDIT_RANGE_LOST_NAMES,	/* domains, texts and names that were too many */
	CUAUDIT_RANGE_LOST_UNMATCHED,	/* ends of ranges that are not open */
	CUAUDIT_RANGE_LOST_MEMORY,	/* events of threads for which there was no memory */
	CUAUDIT_RANGE_LOSSES
};

/* Context: call. How many, so far. */
CUAUDIT_PUBLIC uint64_t cuaudit_range_lost(enum cuaudit_range_loss why);

#ifdef __cplusplus
}
#endif
#endif
