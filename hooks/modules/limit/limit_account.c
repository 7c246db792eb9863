/* SPDX-License-Identifier: Apache-2.0 */
/* How much of each quota is taken, and by which libraries. */
#include "hooks/modules/limit/limit_account.h"

#include <string.h>

#include <cuaudit/hook.h>

#include "hooks/modules/limit/limit.h"
#include "hooks/modules/limit/limit_gap.h"
#include "hooks/modules/limit/limit_shared.h"

struct account account_devices[ACCOUNT_DEVICES], account_process, account_user;
struct library_account account_libraries[ACCOUNT_LIBRARIES];
static _Atomic uint64_t foreigns[ACCOUNT_DEVICES];

static void update_max(_Atomic uint64_t *peak, uint64_t value)
{
	uint64_t high = atomic_load_explicit(peak, memory_order_relaxed);

	while (value > high && !atomic_compare_exchange_weak(peak, &high, value))
		;
}

static bool take(struct account *account, uint64_t bytes, bool force)
{
	uint64_t used = atomic_load_explicit(&account->used, memory_order_relaxed);

	do {
		if (!force && (used > account->limit || bytes > account->limit - used))
			return false;
	} while (!atomic_compare_exchange_weak(&account->used, &used, used + bytes));
	return true;
}

static void give(struct account *account, uint64_t bytes)
{
	atomic_fetch_sub(&account->used, bytes);
}

/*
 * The order of taking; of giving, the reverse. One without a limit is the
 * inner one, whose peak then does not show what the other never allowed.
 */
static void order(uint32_t device, struct account **outer, struct account **inner)
{
	bool limited = account_devices[device].limit != ACCOUNT_NONE;

	*outer = limited ? &account_devices[device] : &account_process;
	*inner = limited ? &account_process : &account_devices[device];
}

static void say_repair(void)
{
	static _Atomic bool reported;

	if (shared_repairs() && !atomic_exchange(&reported, true))
		cuaudit_log(CUAUDIT_WARN, "limit: another program wrote into %s; what this process "
			    "holds is in it again", shared_path());
}

static void report_file(void)
{
	gap_report(GAP_FILE, shared_path(), shared_fault());
}

static bool take_of_user(uint64_t bytes, bool force)
{
	enum shared_answer answer = shared_take(bytes, account_user.limit, force);

	say_repair();
	if (answer != SHARED_BROKEN)
		return answer == SHARED_TAKEN;
	report_file();
	shared_take(bytes, account_user.limit, true);
	return true;
}

struct account *account_take(uint32_t device, uint64_t bytes, bool foreign, bool force)
{
	struct account *outer, *inner;

	order(device, &outer, &inner);
	if (!foreign && !take_of_user(bytes, force))
		return &account_user;
	if (take(outer, bytes, force)) {
		if (take(inner, bytes, force)) {
			if (foreign)
				atomic_fetch_add(&foreigns[device], bytes);
			return NULL;
		}
		give(outer, bytes);
		outer = inner;
	}
	if (!foreign)
		shared_give(bytes);
	return outer;
}

void account_give(uint32_t device, uint64_t bytes, bool foreign)
{
	struct account *outer, *inner;

	order(device, &outer, &inner);
	give(inner, bytes);
	give(outer, bytes);
	if (foreign)
		atomic_fetch_sub(&foreigns[device], bytes);
	else
		shared_give(bytes);
}

uint64_t account_own(uint32_t device)
{
	return atomic_load(&account_devices[device].used) - atomic_load(&foreigns[device]);
}

void account_keep(uint32_t device)
{
	update_max(&account_devices[device].peak, atomic_load(&account_devices[device].used));
	update_max(&account_process.peak, atomic_load(&account_process.used));
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

struct account *account_least(uint32_t device)
{
	struct account *least_of = &account_devices[device];

	if (account_process.limit < least_of->limit)
		least_of = &account_process;
	return account_user.limit < least_of->limit ? &account_user : least_of;
}

static uint64_t left(const struct account *account)
{
	uint64_t used = atomic_load(&account->used);

	return account->limit == ACCOUNT_NONE ? ACCOUNT_NONE :
	       used < account->limit ? account->limit - used : 0;
}

uint64_t account_left(uint32_t device)
{
	uint64_t all = least(left(&account_process), left(&account_devices[device]));
	uint64_t used;

	if (account_user.limit == ACCOUNT_NONE)
		return all;
	if (!shared_used(&used)) {
		/* One that could not be opened has been reported. */
		if (limit_options.shared)
			report_file();
		return all;
	}
	return least(all, used < account_user.limit ? account_user.limit - used : 0);
}

uint32_t account_library(const struct cuaudit_library *library)
{
	uint32_t index = library->index < ACCOUNT_LIBRARIES ? library->index :
							      ACCOUNT_LIBRARIES - 1;

	atomic_store_explicit(&account_libraries[index].library, library, memory_order_relaxed);
	return index;
}

void account_hold(uint32_t index, int64_t bytes)
{
	struct library_account *library = &account_libraries[index];
	uint64_t used = atomic_fetch_add(&library->used, (uint64_t)bytes) + (uint64_t)bytes;

	if (bytes <= 0)
		return;
	atomic_fetch_add_explicit(&library->taken, 1, memory_order_relaxed);
	update_max(&library->peak, used);
}

static void clear(struct account *account)
{
	account->used = account->peak = account->refused = 0;
}

void account_forked(void)
{
	for (uint32_t i = 0; i < ACCOUNT_DEVICES; i++)
		clear(&account_devices[i]);
	clear(&account_process);
	clear(&account_user);
	memset(foreigns, 0, sizeof(foreigns));
	memset(account_libraries, 0, sizeof(account_libraries));
}
