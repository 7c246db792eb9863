/* SPDX-License-Identifier: Apache-2.0 */
/* Whose turn it is to have a device's work done: a look at a lease, and at those who want it. */
#include "hooks/modules/limit/limit_lease_turns.h"

#include <string.h>

#include "hooks/modules/limit/limit_account.h"
#include "hooks/modules/limit/limit_lease_rows.h"

/* Nanoseconds. */
enum {
	SLICE = 10000000,
	GUEST = 5000000,	/* by so much of the device's time a guest may be ahead of the holder */
	MOMENT = 250000,	/* a holder that is not light lends one only that lasts for longer */
	IDLE = 1500000,		/* a holder for which the device did nothing so long gives it away, */
	IDLE_RULE = 3000000,	/* at most so long, if twice as long as a rule is longer */
	DRAIN = 500000000,	/* what takes longer goes on beside the next holder's work */
	LOOK = 150000,		/* between two looks of a holder that others wait for, */
	LOOK_DRAIN = 30000,	/* of one that waits for its work, */
	LOOK_WANTS = 1000000,	/* of one that waits for the device, */
	LOOK_ALONE = 20000000,	/* and of one that is alone */
	ASKED = 200000000,	/* a thread that says that it wants the device does for so long */
	CREDIT = 200000000,	/* time of the device that one who wanted nothing for moments saves, */
	CREDIT_LATE = 30000000,	/* and one who did for longer, or was stopped */
	QUIET = 50000000,	/* nobody wanted it for so long: it is measured no more */
	PAUSE = 2000000,	/* after so long a wait a thread, */
	COLD = 5000000,		/* for so long, may be slower than others are */
	CAP_START = 10000000	/* what a cap must leave a process to submit again */
};

/* How often the file is found locked, for 10 ms at least each time, before its owner is stopped for all that is known. */
enum { UNPLACED = 100 };

/* What was seen of the others, by device of the file and row. */
static struct {
	uint64_t beat, since;
} seen[LEASE_DEVICES][LEASE_ROWS + 1];

/* Notes who has looked since; whether a row's process runs. */
static void see(const struct lease *lease, uint64_t now)
{
	for (uint32_t row = 1; row <= rows_last; row++) {
		uint64_t beat = lease_part(lease, row)->beat;

		if (seen[lease->index][row].beat == beat && seen[lease->index][row].since)
			continue;
		seen[lease->index][row].beat = beat;
		seen[lease->index][row].since = now;
	}
}

static bool is_running(const struct lease *lease, uint32_t row, uint64_t now)
{
	return row == rows_mine ||
	       (row <= rows_last && now - seen[lease->index][row].since < LEASE_STALE &&
		rows_is_alive(row));
}

/* Of those that want the device, the one with the least tag, 0 for none. */
static uint32_t next(const struct lease *lease, bool with_own, uint64_t now)
{
	uint32_t best = 0;

	for (uint32_t row = 1; row <= rows_last; row++) {
		const struct lease_part *part = lease_part(lease, row);

		if (part->state != LEASE_WANTS || (row == rows_mine && !with_own))
			continue;
		if ((!best || part->tag < lease_part(lease, best)->tag) && is_running(lease, row, now))
			best = row;
	}
	return best;
}

/* Whether others are to be thought of: they want, or have, the device. */
static bool is_wanted(const struct lease *lease, uint64_t now)
{
	for (uint32_t row = 1; row <= rows_last; row++)
		if (row != rows_mine && lease_part(lease, row)->state != LEASE_IDLE &&
		    is_running(lease, row, now))
			return true;
	return false;
}

/* Under the gate. */
static void grant(struct lease *lease, uint32_t row)
{
	struct lease_device *device = lease_device(lease);

	device->holder = row;
	device->guest = 0;
	device->generation++;
	if (row && lease_part(lease, row)->tag > device->clock)
		device->clock = lease_part(lease, row)->tag;
	rows_write_header();
}

/* A thread that waited for long comes to processors and caches that have done something else. */
static void open_at(struct lease *lease, uint64_t now)
{
	uint64_t from = atomic_exchange(&lease->waits_from, 0);

	if (from && now > from + PAUSE)
		lease->cold_until = now + COLD;
	lease_set_open(lease, true);
}

