/* SPDX-License-Identifier: Apache-2.0 */
/* What the device works for a process that has its lease, as it is charged. */
#include "hooks/modules/limit/limit_lease_turns.h"

#include "hooks/modules/limit/limit_account.h"
#include "hooks/modules/limit/limit_flight.h"

/* Nanoseconds. */
enum {
	TAIL = 500000,		/* what was submitted last, without an event, may take so long */
	CAP_BURST = 20000000,	/* time that a cap lets a process save */
	KEEP = 50000000,	/* of so long, at most, what is measured is the mean; */
	PRICE_KEEP = 2000000,	/* a price of less, if that is so many submissions: a program that */
	PRICE_COUNT = 16,	/* is new, or goes on to something else, gives others soon */
	PRICE_TRUST = 10,	/* times what was measured may be charged by it, */
	PRICE_ENOUGH = 30000000, /* at least so much once there was nothing left, */
	PRICE_MOST = 500000000	/* and at most so much */
};

/* Counts the work since busy_from, which becomes next. False: another thread did. */
static bool count(struct lease *lease, uint64_t until, uint64_t next)
{
	uint64_t from = lease->busy_from;

	if (!next)
		flight_idle(lease);
	if (!from || !atomic_compare_exchange_strong(&lease->busy_from, &from, next))
		return false;
	if (until > from)
		atomic_fetch_add(&lease->worked, until - from);
	if (!next)
		lease->idle_from = until;
	return true;
}

void lease_busy(struct lease *lease)
{
	uint64_t none = 0, now, from;

	if (lease->busy_from)
		return;
	now = lease_now();
	if (!atomic_compare_exchange_strong(&lease->busy_from, &none, now))
		return;
	from = atomic_exchange(&lease->idle_from, 0);
	if (from && now > from)
		lease->gap = (lease->gap * 7 + now - from) / 8;
}

/*
 * Submissions that have begun meanwhile are counted from their own beginning or from here. Who has just waited for the
 * end knows when it was; who looks now and then, about when.
 */
static void settle(struct lease *lease, bool waited)
{
	uint64_t entered = lease->entered, from = lease->busy_from, now, at;

	if (!from || lease_returned(lease) != entered || lease->covered < entered ||
	    flight_poll(lease) || lease->entered != entered)
		return;
	at = lease->finished_at;
	now = lease_now();
	if (waited || at < from || at > now)
		at = now;
	if (count(lease, at, 0))
		lease->unsure += now - at;
}

void lease_settle(struct lease *lease)
{
	flight_waited(lease);
	settle(lease, true);
}

void lease_begins(struct lease *lease)
{
	if (flight_begins(lease) && lease->busy_from)
		settle(lease, false);
}

void lease_charge_anew(struct lease *lease)
{
	struct lease_price *price = &lease->price;

	count(lease, 0, 0);
	lease->idle_from = 0;
	lease->charged = lease->worked;
	price->counted = lease->finished;
	price->lone = price->span = 0;
	price->owed = 0;
	price->mixed = false;
	price->seen = lease->awaited;
}

