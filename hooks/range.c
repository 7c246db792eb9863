/* SPDX-License-Identifier: Apache-2.0 */
/* The ranges that the program has open, and who is told of them. */
#include "hooks/range.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cuaudit/clock.h>
#include <internal/range_ops.h>

#include "hooks/core_link.h"
#include "hooks/frame.h"
#include "hooks/range_loss.h"
#include "hooks/range_name.h"
#include "hooks/range_read.h"
#include "hooks/thread.h"
#include "hooks/unwound.h"
#include "util/globs.h"

enum { LISTENERS = 4, DOMAINS = 8, ID_BITS = 12 };

_Static_assert(CUAUDIT_RANGE_OPEN == 1 << ID_BITS, "ids");

struct open {
	struct cuaudit_range range;
	uint32_t own, all;	/* selectors that take it, and it or one below */
	uint32_t level;		/* in its domain */
	char text[CUAUDIT_RANGE_TEXT] __attribute__((aligned(8)));
};

_Static_assert(sizeof(struct open) <= 1040, "a quarter of a page");

/* Pages of it that were never reached take no memory. */
struct range_thread {
	struct {
		uint32_t domain, count;
	} deep[DOMAINS];	/* those that are open and not in the list */
	struct open open[CUAUDIT_RANGE_DEPTH];
};

static struct {
	cuaudit_range_fn listen;
	void *data;
} listeners[LISTENERS];
static uint32_t nlisteners;
static const char *selectors[CUAUDIT_RANGE_SELECTORS];
static uint32_t nselectors;
static _Atomic uint32_t matched;	/* selectors that took a text */
static bool followed;			/* the program has ranges that come here */
static bool wanted;

/* Of the process: id 0 is free, BUSY one that a thread is at. */
enum { BUSY = 1 };

static struct {
	_Atomic uint64_t id;
	struct open open;
} started[CUAUDIT_RANGE_OPEN];
static _Atomic uint32_t next_slot;
static _Atomic uint32_t nopen;	/* how many of them are taken, at most */
static _Atomic uint64_t serial = 1;

int cuaudit_range_listen(cuaudit_range_fn listen, void *data)
{
	wanted = true;
	if (!listen)
		return 0;
	if (nlisteners == LISTENERS)
		return -ENOSPC;
	listeners[nlisteners].listen = listen;
	listeners[nlisteners++].data = data;
	return 0;
}

int cuaudit_range_selector(const char *glob)
{
	if (!glob_is_one(glob))
		return -EINVAL;
	wanted = true;
	for (uint32_t i = 0; i < nselectors; i++)
		if (!strcmp(selectors[i], glob))
			return (int)i;
	if (nselectors == CUAUDIT_RANGE_SELECTORS)
		return -ENOSPC;
	selectors[nselectors] = glob;
	return (int)nselectors++;
}

static const struct thread *thread_of(const struct cuaudit_call *call)
{
	return frame_thread((const struct frame *)call);
}

int cuaudit_call_in_range(const struct cuaudit_call *call, int selector)
{
	const struct thread *thread = thread_of(call);

	return thread->range_depth && selector >= 0 && selector < CUAUDIT_RANGE_SELECTORS &&
	       thread->ranges->open[thread->range_depth - 1].all >> selector & 1;
}

const struct cuaudit_range *cuaudit_call_range(const struct cuaudit_call *call, uint32_t index)
{
	const struct thread *thread = thread_of(call);

	return index < thread->range_depth ?
	       &thread->ranges->open[thread->range_depth - 1 - index].range : NULL;
}

/*
 * The thread is inside of a hook, as of a call: driver calls of a handler that comes now are
 * not hooked, and its ranges not followed. The state names a frame of the function that this
 * becomes part of, which unwound.c finds by its CFA, so that one that siglongjmp leaves is noticed.
 */
static inline __attribute__((always_inline)) struct thread *enter(struct frame *frame)
{
	struct thread *thread = thread_self ? thread_self : thread_begin();
	uint32_t depth = 0;
	uint64_t outer;

	if (__builtin_expect(!thread, 0)) {
		range_lose(CUAUDIT_RANGE_LOST_MEMORY);
		return NULL;
	}
	outer = thread->state ? unwound_drop(thread, frame, &depth) : 0;
	if (__builtin_expect(outer & THREAD_INSIDE, 0)) {
		range_lose(CUAUDIT_RANGE_LOST_NESTED);
		return NULL;
	}
	frame->call.blocks = thread->blocks;
	frame->call.correlation = thread->correlation;
	frame->call.depth = depth;
	frame->outer = outer;
	frame->own = (uintptr_t)__builtin_dwarf_cfa();
	thread->outer[depth % THREAD_FRAMES] = outer;
	atomic_signal_fence(memory_order_seq_cst);
	thread->state = (uintptr_t)frame | THREAD_INSIDE | THREAD_FILLED |
			(depth ? THREAD_NESTED : 0);
	atomic_signal_fence(memory_order_seq_cst);
	thread->depth = depth;
	return thread;
}