static void start_slice(struct lease *lease, uint64_t now)
{
	struct lease_part *part = lease_part(lease, rows_mine);

	lease->state = part->state = LEASE_HOLDS;
	lease->generation = lease_device(lease)->generation;
	lease->active = lease->last_busy = lease->cap.seen = now;
	lease->start_tag = part->tag;
	lease->slice_end = now + SLICE;
	lease->draining = false;
	lease->before = 0;
	/* What began outside of the slice is not charged. */
	if (!lease->guest)
		lease_charge_anew(lease);
	lease->guest = false;
	part->slices++;
	part->waited += now - lease->wants_since;
	part->beat++;
	/* Who is between two steps now wants it again in a moment. */
	lease->contested = lease_options.cap || now - lease->wanted < QUIET;
	rows_write();
	open_at(lease, now);
}

/* since: from when it wants nothing. */
static void become_idle(struct lease *lease, uint64_t since)
{
	struct lease_part *part = lease_part(lease, rows_mine);

	lease_set_open(lease, false);
	lease->draining = lease->guest = false;
	lease->state = part->state = LEASE_IDLE;
	lease->idle_since = since;
	part->beat++;
	part->busy = 0;
	rows_write();
}

void lease_release(struct lease *lease, uint64_t now)
{
	become_idle(lease, now);
	rows_lock();
	if (lease_device(lease)->holder == rows_mine)
		grant(lease, next(lease, false, now));
	rows_unlock();
	rows_wake();
}

/* Nothing more is submitted; what is on its way is waited for. */
static void start_drain(struct lease *lease, uint64_t now)
{
	lease_set_open(lease, false);
	lease->draining = true;
	lease->drain_end = now + DRAIN;
}

/* Whether the device has work of another one. */
static bool has_company(const struct lease *lease, uint64_t now)
{
	for (uint32_t row = 1; row <= rows_last; row++)
		if (row != rows_mine && lease_part(lease, row)->busy && is_running(lease, row, now))
			return true;
	return false;
}

/* Two for which the device waits need not wait for each other. */
static bool is_beside(const struct lease *lease, uint32_t row)
{
	return row && lease_part(lease, rows_mine)->light && lease_part(lease, row)->light;
}

/* Whether it is so far ahead that it would wait for long after the slice; by, in the device's time. */
static bool is_ahead(const struct lease *lease, uint32_t row, uint32_t of, uint64_t by)
{
	return lease_part(lease, row)->tag >
	       lease_part(lease, of)->tag + by * LEASE_SCALE / (lease_rows[row].weight ?: 1);
}

static bool may_be_guest(const struct lease *lease, uint32_t row)
{
	/* Who was too far ahead is let in again when it is not ahead at all. */
	bool anew = is_beside(lease, row) && lease_device(lease)->guest != row;

	return row && lease->price.credit && lease_part(lease, row)->priced &&
	       !is_ahead(lease, row, rows_mine, anew ? 0 : GUEST);
}

/*
 * To go from one process to another and back takes the device as long as a short moment does that could be lent. One
 * for which the device waits has such a moment behind each submission.
 */
static bool is_resting(const struct lease *lease, uint64_t now)
{
	return !lease->busy_from && (lease_is_light(lease) || lease->gap > MOMENT || now - lease->last_busy > MOMENT);
}

/* While the device has nothing to do for the holder, the next one may submit beside it. */
static void lend(struct lease *lease, uint32_t other, uint64_t now)
{
	uint32_t guest = lease_device(lease)->guest;

	/* Of several, one after the other: who is it stays so as long as it may. */
	if (!is_beside(lease, guest) || lease_part(lease, guest)->state != LEASE_WANTS ||
	    !is_running(lease, guest, now) || !may_be_guest(lease, guest))
		guest = other;
	if (lease->draining || (!is_beside(lease, guest) && !is_resting(lease, now)) ||
	    !may_be_guest(lease, guest))
		guest = 0;
	if (lease_device(lease)->guest == guest)
		return;
	if (rows_lock() && lease_device(lease)->holder == rows_mine) {
		lease_device(lease)->guest = guest;
		rows_write_header();
	}
	rows_unlock();
	lease_part(lease, rows_mine)->lent += guest != 0;
	rows_wake();
}

static void start_guest(struct lease *lease, uint64_t now)
{
	lease_part(lease, rows_mine)->waited += now - lease->wants_since;
	lease->guest = true;
	lease->active = lease->last_busy = now;
	lease->contested = 1;
	lease->before = 0;
	lease_charge_anew(lease);
	open_at(lease, now);
}

