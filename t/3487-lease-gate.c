/* SPDX-License-Identifier: Apache-2.0 */
/* Shares that cannot be held: threads that wait for any of the devices go on, all of them. */
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hooks/modules/limit/limit_gap.h"
#include "hooks/modules/limit/limit_lease.h"
#include "t/tap.h"

enum { HANGS = 300 };	/* seconds */

struct lease leases[LEASE_ORDINALS];

static int reports;
static const char *told;

void gap_report(enum gap gap, const char *what, const char *why)
{
	(void)why;
	reports += gap == GAP_LEASE;
	told = what;
}

/* Looks at nothing but its device, and has no patience. */
static void *wait_for(void *given)
{
	struct lease *lease = given;

	while (!lease->open)
		syscall(SYS_futex, &lease->open, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	return NULL;
}

static int count_open(void)
{
	int count = 0;

	for (int i = 0; i < LEASE_ORDINALS; i++)
		count += leases[i].open && !leases[i].contested;
	return count;
}

int main(void)
{
	pthread_t threads[LEASE_ORDINALS];
	int ended = 0;

	/* Where the threads are not woken. */
	alarm(HANGS);
	for (int i = 0; i < LEASE_ORDINALS; i++) {
		leases[i].contested = 1;
		if (pthread_create(&threads[i], NULL, wait_for, &leases[i]))
			bail_out("no thread");
	}
	lease_set_open(&leases[LEASE_ORDINALS - 1], true);
	is_int(pthread_join(threads[LEASE_ORDINALS - 1], NULL), 0, "one device is opened: who waits for it goes on");
	is_int(count_open(), 0, "the others stay as they are, and that is no loss");
	is_int(lease_lost, 0, "nothing is lost");
	lease_set_open(&leases[LEASE_ORDINALS - 1], false);
	is_int((long long)leases[LEASE_ORDINALS - 1].open, 0, "and closed");
	lease_lose("a", "first");
	is_int(count_open(), LEASE_ORDINALS, "shares are lost: all devices are open, and nothing is measured");
	for (int i = 0; count_open() == LEASE_ORDINALS && i < LEASE_ORDINALS - 1; i++)
		ended += !pthread_join(threads[i], NULL);
	is_int(ended, LEASE_ORDINALS - 1, "who waits for any of them goes on");
	ok(lease_lost, "that is kept");
	lease_lose("b", "second");
	ok(reports == 1 && told && !strcmp(told, "a"), "and reported once, by the first reason");
	return done_testing();
}
