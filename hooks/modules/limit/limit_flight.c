/* SPDX-License-Identifier: Apache-2.0 */
/* The events by which a lease knows what its device still has to do. */
/*
 * They are recorded by the thread that submits, behind its own submission, in
 * its own stream: nobody else knows that the stream is there and not being
 * captured. Behind each batch of submissions there is one, at least where
 * a thread goes from one stream to another, and where it is about to wait; but
 * in the legacy stream only around a submission of the program's to it, which
 * would end a capture of another stream by itself.
 */
#include "hooks/modules/limit/limit_flight.h"

#include <cuaudit/clock.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hooks/modules/limit/limit_driver.h"
#include "hooks/modules/limit/limit_spin.h"

enum {
	EVENTS = 32,		/* of a lease, on their way at once */
	AHEAD = 2,		/* batches */
	BATCH_MAX = 256,
	LONG = 1500000,		/* ns: a batch that takes longer is made smaller, */
	SHORT = 300000,		/* and one that does not, larger */
	REST = 50000,		/* ns between two looks whether one is done, */
	GLANCE = 20000,		/* where the program only marks what it did */
	PAUSE = 100000		/* in which nothing is submitted: maybe something is waited for */
};

struct flight {
	CUevent event;		/* NULL: none was made yet */
	uint64_t context;	/* in which */
	uint64_t recorded;	/* when */
	uint32_t count;		/* submissions of the batch, */
	uint32_t before;	/* and before it, with no event of their own */
	bool pending;
	bool mark;		/* the batch was not full: nothing is held back for it */
};

/* What a lease's threads submitted last. */
struct tail {
	CUstream stream;
	pthread_t thread;	/* 0: nothing */
	uint32_t count;		/* since its last event */
	bool told;		/* the program has something behind these that tells it that they are done: no event comes after it */
};

/* Under the lock. */
static struct spin lock;
static struct flight flights[LEASE_ORDINALS][EVENTS];
static struct tail tails[LEASE_ORDINALS];
static uint64_t completed[LEASE_ORDINALS];	/* when the last event was seen to be */
static uint64_t polled[LEASE_ORDINALS];		/* when it was looked last */

static _Atomic uint64_t submitted[LEASE_ORDINALS];	/* when something was last, in ticks; 0: nothing yet */
static _Atomic uint32_t pending[LEASE_ORDINALS];
static _Atomic uint32_t marks[LEASE_ORDINALS];	/* of those, at most one */
static _Atomic uint32_t loose[LEASE_ORDINALS];	/* submissions without an event behind them */

/* Submissions since a pause or a wait, and up to the pause before: steps of a program are alike. */
static _Atomic uint32_t since_pause[LEASE_ORDINALS], step[LEASE_ORDINALS];
static _Atomic bool held[LEASE_ORDINALS];		/* a thread waited for room: that was no pause */

static uint32_t number(const struct lease *lease)
{
	return (uint32_t)(lease - leases);
}

static struct flight *find_free(struct lease *lease, uint64_t context)
{
	struct flight *at = flights[number(lease)], *empty = NULL;

	for (uint32_t i = 0; i < EVENTS; i++) {
		if (!at[i].event)
			empty = &at[i];
		else if (!at[i].pending && at[i].context == context)
			return &at[i];
	}
	if (!empty)
		for (uint32_t i = 0; i < EVENTS && !empty; i++)
			if (!at[i].pending) {
				driver_event_destroy(at[i].event);
				empty = &at[i];
			}
	if (!empty)
		return NULL;
	empty->context = context;
	empty->event = driver_event_create();
	return empty->event ? empty : NULL;
}

/* An error is none of the program's: a stream of another context, say, was refused it as well. */
static void record(struct lease *lease, CUstream stream, uint32_t count, bool mark)
{
	struct flight *flight;

	flight = driver_capturing(stream) ? NULL : find_free(lease, driver_context(NULL));
	if (!flight || !driver_event_record(flight->event, stream)) {
		loose[number(lease)] += count;
		return;
	}
	flight->recorded = lease_now();
	flight->count = count;
	flight->before = atomic_exchange(&loose[number(lease)], 0);
	flight->pending = true;
	flight->mark = mark;
	atomic_fetch_add(&pending[number(lease)], 1);
	atomic_fetch_add(&marks[number(lease)], mark);
	atomic_store(&lease->covered, atomic_load(&lease->entered));
}