static inline void leave(const struct frame *frame, struct thread *thread)
{
	thread->depth = frame->call.depth - 1;
	atomic_signal_fence(memory_order_seq_cst);
	thread->state = frame->outer;
}

static inline void tell(const struct frame *frame, const struct cuaudit_range *range)
{
	for (uint32_t i = 0; i < nlisteners; i++)
		listeners[i].listen(range, &frame->call, listeners[i].data);
}

static __attribute__((noinline)) struct range_thread *make(struct thread *thread)
{
	thread->ranges = cuaudit_pages(sizeof(*thread->ranges));
	if (!thread->ranges)
		range_lose(CUAUDIT_RANGE_LOST_MEMORY);
	followed = true;
	return thread->ranges;
}

/*
 * Most texts have some words: `rep movs`, which compilers put here as they know how long a text can
 * be, takes as long as all the rest of a push. The last word is filled up with zeros.
 */
static inline void copy_text(char *to, const char *text, size_t length)
{
	size_t at = 0;
	uint64_t word;

	for (; at + sizeof(word) <= length; at += sizeof(word)) {
		memcpy(&word, text + at, sizeof(word));
		memcpy(to + at, &word, sizeof(word));
		__asm__ volatile("" : "+r"(at));
	}
	memset(to + at, 0, sizeof(word));
	if (length & 4) {
		memcpy(to + at, text + at, 4);
		at += 4;
	}
	if (length & 2) {
		memcpy(to + at, text + at, 2);
		at += 2;
	}
	if (length & 1)
		to[at] = text[at];
}

/*
 * Whether a glob might decide otherwise of all of a text that was cut: its first star is reached in what is there, and
 * does not end it. A set may hold a star.
 */
static bool is_open_ended(const char *glob, const char *text)
{
	const char *star = strchr(glob, '*');
	size_t length = strlen(glob);

	if (!star)
		return length >= CUAUDIT_RANGE_TEXT;
	if (glob[length - 1] == '*' && glob_matches(glob, length, text))
		return false;
	return strpbrk(glob, "[\\") || glob_matches(glob, (size_t)(star - glob) + 1, text);
}

static __attribute__((noinline, cold)) void note_cut(const char *text)
{
	for (uint32_t i = 0; i < nselectors; i++)
		if (is_open_ended(selectors[i], text)) {
			range_lose_text();
			return;
		}
}

/* The program may free the text, or write to it, as soon as it goes on. */
static inline void fill(struct open *open, const struct range_event *event, uint32_t kind)
{
	struct cuaudit_range *range = &open->range;
	const char *text = event->text ? event->text : "";
	size_t length = range_text_length(text, CUAUDIT_RANGE_TEXT);
	uint8_t flags = event->flags;

	if (__builtin_expect(length == SIZE_MAX, 0)) {
		text = RANGE_UNREADABLE;
		length = strlen(text);
	}

	if (length == CUAUDIT_RANGE_TEXT) {
		length--;
		flags |= CUAUDIT_RANGE_CUT;
	}
	copy_text(open->text, text, length);
	if (__builtin_expect(flags & CUAUDIT_RANGE_CUT, 0))
		note_cut(open->text);
	range->ticks = cuaudit_ticks();
	range->end = range->id = 0;
	range->payload = event->payload;
	range->text = open->text;
	range->domain = event->domain;
	range->category = event->category;
	range->colour = event->colour;
	range->length = (uint16_t)length;
	range->kind = (uint8_t)kind;
	range->flags = flags;
	range->payload_type = event->payload_type;
}

static inline uint32_t select_text(const char *text)
{
	uint32_t taken = 0;

	for (uint32_t i = 0; i < nselectors; i++)
		taken |= (uint32_t)glob_matches(selectors[i], strlen(selectors[i]), text) << i;
	if (taken & ~atomic_load_explicit(&matched, memory_order_relaxed))
		atomic_fetch_or_explicit(&matched, taken, memory_order_relaxed);
	return taken;
}

/* How many of the domain are open in the list, below a depth. */
static inline uint32_t level(const struct range_thread *ranges, uint32_t domain, uint32_t depth)
{
	while (depth-- > 0)
		if (ranges->open[depth].range.domain == domain)
			return ranges->open[depth].level + 1;
	return 0;
}