static uint64_t look_guest(struct lease *lease, uint64_t now)
{
	lease->wants_since = now;
	lease_measure(lease, now);
	if (lease_device(lease)->guest == rows_mine) {
		/* The holder may look late. */
		if (is_ahead(lease, rows_mine, lease_device(lease)->holder, GUEST))
			lease_set_open(lease, false);
		else
			open_at(lease, now);
		return LOOK;
	}
	lease_set_open(lease, false);
	if (lease->busy_from)
		return LOOK_DRAIN;
	lease->guest = false;
	/* Its threads may have done what they wanted to. */
	if (!lease->asked)
		become_idle(lease, now);
	return 0;
}

static bool is_over(struct lease *lease, uint32_t other, uint64_t now)
{
	if (lease_options.cap && lease_cap_left(lease, now) <= 0)
		return true;
	/* One whose turn it was, but that wanted nothing, is back. */
	if (other && lease_part(lease, other)->tag < lease->start_tag)
		return true;
	if (now < lease->slice_end)
		return false;
	if (other && lease_part(lease, other)->tag < lease_part(lease, rows_mine)->tag)
		return true;
	lease->start_tag = lease_part(lease, rows_mine)->tag;
	lease->slice_end = now + SLICE;
	return false;
}

/* Beside one that may submit meanwhile, nothing is waited for: it is the holder, and this process its guest. */
static bool exchange(struct lease *lease, uint32_t other, uint64_t now)
{
	struct lease_device *device = lease_device(lease);
	bool done;

	if (!is_beside(lease, other) || lease_options.cap || lease_rows[other].cap)
		return false;
	done = rows_lock() && device->holder == rows_mine;
	if (done) {
		lease->state = lease_part(lease, rows_mine)->state = LEASE_WANTS;
		lease->guest = true;
		lease->wants_since = now;
		rows_write();
		grant(lease, other);
		device->guest = rows_mine;
		rows_write_header();
	}
	rows_unlock();
	rows_wake();
	return done;
}

/* Who has pauses as a rule is not to lose the device in each of them: work of others would be before its next step. */
static bool is_idle(const struct lease *lease, uint64_t now)
{
	uint64_t most = 2 * lease->gap;

	most = most < IDLE ? IDLE : most > IDLE_RULE ? IDLE_RULE : most;
	return !lease->busy_from && now - lease->last_busy > most;
}

/* At moments with which no program keeps step. */
static uint64_t look_again_in(struct lease_cap *cap)
{
	if (!lease_options.cap)
		return LOOK;
	cap->chance = cap->chance * 6364136223846793005u + 1442695040888963407u;
	return LOOK / 2 + (cap->chance >> 33) % LOOK;
}

/* How long until the next look. */
static uint64_t look_holds(struct lease *lease, uint64_t now)
{
	uint32_t other;

	if (lease_device(lease)->holder != rows_mine ||
	    lease_device(lease)->generation != lease->generation) {
		/* It was stopped, and another one went on. */
		become_idle(lease, 0);
		return 0;
	}
	if (!lease->contested) {
		if (!is_wanted(lease, now))
			return LOOK_ALONE;
		lease->contested = 1;
		lease->before = lease_returned(lease);
		/* What it did while nobody else wanted the device is not charged. */
		lease_charge_anew(lease);
		/* What was submitted before is not done, for all that is known. */
		if (lease->covered != lease->entered || lease->entered != lease_returned(lease))
			lease_busy(lease);
		lease->active = lease->last_busy = lease->wanted = now;
		lease->start_tag = lease_part(lease, rows_mine)->tag;
		lease->slice_end = now + SLICE;
	}
	lease_measure(lease, now);
	other = next(lease, false, now);
	lend(lease, other, now);
	if (lease->draining) {
		if (!lease->busy_from || now > lease->drain_end)
			lease_release(lease, now);
		return LOOK_DRAIN;
	}
	if (other && is_idle(lease, now)) {
		lease->gave = true;
		lease_part(lease, rows_mine)->lent++;
		start_drain(lease, now);
		return 0;
	}
	if (is_over(lease, other, now)) {
		if (!exchange(lease, other, now))
			start_drain(lease, now);
		return 0;
	}
	if (is_wanted(lease, now))
		lease->wanted = now;
	else if (!lease_options.cap && now - lease->wanted > QUIET)
		lease->contested = 0;
	return look_again_in(&lease->cap);
}