static bool is_legacy(CUstream stream)
{
	return (uintptr_t)stream <= (uintptr_t)CU_STREAM_LEGACY;
}

/* now: the stream of the submission that this is a part of, FLIGHT_NONE if it is none. */
static void record_tail(struct lease *lease, struct tail *tail, CUstream now)
{
	if (tail->thread == pthread_self() && tail->count && !tail->told &&
	    (is_legacy(now) || !is_legacy(tail->stream)))
		record(lease, tail->stream, tail->count, false);
	else
		loose[number(lease)] += tail->count;
	tail->count = 0;
}

/* Whoever waits, and for the device or not: it is not known that the device waits meanwhile. */
bool flight_begins(struct lease *lease)
{
	_Atomic uint64_t *at = &submitted[number(lease)];
	uint64_t now = cuaudit_ticks(), before = atomic_load_explicit(at, memory_order_relaxed), ns;

	/* Of two threads at once, either is. */
	atomic_store_explicit(at, now, memory_order_relaxed);
	/* Counters of two processors differ by little. */
	ns = before && now > before ? cuaudit_clock_ns(now - before) : 0;
	if (ns > PAUSE) {
		lease->awaited += ns;
		if (!atomic_exchange(&held[number(lease)], false))
			step[number(lease)] = atomic_exchange(&since_pause[number(lease)], 0);
	}
	return !before || ns > PAUSE;
}

void flight_held(struct lease *lease)
{
	atomic_store_explicit(&held[number(lease)], true, memory_order_relaxed);
}

void flight_waited(struct lease *lease)
{
	atomic_store_explicit(&since_pause[number(lease)], 0, memory_order_relaxed);
}

void flight_goes_on(struct lease *lease)
{
	submitted[number(lease)] = cuaudit_ticks();
}

/* Of two threads at once, either counts: no lock for that. */
static bool is_last(uint32_t lease)
{
	uint32_t count = atomic_load_explicit(&since_pause[lease], memory_order_relaxed) + 1;

	atomic_store_explicit(&since_pause[lease], count, memory_order_relaxed);
	return count == atomic_load_explicit(&step[lease], memory_order_relaxed) && !marks[lease];
}

void flight_submitted(struct lease *lease, CUstream stream)
{
	struct tail *tail = &tails[number(lease)];
	pthread_t self = pthread_self();
	struct spin_saved saved;
	bool same = tail->thread == self && tail->stream == stream;
	bool last = is_last(number(lease));

	if (same)
		tail->told = false;
	if (same && ++tail->count < lease->batch && !last)
		return;
	spin_lock(&lock, &saved);
	if (same) {
		record(lease, stream, tail->count, tail->count < lease->batch);
		tail->count = 0;
	} else {
		record_tail(lease, tail, stream);
		*tail = (struct tail){ .stream = stream, .thread = self };
		record(lease, stream, 1, false);
	}
	spin_unlock(&lock, &saved);
}

void flight_unseen(struct lease *lease)
{
	loose[number(lease)]++;
}

void flight_cover(struct lease *lease, CUstream now)
{
	struct tail *tail = &tails[number(lease)];
	struct spin_saved saved;

	if (tail->thread != pthread_self() || !tail->count)
		return;
	spin_lock(&lock, &saved);
	record_tail(lease, tail, now);
	spin_unlock(&lock, &saved);
}

void flight_seen(struct lease *lease, CUstream stream)
{
	struct tail *tail = &tails[number(lease)];
	struct spin_saved saved;

	if (!tail->count || (stream != FLIGHT_NONE && tail->stream != stream))
		return;
	spin_lock(&lock, &saved);
	if (stream == FLIGHT_NONE || tail->stream == stream) {
		loose[number(lease)] += tail->count;
		tail->count = 0;
	}
	spin_unlock(&lock, &saved);
}