/*
 * One that is too deep is counted by domain, so that its pop ends no other. Of more domains at once
 * the last count is for all: what is popped then stays open.
 */
static uint32_t *deep(struct thread *thread, uint32_t domain, bool more)
{
	struct range_thread *ranges = thread->ranges;

	for (uint32_t i = 0; i < thread->range_domains; i++)
		if (ranges->deep[i].domain == domain || i == DOMAINS - 1)
			return &ranges->deep[i].count;
	if (!more || thread->range_domains == DOMAINS)
		return NULL;
	ranges->deep[thread->range_domains].domain = domain;
	ranges->deep[thread->range_domains].count = 0;
	return &ranges->deep[thread->range_domains++].count;
}

static __attribute__((noinline)) int push_deep(struct thread *thread, uint32_t domain)
{
	uint32_t *count = deep(thread, domain, true);

	++*count;
	range_lose(CUAUDIT_RANGE_LOST_DEEP);
	return (int)(level(thread->ranges, domain, thread->range_depth) + *count - 1);
}

static int push_here(struct frame *frame, struct thread *thread, const struct range_event *event)
{
	struct range_thread *ranges = thread->ranges ? thread->ranges : make(thread);
	struct open *open;

	if (!ranges)
		return RANGE_NO_LEVEL;
	if (__builtin_expect(thread->range_depth == CUAUDIT_RANGE_DEPTH, 0))
		return push_deep(thread, event->domain);
	open = &ranges->open[thread->range_depth];
	fill(open, event, CUAUDIT_RANGE_PUSH);
	open->level = level(ranges, event->domain, thread->range_depth);
	open->own = nselectors ? select_text(open->text) : 0;
	open->all = open->own | (thread->range_depth ? open[-1].all : 0);
	tell(frame, &open->range);
	/* A handler that leaves by siglongjmp leaves all of it, or nothing. */
	atomic_signal_fence(memory_order_seq_cst);
	thread->range_depth++;
	return (int)open->level;
}

static __attribute__((hot)) int push(const struct range_event *event)
{
	int answer = RANGE_NO_LEVEL;
	struct frame frame;
	struct thread *thread = enter(&frame);

	if (thread) {
		answer = push_here(&frame, thread, event);
		leave(&frame, thread);
	}
	return answer;
}

/* Those above it are of other domains. */
static __attribute__((noinline)) void take_out(struct thread *thread, uint32_t at)
{
	struct range_thread *ranges = thread->ranges;

	for (uint32_t i = at; i + 1 < thread->range_depth; i++) {
		struct open *open = &ranges->open[i];

		*open = open[1];
		open->range.text = open->text;
		open->all = open->own | (i ? open[-1].all : 0);
	}
}

static __attribute__((noinline)) int pop_none(struct thread *thread, uint32_t domain)
{
	uint32_t *count = thread->ranges ? deep(thread, domain, false) : NULL;

	if (count && *count) {
		--*count;
		return (int)(level(thread->ranges, domain, thread->range_depth) + *count);
	}
	range_lose(CUAUDIT_RANGE_LOST_UNMATCHED);
	return RANGE_NO_LEVEL;
}

static int pop_here(struct frame *frame, struct thread *thread, uint32_t domain)
{
	struct range_thread *ranges = thread->ranges;
	uint32_t at = thread->range_depth, *count;
	struct open *open;
	int answer;

	if (__builtin_expect(thread->range_domains, 0)) {
		count = deep(thread, domain, false);
		if (count && *count)
			return pop_none(thread, domain);
	}
	while (at && ranges->open[at - 1].range.domain != domain)
		at--;
	if (!at--)
		return pop_none(thread, domain);
	open = &ranges->open[at];
	open->range.kind = CUAUDIT_RANGE_POP;
	open->range.end = cuaudit_ticks();
	answer = (int)open->level;
	tell(frame, &open->range);
	if (__builtin_expect(at + 1 != thread->range_depth, 0))
		take_out(thread, at);
	atomic_signal_fence(memory_order_seq_cst);
	thread->range_depth--;
	return answer;
}

static __attribute__((hot)) int pop(uint32_t domain)
{
	int answer = RANGE_NO_LEVEL;
	struct frame frame;
	struct thread *thread = enter(&frame);

	if (thread) {
		answer = pop_here(&frame, thread, domain);
		leave(&frame, thread);
	}
	return answer;
}

/* For a program that ends none of those it starts. */
static bool all_open(void)
{
	return atomic_load_explicit(&nopen, memory_order_relaxed) >= CUAUDIT_RANGE_OPEN;
}

