/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the program's threads may submit, to which all may at once when shares cannot be held. */
#include "hooks/modules/limit/limit_lease.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hooks/modules/limit/limit_gap.h"

_Atomic bool lease_lost;

void lease_set_open(struct lease *lease, bool open)
{
	if (lease->open == open)
		return;
	/* Pairs with the reads of those who submit: they say so before they look. */
	atomic_store(&lease->open, open);
	if (open)
		syscall(SYS_futex, &lease->open, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void lease_lose(const char *what, const char *why)
{
	if (atomic_exchange(&lease_lost, true))
		return;
	for (uint32_t i = 0; i < LEASE_ORDINALS; i++) {
		leases[i].contested = 0;
		lease_set_open(&leases[i], true);
	}
	gap_report(GAP_LEASE, what, why);
}