void flight_leave(struct lease *lease)
{
	struct tail *tail = &tails[number(lease)];
	struct spin_saved saved;

	if (!tail->thread)
		return;
	spin_lock(&lock, &saved);
	record_tail(lease, tail, FLIGHT_NONE);
	tail->thread = 0;
	spin_unlock(&lock, &saved);
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Batches of about a millisecond, by the device, or by a thread that is slower than it. */
static void adapt(struct lease *lease, const struct flight *flight, uint64_t now)
{
	uint64_t *before = &completed[number(lease)];
	uint64_t start = later(flight->recorded, *before);
	uint32_t batch = lease->batch;

	if (now - start > LONG && flight->count >= batch)
		lease->batch = batch > 1 ? batch / 2 : 1;
	else if (now - *before < SHORT && flight->count >= batch && batch < BATCH_MAX)
		lease->batch = batch * 2;
	*before = now;
}

static uint32_t poll_locked(struct lease *lease)
{
	struct flight *at = flights[number(lease)];
	uint64_t now = lease_now(), before = polled[number(lease)], begin = now;
	uint32_t left = 0, left_marks = 0;

	if (!pending[number(lease)])
		return 0;
	polled[number(lease)] = now;
	for (uint32_t i = 0; i < EVENTS; i++) {
		uint64_t from = later(before, at[i].recorded);

		if (!at[i].pending)
			continue;
		begin = from < begin ? from : begin;
		if (driver_event_pending(at[i].event)) {
			left++;
			left_marks += at[i].mark;
			continue;
		}
		at[i].pending = false;
		lease->finished_at = now - (now > from ? now - from : 0) / 2;
		atomic_fetch_add(&lease->finished, at[i].count + at[i].before);
		/* How long a batch takes, a part of one does not tell. */
		if (!at[i].mark)
			adapt(lease, &at[i], now);
	}
	/* Until when one was on its way that is done is not known. */
	if (left)
		lease->awaited += now - begin;
	pending[number(lease)] = left;
	marks[number(lease)] = left_marks;
	return left;
}

uint32_t flight_poll(struct lease *lease)
{
	struct spin_saved saved;
	uint32_t left;

	if (!pending[number(lease)])
		return 0;
	spin_lock(&lock, &saved);
	left = poll_locked(lease);
	spin_unlock(&lock, &saved);
	return left;
}

void flight_mark(struct lease *lease, CUstream stream)
{
	struct tail *tail = &tails[number(lease)];
	struct spin_saved saved;

	if (!tail->count || tail->stream != stream)
		return;
	/* Where nobody else wants the device nothing is measured. */
	if (!lease->contested || (marks[number(lease)] && lease_now() - polled[number(lease)] < GLANCE)) {
		tail->told = true;
		return;
	}
	if (driver_capturing(stream))
		return;
	spin_lock(&lock, &saved);
	if (marks[number(lease)])
		poll_locked(lease);
	if (tail->stream == stream && tail->thread == pthread_self() && !marks[number(lease)]) {
		record(lease, stream, tail->count, true);
		tail->count = 0;
	} else if (tail->stream == stream) {
		tail->told = true;
	}
	spin_unlock(&lock, &saved);
}

void flight_idle(struct lease *lease)
{
	uint32_t count = atomic_exchange(&loose[number(lease)], 0);

	if (!count)
		return;
	lease->finished_at = lease_now();
	atomic_fetch_add(&lease->finished, count);
}

/* Full ones that are on their way. */
static uint32_t batches(const struct lease *lease)
{
	uint32_t all = pending[number(lease)], of_marks = marks[number(lease)];

	return all > of_marks ? all - of_marks : 0;
}

void flight_throttle(struct lease *lease)
{
	static const struct timespec moment = { .tv_nsec = REST };

	for (;;) {
		if (batches(lease) < AHEAD || !lease->contested)
			return;
		flight_poll(lease);
		if (batches(lease) < AHEAD)
			return;
		flight_held(lease);
		syscall(SYS_nanosleep, &moment, NULL);
	}
}

void flight_drop(void)
{
	struct spin_saved saved;

	spin_lock(&lock, &saved);
	for (uint32_t i = 0; i < LEASE_ORDINALS; i++) {
		for (uint32_t j = 0; j < EVENTS; j++) {
			if (flights[i][j].event)
				driver_event_destroy(flights[i][j].event);
			if (flights[i][j].pending)
				loose[i] += flights[i][j].count + flights[i][j].before;
		}
		loose[i] += tails[i].count;
		pending[i] = marks[i] = 0;
	}
	memset(flights, 0, sizeof(flights));
	memset(tails, 0, sizeof(tails));
	spin_unlock(&lock, &saved);
}

void flight_forked(void)
{
	spin_forked(&lock);
	memset(flights, 0, sizeof(flights));
	memset(tails, 0, sizeof(tails));
	memset(completed, 0, sizeof(completed));
	memset(polled, 0, sizeof(polled));
	for (uint32_t i = 0; i < LEASE_ORDINALS; i++)
		pending[i] = marks[i] = loose[i] = submitted[i] = since_pause[i] = step[i] = 0;
}