/* The time in which it wanted nothing, or was stopped, is not saved. */
static void come_back(struct lease *lease, bool late)
{
	uint64_t credit = (uint64_t)(late ? CREDIT_LATE : CREDIT) * LEASE_SCALE / lease_options.weight;
	struct lease_part *part = lease_part(lease, rows_mine);
	uint64_t clock = lease_device(lease)->clock;

	if (part->slices)
		clock -= credit < clock ? credit : clock;
	if (part->tag < clock)
		part->tag = clock;
}

/* Nobody has it, or one that is dead or stopped. */
static bool is_vacant(const struct lease *lease, uint64_t now)
{
	uint32_t holder = lease_device(lease)->holder;

	return !holder || !is_running(lease, holder, now) ||
	       lease_part(lease, holder)->state == LEASE_IDLE;
}

static uint64_t look_wants(struct lease *lease, uint64_t now)
{
	if (is_wanted(lease, now))
		lease->wanted = now;
	if (now - lease->looked > LEASE_STALE)
		come_back(lease, true);
	if (lease_device(lease)->holder == rows_mine) {
		start_slice(lease, now);
		return LOOK;
	}
	if (is_vacant(lease, now)) {
		rows_lock();
		if (is_vacant(lease, now) && next(lease, true, now) == rows_mine)
			grant(lease, rows_mine);
		rows_unlock();
		if (lease_device(lease)->holder == rows_mine)
			return 0;
	}
	if (lease->guest)
		return look_guest(lease, now);
	if (lease_device(lease)->guest != rows_mine || lease_options.cap)
		return LOOK_WANTS;
	start_guest(lease, now);
	return LOOK;
}

/* It gave the device away in a pause, which was one of those that it has as a rule. */
static void learn_pause(struct lease *lease)
{
	uint64_t pause = lease->waits_from - lease->last_busy;

	if (lease->gave && pause < IDLE_RULE)
		lease->gap = (lease->gap * 7 + pause) / 8;
	lease->gave = false;
}

static uint64_t look_idle(struct lease *lease, uint64_t now)
{
	struct lease_part *part = lease_part(lease, rows_mine);

	if (!lease->asked || now - lease->asked > ASKED)
		return UINT64_MAX;
	if (lease_options.cap && lease_cap_left(lease, now) < CAP_START)
		return LOOK_WANTS;
	learn_pause(lease);
	come_back(lease, now - lease->idle_since > QUIET);
	lease->state = part->state = LEASE_WANTS;
	lease->wants_since = now;
	part->beat++;
	if (!rows_write())
		lease_lose(rows_path(), rows_fault());
	rows_wake();
	return 0;
}

/* The place of a device in the file, a new one for a device that has none. False: nobody could look. */
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
	lease->cap.since = lease_now();
	return done || lease->index != LEASE_NO_INDEX;
}

/* Another process has the file locked: it may have to wait for a processor. */
static uint64_t look_again(struct lease *lease)
{
	if (++lease->unplaced < UNPLACED)
		return LOOK_WANTS;
	lease_lose(rows_path(), "another process keeps it locked, and may be stopped");
	return UINT64_MAX;
}

uint64_t lease_look(struct lease *lease)
{
	struct lease_part *part;
	uint64_t now = lease_now(), ns;

	if (lease->used != LEASE_KNOWN)
		return UINT64_MAX;
	if (lease->index == LEASE_NO_INDEX && !find_index(lease))
		return look_again(lease);
	lease->unplaced = 0;
	if (lease->index == LEASE_NO_INDEX) {
		lease_lose(rows_path(), "it has no place for another device; remove it once no process shares it");
		return UINT64_MAX;
	}
	see(lease, now);
	part = lease_part(lease, rows_mine);
	if (lease->state != LEASE_IDLE) {
		part->beat++;
		part->busy = lease->busy_from != 0;
		part->priced = lease->price.credit != 0;
		part->light = lease_is_light(lease);
		rows_write();
		lease->company = has_company(lease, now);
	}
	switch (lease->state) {
	case LEASE_HOLDS:
		ns = look_holds(lease, now);
		break;
	case LEASE_WANTS:
		ns = look_wants(lease, now);
		break;
	default:
		ns = look_idle(lease, now);
	}
	lease->looked = now;
	return ns;
}

void lease_look_anew(void)
{
	memset(seen, 0, sizeof(seen));
}
