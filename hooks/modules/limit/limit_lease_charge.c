/* SPDX-License-Identifier: Apache-2.0 */
/* What the device works for a process that has its lease, as it is charged. */
#include "hooks/modules/limit/limit_lease_turns.h"

#include "hooks/modules/limit/limit_account.h"
#include "hooks/modules/limit/limit_flight.h"

/* Nanoseconds. */
enum {
	TAIL = 500000,		/* what was submitted last, without an event, may take so long */
	CAP_BURST = 20000000	/* time that a cap lets a process save */
};

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

void lease_charge_anew(struct lease *lease)
{
	count(lease, 0, 0);
	lease->charged = lease->worked;
}

int64_t lease_cap_left(struct lease *lease, uint64_t now)
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
	struct lease_part *part = lease_part(lease, rows_mine);
	uint64_t scaled = ns * LEASE_SCALE + lease->carry;

	part->charged += ns;
	part->tag += scaled / lease_options.weight;
	lease->carry = scaled % lease_options.weight;
	lease->cap_used += ns;
}

void lease_measure(struct lease *lease, uint64_t now)
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
	/* Of a moment in which the device has work of two, each has about a half. */
	charge(lease, (worked - lease->charged) / (lease->company ? 2 : 1));
	lease->charged = worked;
	if (lease->busy_from)
		lease->last_busy = now;
}