static uint64_t start_here(struct frame *frame, const struct range_event *event)
{
	uint32_t first = atomic_load_explicit(&next_slot, memory_order_relaxed);

	for (uint32_t i = 0; i < CUAUDIT_RANGE_OPEN && !all_open(); i++) {
		uint32_t at = (first + i) % CUAUDIT_RANGE_OPEN;
		struct open *open = &started[at].open;
		uint64_t none = 0;

		/* Pairs with end. */
		if (!atomic_compare_exchange_strong_explicit(&started[at].id, &none, BUSY,
							     memory_order_acquire,
							     memory_order_relaxed))
			continue;
		atomic_fetch_add_explicit(&nopen, 1, memory_order_relaxed);
		atomic_store_explicit(&next_slot, at + 1, memory_order_relaxed);
		fill(open, event, CUAUDIT_RANGE_START);
		open->range.id = (uint64_t)1 << RANGE_ID_TAG |
				 atomic_fetch_add(&serial, 1) << ID_BITS | at;
		tell(frame, &open->range);
		atomic_store_explicit(&started[at].id, open->range.id, memory_order_release);
		return open->range.id;
	}
	range_lose(CUAUDIT_RANGE_LOST_OPEN);
	return 0;
}

static uint64_t start(const struct range_event *event)
{
	struct frame frame;
	struct thread *thread = enter(&frame);
	uint64_t id = 0;

	if (thread) {
		id = start_here(&frame, event);
		leave(&frame, thread);
	}
	return id;
}

static void end_here(struct frame *frame, uint64_t id)
{
	uint32_t at = (uint32_t)(id % CUAUDIT_RANGE_OPEN);
	uint64_t found = id;

	/* One that was lost as it started, of which the program was given no other id. */
	if (!id)
		return;
	/* Only one of two threads that end it does. */
	if (id >> RANGE_ID_TAG != 1 ||
	    !atomic_compare_exchange_strong_explicit(&started[at].id, &found, BUSY,
						     memory_order_acquire, memory_order_relaxed)) {
		range_lose(CUAUDIT_RANGE_LOST_UNMATCHED);
		return;
	}
	started[at].open.range.kind = CUAUDIT_RANGE_END;
	started[at].open.range.end = cuaudit_ticks();
	tell(frame, &started[at].open.range);
	atomic_fetch_sub_explicit(&nopen, 1, memory_order_relaxed);
	atomic_store_explicit(&started[at].id, 0, memory_order_release);
	atomic_store_explicit(&next_slot, at, memory_order_relaxed);
}

static void end(uint64_t id)
{
	struct frame frame;
	struct thread *thread = enter(&frame);

	if (thread) {
		end_here(&frame, id);
		leave(&frame, thread);
	}
}

static void mark(const struct range_event *event)
{
	struct frame frame;
	struct thread *thread = enter(&frame);
	struct open open;

	if (thread) {
		fill(&open, event, CUAUDIT_RANGE_MARK);
		tell(&frame, &open.range);
		leave(&frame, thread);
	}
}

static void complain(const char *text)
{
	static _Atomic bool done;

	if (!atomic_exchange(&done, true))
		cuaudit_log(CUAUDIT_WARN, "%s", text);
}

static const struct range_ops ops = {
	.push = push, .pop = pop, .start = start, .end = end, .mark = mark,
	.name = range_name_give, .name_at = cuaudit_range_name_at, .pages = cuaudit_pages,
	.complain = complain, .readable = range_readable,
};

/* NVTX says nothing where it cannot load what is named. */
static void look_for_injection(void)
{
	const char *path = getenv("NVTX_INJECTION64_PATH"), *slash = path ? strrchr(path, '/') : NULL;

	if (slash && !strcmp(slash + 1, "libcuaudit-nvtx.so") && access(path, R_OK))
		cuaudit_log(CUAUDIT_WARN, "no NVTX range is seen: NVTX_INJECTION64_PATH is %s, which cannot be read: %s",
			    path, strerror(errno));
}

void range_publish(void)
{
	if (!wanted)
		return;
	look_for_injection();
	/* Pairs with libcuaudit-nvtx.so. */
	atomic_store_explicit(&cuaudit_core_link->ranges, &ops, memory_order_release);
}

void range_report(void)
{
	for (uint32_t i = 0; i < nselectors; i++)
		if (!(matched >> i & 1))
			cuaudit_log(CUAUDIT_WARN, "NVTX range %s: %s", selectors[i], followed ?
				    "the program pushed no range of such a name" :
				    "the program pushed no range, or NVTX_INJECTION64_PATH is not "
				    "libcuaudit-nvtx.so; see NVTX RANGES in libcuaudit(7)");
}
