/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the options of the limit hook mean on the devices that the driver knows:
 * shares of their memory, and limits of devices that are not there. Until that
 * is known, after cuInit, a share is a limit of 0.
 */
#include "hooks/modules/limit/limit.h"

#include <stdatomic.h>

#include <cuaudit/hook.h>

#include "hooks/modules/limit/limit_driver.h"

static _Atomic bool settled;

static void set_share(struct account *account, uint64_t total)
{
	/* The product has 64 bits as far as 180 TB. */
	if (account->share)
		account->limit = total * account->share / ACCOUNT_ALL;
}

static void report_missing(int count)
{
	for (int i = count; i < ACCOUNT_DEVICES; i++)
		if (account_devices[i].own)
			cuaudit_log(CUAUDIT_WARN, "limit: device%d limits nothing: the program sees "
				    "%d device%s, numbered from 0", i, count, count == 1 ? "" : "s");
}

/* Threads that come here together find, and write, the same. */
void limit_settle(void)
{
	uint64_t all = 0;
	int count;

	if (atomic_load_explicit(&settled, memory_order_acquire))
		return;
	count = driver_devices();
	if (count < 0)
		return;
	for (int i = 0; i < count && i < ACCOUNT_DEVICES; i++) {
		uint64_t total = driver_total(i);

		set_share(&account_devices[i], total);
		all += total;
	}
	set_share(&account_process, all);
	/* Pairs with the load above. */
	if (!atomic_exchange_explicit(&settled, true, memory_order_acq_rel))
		report_missing(count);
}