bool lease_is_light(const struct lease *lease)
{
	return lease->price.known && lease->price.busy < lease->price.alone / 2;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * Where a program waits by other means than a call of the driver's, when a batch was done is known by the looks before and
 * behind that alone. How many of them find it at work tells the sum, whatever the program's steps are.
 */
static uint64_t cap_used(const struct lease_cap *cap)
{
	uint64_t low = cap->worked - least(cap->unsure, cap->worked);

	return cap->sampled < low ? low : least(cap->sampled, cap->worked + cap->unsure);
}

int64_t lease_cap_left(struct lease *lease, uint64_t now)
{
	struct lease_cap *cap = &lease->cap;
	uint64_t share = (now - cap->since) / ACCOUNT_ALL * lease_options.cap;
	int64_t left = (int64_t)(share - cap_used(cap));

	if (left > CAP_BURST) {
		cap->worked = cap->unsure = cap->sampled = 0;
		left = CAP_BURST;
		cap->since = now - (uint64_t)CAP_BURST / lease_options.cap * ACCOUNT_ALL;
	}
	return left;
}

/* Before anything else looks, and thereby knows more. A late look is for all of the time since the one before it. */
static void sample(struct lease *lease, uint64_t now)
{
	uint64_t span = least(now - lease->cap.seen, LEASE_STALE);

	if (lease->busy_from && (flight_poll(lease) || lease->covered < lease->entered ||
				 lease_returned(lease) != lease->entered))
		lease->cap.sampled += span;
	lease->cap.seen = now;
}

static void charge(struct lease *lease, uint64_t ns)
{
	struct lease_part *part = lease_part(lease, rows_mine);
	uint64_t scaled = ns * LEASE_SCALE + lease->carry;

	part->charged += ns;
	part->tag += scaled / lease_options.weight;
	lease->carry = scaled % lease_options.weight;
	lease->cap.worked += ns;
}

/* The device did so many submissions in so long, for nobody else. */
static void learn(struct lease_price *price, uint64_t ns, uint64_t done)
{
	uint64_t forgotten;

	if (!done)
		return;
	price->ns += ns;
	price->count += done;
	price->credit = least(price->credit + ns * PRICE_TRUST, PRICE_MOST);
	price->known |= price->credit >= PRICE_ENOUGH;
	if (price->ns > KEEP || (price->ns > PRICE_KEEP && price->count > PRICE_COUNT)) {
		/* One alone stays what it is. */
		forgotten = price->count / 2;
		price->ns -= price->ns / price->count * forgotten;
		price->count -= forgotten;
	}
}

/* Of a device that is waited for, batches are on their way nearly all the time, or nothing is submitted. */
static void weigh(struct lease_price *price, uint64_t ns, uint64_t awaited)
{
	price->alone += ns;
	price->busy += awaited;
	if (price->alone > KEEP) {
		price->alone /= 2;
		price->busy /= 2;
	}
}

/* late: of ns, for what is not done yet. cold: nothing is learnt from it. */
static void charge_lone(struct lease *lease, uint64_t ns, uint64_t done, uint64_t late, bool cold)
{
	struct lease_price *price = &lease->price;

	charge(lease, ns);
	if (done && !cold)
		learn(price, price->lone + ns - late, done);
	price->lone = late + (done ? 0 : price->lone);
}

/* Not more than the device worked since others had work, too. */
static void charge_mixed(struct lease *lease, uint64_t ns, uint64_t done)
{
	struct lease_price *price = &lease->price;
	uint64_t pays;

	if (price->count)
		price->owed += (int64_t)(done * price->ns / price->count) - (int64_t)price->lone;
	else
		price->owed += (int64_t)(ns / 2);
	price->lone = 0;
	price->span += ns;
	if (price->owed <= 0)
		return;
	pays = least((uint64_t)price->owed, price->span);
	charge(lease, pays);
	price->owed -= (int64_t)pays;
	price->span -= pays;
	price->credit -= least(pays, price->credit);
	price->known &= price->credit > 0;
}

/*
 * While the device has work of others, too, how long it works does not tell for whom: a submission is charged what it
 * takes when it has not. So equal tags mean that what was completed is by weight, at one price whenever it was done,
 * and what a guest may be ahead, which bounds how far the tags are apart, is less and less of all in time.
 * As much is charged while threads are slower after a wait, for what the device waits then is not what it did.
 */
static void charge_work(struct lease *lease, uint64_t ns, uint64_t now, bool stopped)
{
	struct lease_price *price = &lease->price;
	uint64_t done = lease->finished - price->counted, at = lease->finished_at;
	bool idle = !lease->busy_from, cold = now < lease->cold_until;
	bool others = lease->company || lease->guest || lease_device(lease)->guest ||
		      ((cold || stopped) && price->count);
	bool ends = idle || (done && !others);
	uint64_t late = idle || (done && at > now) ? 0 : done ? least(ns, now - at) : ns;
	uint64_t awaited = lease->awaited - price->seen;

	price->counted += done;
	price->seen += awaited;
	price->mixed |= others;
	if (price->mixed) {
		charge_mixed(lease, ends ? ns - late : ns, done);
		if (!ends)
			return;
		price->mixed = false;
		price->span = 0;
		price->owed = 0;
		ns = late;
		done = 0;
	} else if (!cold) {
		weigh(price, ns, awaited);
	}
	charge_lone(lease, ns, done, late, cold);
}

void lease_measure(struct lease *lease, uint64_t now)
{
	uint64_t entered = lease->entered, worked, unsure, ns;
	bool stopped;

	if (lease_options.cap)
		sample(lease, now);
	if (entered != lease->seen)
		lease->active = lease->last_busy = now;
	lease->seen = entered;
	settle(lease, false);
	/*
	 * Behind the last submissions there may be no event, and nobody who waits. A launch that does
	 * not return may load code, which is no work of the device; or wait for room behind
	 * work that was submitted before there were events.
	 */
	if (!lease->syncing && now - lease->active > TAIL && !flight_poll(lease) &&
	    (lease_returned(lease) == entered || lease->covered >= lease->before))
		count(lease, lease->active, 0);
	count(lease, now, now);
	worked = lease->worked;
	ns = worked - lease->charged;
	/*
	 * A process that was stopped does not know when its work was done. It may have been since now, and a thread of
	 * the program's have counted that before this one went on.
	 */
	stopped = lease_now() - lease->looked > LEASE_STALE;
	if (stopped && !lease->price.count)
		ns = least(ns, LEASE_STALE);
	charge_work(lease, ns, now, stopped);
	lease->charged = worked;
	unsure = atomic_exchange(&lease->unsure, 0);
	if (!stopped)
		lease->cap.unsure += unsure;
	if (lease->busy_from)
		lease->last_busy = now;
}
