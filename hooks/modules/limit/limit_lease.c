/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of a device's time: who may submit work to it now. */
/*
 * A process submits while it has the lease of the device. A thread of ours, the
 * helper, looks after that: the program's threads read one word, and wait for
 * it. Alone, a process keeps the lease and nothing is measured. When another one
 * wants the device, submissions have events behind them, and the time in which
 * the device works is charged. After a slice the process whose charge by weight,
 * the tag, is the least is next: the holder lets no more submissions through,
 * waits for its own work and hands over. So what is charged is the work of the
 * slice, kernels that ran over its end too: that is paid back by waiting
 * longer. A holder for which the device does nothing hands over at once.
 *
 * Whoever comes back after it wanted nothing begins not far behind the clock, the
 * tag of the last holder: time that was not asked for is not saved, but for moments.
 */
#include "hooks/modules/limit/limit_lease.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cuaudit/hook.h>

#include "hooks/modules/helper.h"
#include "hooks/modules/limit/limit.h"
#include "hooks/modules/limit/limit_driver.h"
#include "hooks/modules/limit/limit_flight.h"
#include "hooks/modules/limit/limit_gap.h"
#include "hooks/modules/limit/limit_lease_rows.h"

/* Nanoseconds. */
enum {
	SLICE = 10000000,
	IDLE = 1000000,		/* a holder for which the device did nothing so long lends it */
	TAIL = 500000,		/* what was submitted last, without an event, may take so long */
	STALE = 30000000,	/* a process that did not look for so long is stopped */
	DRAIN = 500000000,	/* what takes longer goes on beside the next holder's work */
	LOOK = 150000,		/* between two looks of a holder that others wait for, */
	LOOK_DRAIN = 30000,	/* of one that waits for its work, */
	LOOK_WANTS = 1000000,	/* of one that waits for the device, */
	LOOK_ALONE = 20000000,	/* and of one that is alone */
	ASKS = 50000000,	/* between two times that a thread says that it wants the device ... */
	ASKED = 200000000,	/* ... which holds for so long */
	CREDIT = 200000000,	/* time of the device that one who wanted nothing saves */
	QUIET = 50000000,	/* nobody wanted it for so long: it is measured no more */
	CAP_BURST = 20000000,	/* time that a cap lets a process save */
	CAP_START = 10000000	/* what it must have to submit again */
};

enum { SCALE = 1024 };		/* of tags */

/* What was seen of the others, by device of the file and row. */
static struct {
	uint64_t beat, since;
} seen[LEASE_DEVICES][LEASE_ROWS + 1];

static struct helper helper;
static _Atomic uint32_t starting;
static _Atomic bool lost;
static uint32_t mine, last, generation;

static struct lease_part *part_of(const struct lease *lease, uint32_t row)
{
	return &lease_rows[row].parts[lease->index];
}

static struct lease_device *device_of(const struct lease *lease)
{
	return &lease_header.devices[lease->index];
}

