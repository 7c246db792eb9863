/* SPDX-License-Identifier: Apache-2.0 */
/* What the helper, the thread that looks after leases, does with one. */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_LEASE_TURNS_H
#define HOOKS_MODULES_LIMIT_LIMIT_LEASE_TURNS_H

#include "hooks/modules/limit/limit_lease.h"
#include "hooks/modules/limit/limit_lease_rows.h"

enum {
	LEASE_SCALE = 1024,	/* of tags */
	LEASE_STALE = 30000000	/* a process that did not look for so many nanoseconds is stopped */
};

/*
 * Context of all: call, by the helper alone. How many nanoseconds until the next
 * look at a device, UINT64_MAX: until a thread asks for it.
 */
uint64_t lease_look(struct lease *lease);

/* The file is another one: nobody has been seen in it. */
void lease_look_anew(void);

/* The next one may have the device. */
void lease_release(struct lease *lease, uint64_t now);

/* Charges what the device has worked since the last look. */
void lease_measure(struct lease *lease, uint64_t now);

/* What began outside of the slice is not charged. */
void lease_charge_anew(struct lease *lease);

/* Whether the device waits for this process's submissions, rather than that for the device, half of the time. */
bool lease_is_light(const struct lease *lease);

/* What a cap leaves, in nanoseconds; saved no longer than for a burst. */
int64_t lease_cap_left(struct lease *lease, uint64_t now);

static inline struct lease_part *lease_part(const struct lease *lease, uint32_t row)
{
	return &lease_rows[row].parts[lease->index];
}

static inline struct lease_device *lease_device(const struct lease *lease)
{
	return &lease_header.devices[lease->index];
}

#endif