static void set_open(struct lease *lease, bool open)
{
	if (lease->open == open)
		return;
	/* Pairs with the reads of those who submit: they say so before they look. */
	atomic_store(&lease->open, open);
	if (open)
		syscall(SYS_futex, &lease->open, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Nobody waits any more; false if that was so. */
static bool end_waits(void)
{
	if (atomic_exchange(&lost, true))
		return false;
	for (uint32_t i = 0; i < LEASE_ORDINALS; i++) {
		leases[i].contested = 0;
		set_open(&leases[i], true);
	}
	return true;
}

void lease_lose(const char *what, const char *why)
{
	if (end_waits())
		gap_report(GAP_LEASE, what, why);
}

void lease_wait(struct lease *lease)
{
	static const struct timespec patience = { .tv_nsec = ASKS };

	/* Again and again: a thread that longjmp takes out of here asks no more. */
	while (!lease->open) {
		lease->asked = lease_now();
		helper_wake(&helper);
		rows_wake();
		syscall(SYS_futex, &lease->open, FUTEX_WAIT_PRIVATE, 0, &patience, NULL, 0);
	}
	lease->asked = 0;
}

/* Counts the work since busy_from, which becomes next. */
static void count(struct lease *lease, uint64_t until, uint64_t next)
{
	uint64_t from = lease->busy_from;

	if (from && atomic_compare_exchange_strong(&lease->busy_from, &from, next) && until > from)
		atomic_fetch_add(&lease->worked, until - from);
}

void lease_busy(struct lease *lease)
{
	uint64_t none = 0;

	if (!lease->busy_from)
		atomic_compare_exchange_strong(&lease->busy_from, &none, lease_now());
}

/* Submissions that have begun meanwhile are counted from their own beginning or from here. */
void lease_settle(struct lease *lease)
{
	uint64_t entered = lease->entered;

	if (lease->busy_from && lease->returned == entered && lease->covered >= entered &&
	    !flight_poll(lease) && lease->entered == entered)
		count(lease, lease_now(), 0);
}

/* Notes who has looked since; whether a row's process runs. */
static void see(const struct lease *lease, uint64_t now)
{
	for (uint32_t row = 1; row <= last; row++) {
		uint64_t beat = part_of(lease, row)->beat;

		if (seen[lease->index][row].beat == beat && seen[lease->index][row].since)
			continue;
		seen[lease->index][row].beat = beat;
		seen[lease->index][row].since = now;
	}
}

static bool is_running(const struct lease *lease, uint32_t row, uint64_t now)
{
	return row == mine || (row <= last && now - seen[lease->index][row].since < STALE &&
			       rows_is_alive(row));
}

/* Of those that want the device, the one with the least tag, 0 for none. */
static uint32_t next(const struct lease *lease, bool with_own, uint64_t now)
{
	uint32_t best = 0;

	for (uint32_t row = 1; row <= last; row++) {
		const struct lease_part *part = part_of(lease, row);

		if (part->state != LEASE_WANTS || (row == mine && !with_own))
			continue;
		if ((!best || part->tag < part_of(lease, best)->tag) && is_running(lease, row, now))
			best = row;
	}
	return best;
}

/* Whether others are to be thought of: they want, or have, the device. */
static bool is_wanted(const struct lease *lease, uint64_t now)
{
	for (uint32_t row = 1; row <= last; row++)
		if (row != mine && part_of(lease, row)->state != LEASE_IDLE &&
		    is_running(lease, row, now))
			return true;
	return false;
}

/* Under the gate. */
static void grant(struct lease *lease, uint32_t row)
{
	struct lease_device *device = device_of(lease);

	device->holder = row;
	device->generation++;
	if (row && part_of(lease, row)->tag > device->clock)
		device->clock = part_of(lease, row)->tag;
	rows_write_header();
}

static void start_slice(struct lease *lease, uint64_t now)
{
	struct lease_part *part = part_of(lease, mine);

	lease->state = part->state = LEASE_HOLDS;
	lease->generation = device_of(lease)->generation;
	lease->active = lease->last_busy = lease->wanted = now;
	lease->start_tag = part->tag;
	lease->slice_end = now + SLICE;
	lease->draining = false;
	lease->before = 0;
	/* What began outside of the slice is not charged. */
	count(lease, 0, 0);
	lease->charged = lease->worked;
	part->slices++;
	part->waited += now - lease->wants_since;
	part->beat++;
	lease->contested = lease_options.cap || is_wanted(lease, now);
	rows_write();
	set_open(lease, true);
}

/* What a cap leaves, in nanoseconds; saved no longer than for a burst. */
static int64_t cap_left(struct lease *lease, uint64_t now)
{
	uint64_t share = (now - lease->cap_since) / ACCOUNT_ALL * lease_options.cap;
	int64_t left = (int64_t)(share - lease->cap_used);

	if (left > CAP_BURST) {
		lease->cap_since = now;
		lease->cap_used = 0;
		left = CAP_BURST;
		lease->cap_since -= (uint64_t)CAP_BURST / lease_options.cap * ACCOUNT_ALL;
	}
	return left;
}

static void charge(struct lease *lease, uint64_t ns)
{
	struct lease_part *part = part_of(lease, mine);
	uint64_t scaled = ns * SCALE + lease->carry;

	part->charged += ns;
	part->tag += scaled / lease_options.weight;
	lease->carry = scaled % lease_options.weight;
	lease->cap_used += ns;
}

/* Charges what the device has worked since the last look. */
static void measure(struct lease *lease, uint64_t now)
{
	uint64_t entered = lease->entered, worked;

	if (entered != lease->seen)
		lease->active = now;
	lease->seen = entered;
	lease_settle(lease);
	/*
	 * Behind the last submissions there may be no event, and nobody who waits. A launch that does
	 * not return may load code, which is no work of the device; or wait for room behind
	 * work that was submitted before there were events.
	 */
	if (!lease->syncing && now - lease->active > TAIL && !flight_poll(lease) &&
	    (lease->returned == entered || lease->covered >= lease->before))
		count(lease, lease->active, 0);
	count(lease, now, now);
	worked = lease->worked;
	charge(lease, worked - lease->charged);
	lease->charged = worked;
	if (lease->busy_from)
		lease->last_busy = now;
}

static void release(struct lease *lease, uint64_t now)
{
	struct lease_part *part = part_of(lease, mine);

	set_open(lease, false);
	lease->draining = false;
	lease->state = part->state = LEASE_IDLE;
	part->beat++;
	rows_write();
	rows_lock();
	if (device_of(lease)->holder == mine)
		grant(lease, next(lease, false, now));
	rows_unlock();
	rows_wake();
}

/* Nothing more is submitted; what is on its way is waited for. */
static void start_drain(struct lease *lease, uint64_t now)
{
	set_open(lease, false);
	lease->draining = true;
	lease->drain_end = now + DRAIN;
}

static bool is_over(struct lease *lease, uint32_t other, uint64_t now)
{
	if (lease_options.cap && cap_left(lease, now) <= 0)
		return true;
	/* One whose turn it was, but that wanted nothing, is back. */
	if (other && part_of(lease, other)->tag < lease->start_tag)
		return true;
	if (now < lease->slice_end)
		return false;
	if (other && part_of(lease, other)->tag < part_of(lease, mine)->tag)
		return true;
	lease->start_tag = part_of(lease, mine)->tag;
	lease->slice_end = now + SLICE;
	return false;
}

/* How long until the next look. */
static uint64_t look_holds(struct lease *lease, uint64_t now)
{
	uint32_t other;

	if (device_of(lease)->holder != mine ||
	    device_of(lease)->generation != lease->generation) {
		/* It was stopped, and another one went on. */
		set_open(lease, false);
		lease->draining = false;
		lease->state = part_of(lease, mine)->state = LEASE_IDLE;
		return 0;
	}
	if (!lease->contested) {
		if (!is_wanted(lease, now))
			return LOOK_ALONE;
		lease->contested = 1;
		lease->before = lease->returned;
		/* What was submitted before is not done, for all that is known. */
		if (lease->covered != lease->entered || lease->entered != lease->returned)
			lease_busy(lease);
		lease->active = lease->last_busy = lease->wanted = now;
		lease->start_tag = part_of(lease, mine)->tag;
		lease->slice_end = now + SLICE;
	}
	measure(lease, now);
	other = next(lease, false, now);
	if (lease->draining) {
		if (!lease->busy_from || now > lease->drain_end)
			release(lease, now);
		return LOOK_DRAIN;
	}
	if (!lease->busy_from && other && now - lease->last_busy > IDLE) {
		part_of(lease, mine)->lent++;
		start_drain(lease, now);
		return 0;
	}
	if (is_over(lease, other, now)) {
		start_drain(lease, now);
		return 0;
	}
	if (is_wanted(lease, now))
		lease->wanted = now;
	else if (!lease_options.cap && now - lease->wanted > QUIET)
		lease->contested = 0;
	return LOOK;
}

static uint64_t look_wants(struct lease *lease, uint64_t now)
{
	struct lease_device *device = device_of(lease);

	if (device->holder == mine) {
		start_slice(lease, now);
		return LOOK;
	}
	if (device->holder && is_running(lease, device->holder, now) &&
	    part_of(lease, device->holder)->state != LEASE_IDLE)
		return LOOK_WANTS;
	rows_lock();
	device = device_of(lease);
	if ((!device->holder || !is_running(lease, device->holder, now) ||
	     part_of(lease, device->holder)->state == LEASE_IDLE) && next(lease, true, now) == mine)
		grant(lease, mine);
	rows_unlock();
	return device->holder == mine ? 0 : LOOK_WANTS;
}

static uint64_t look_idle(struct lease *lease, uint64_t now)
{
	uint64_t credit = (uint64_t)CREDIT * SCALE / lease_options.weight, clock;
	struct lease_part *part = part_of(lease, mine);

	if (!lease->asked || now - lease->asked > ASKED)
		return UINT64_MAX;
	if (lease_options.cap && cap_left(lease, now) < CAP_START)
		return LOOK_WANTS;
	clock = device_of(lease)->clock;
	clock -= credit < clock ? credit : clock;
	if (!part->slices)
		clock = device_of(lease)->clock;
	if (part->tag < clock)
		part->tag = clock;
	lease->state = part->state = LEASE_WANTS;
	lease->wants_since = now;
	part->beat++;
	if (!rows_write())
		lease_lose(rows_path(), rows_fault());
	rows_wake();
	return 0;
}

/* The place of a device in the file, a new one for a device that has none. */
static bool find_index(struct lease *lease)
{
	static const uint8_t none[16];
	uint32_t free = LEASE_DEVICES;
	bool done = rows_lock();

	for (uint32_t i = LEASE_DEVICES; i--;) {
		const uint8_t *uuid = lease_header.devices[i].uuid;

		if (!memcmp(uuid, none, sizeof(none)))
			free = i;
		if (!memcmp(uuid, lease->uuid, sizeof(none)))
			lease->index = i;
	}
	if (done && lease->index == LEASE_NO_INDEX && free < LEASE_DEVICES) {
		memcpy(lease_header.devices[free].uuid, lease->uuid, sizeof(none));
		done = rows_write_header();
		lease->index = free;
	}
	rows_unlock();
	lease->cap_since = lease_now();
	return lease->index != LEASE_NO_INDEX;
}

/* How long until the next look at a device. */
static uint64_t look(struct lease *lease)
{
	struct lease_part *part;
	uint64_t now = lease_now();

	if (!lease->used)
		return UINT64_MAX;
	if (lease->index == LEASE_NO_INDEX && !find_index(lease)) {
		lease_lose(rows_path(), "it has no place for another device");
		return UINT64_MAX;
	}
	see(lease, now);
	part = part_of(lease, mine);
	if (lease->state != LEASE_IDLE) {
		part->beat++;
		rows_write();
	}
	switch (lease->state) {
	case LEASE_HOLDS:
		return look_holds(lease, now);
	case LEASE_WANTS:
		return look_wants(lease, now);
	default:
		return look_idle(lease, now);
	}
}

/* The file was removed, or another one took its place: all begins anew. */
static void begin_anew(void)
{
	generation = rows_generation();
	memset(seen, 0, sizeof(seen));
	for (uint32_t i = 0; i < LEASE_ORDINALS; i++) {
		set_open(&leases[i], false);
		leases[i].state = LEASE_IDLE;
		leases[i].draining = false;
		leases[i].index = LEASE_NO_INDEX;
	}
}

/* False: it is over. */
static bool work(void)
{
	uint32_t wakes = helper_seen(&helper), bell;
	uint64_t least = UINT64_MAX;

	if (lost)
		return helper_wait(&helper, wakes, UINT64_MAX);
	if (!rows_read(&mine, &last)) {
		lease_lose(rows_path(), rows_fault());
		return true;
	}
	if (generation != rows_generation())
		begin_anew();
	bell = lease_header.bell;
	for (uint32_t i = 0; i < LEASE_ORDINALS; i++) {
		uint64_t ns = look(&leases[i]);

		least = ns < least ? ns : least;
	}
	if (least == UINT64_MAX)
		return helper_wait(&helper, wakes, least);
	if (least && bell == lease_header.bell && wakes == helper_seen(&helper))
		rows_wait(bell, least);
	return helper_wait(&helper, wakes, 0);
}

static void *run(void *given)
{
	while (!helper.ending && work())
		;
	for (uint32_t i = 0; i < LEASE_ORDINALS && !lost; i++)
		if (leases[i].state == LEASE_HOLDS)
			release(&leases[i], lease_now());
	return given;
}

static void start(void)
{
	static const char *const remedy = "a sandbox, or a limit of threads, allows none";

	if (helper_start(&helper, run))
		lease_lose("a thread to look after the device", remedy);
}

void lease_use(uint32_t ordinal)
{
	struct lease *lease = &leases[ordinal];
	uint8_t uuid[16] = { 0 };
	uint32_t none = 0;

	if (driver_is_exclusive((int)ordinal))
		lease_lose("the device", "its compute mode lets one process at a time in, so that "
			   "there is nothing to share: nvidia-smi -c DEFAULT changes that");
	if (!driver_uuid((int)ordinal, uuid))
		lease_lose("the device", "the driver does not tell its UUID");
	/* One thread makes it known. */
	if (!atomic_compare_exchange_strong(&lease->used, &none, 2)) {
		while (lease->used == 2)
			sched_yield();
		return;
	}
	memcpy(lease->uuid, uuid, sizeof(uuid));
	lease->index = LEASE_NO_INDEX;
	lease->batch = 4;
	atomic_store(&lease->used, 1);
	if (!atomic_exchange(&starting, 1) && !lost)
		start();
}

const char *lease_obstacle(void)
{
	const char *directory = getenv("CUDA_MPS_PIPE_DIRECTORY");
	static char path[PATH_MAX + 64];
	struct statx its;

	snprintf(path, sizeof(path), "%.4095s/control",
		 directory && *directory ? directory : "/tmp/nvidia-mps");
	if (!syscall(SYS_statx, AT_FDCWD, path, 0, STATX_TYPE, &its) &&
	    (S_ISSOCK(its.stx_mode) || S_ISFIFO(its.stx_mode)))
		return path;
	return NULL;
}

int lease_begin(void)
{
	if (!lease_options.on)
		return 0;
	if (!rows_open(lease_options.directory, lease_options.group,
		       lease_options.weight, lease_options.cap)) {
		cuaudit_log(limit_options.exits ? CUAUDIT_ERROR : CUAUDIT_WARN,
			    "limit: cannot share %s: %s; %s", rows_path(), rows_fault(),
			    limit_options.exits ? "name another directory by share-dir=, or let the "
			    "program run without its share by on-error=run" :
			    "the share of the device's time is not held");
		if (limit_options.exits)
			return -ECANCELED;
		end_waits();
	}
	return 0;
}

bool lease_report(uint32_t ordinal, struct lease_report *report)
{
	const struct lease *lease = &leases[ordinal];

	if (!lease->used || lease->index == LEASE_NO_INDEX)
		return false;
	*report = lease->report;
	return true;
}

/* The row is given back. */
static void keep(struct lease *lease)
{
	const struct lease_part *part;

	if (!lease->used || lease->index == LEASE_NO_INDEX)
		return;
	part = part_of(lease, mine);
	lease->report = (struct lease_report){ .slices = part->slices, .charged = part->charged,
					       .waited = part->waited, .lent = part->lent };
}

bool lease_finish(void)
{
	bool used = false;

	if (!lease_options.on)
		return false;
	rows_wake();
	helper.ending = true;
	rows_wake();
	helper_end(&helper);
	lost = true;
	for (uint32_t i = 0; i < LEASE_ORDINALS; i++) {
		leases[i].contested = 0;
		keep(&leases[i]);
		used |= leases[i].used != 0;
		set_open(&leases[i], true);
	}
	rows_close();
	return used;
}

void lease_forked(void)
{
	if (!lease_options.on)
		return;
	helper_forked(&helper);
	memset(leases, 0, sizeof(leases));
	memset(seen, 0, sizeof(seen));
	starting = 0;
	flight_forked();
	rows_forked();
}
