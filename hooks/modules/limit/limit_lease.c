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
 * longer. While the device does nothing for the holder the next one is its guest,
 * and submits too, if it is not far ahead; a holder that stays idle hands over.
 * Two for which the device waits, rather than they for it, are each other's guests all the
 * time: who has less by weight is the holder, and nothing is waited for in between.
 *
 * Whoever comes back after it wanted nothing begins not far behind the clock, the
 * tag of the last holder: time that was not asked for is not saved, but for moments.
 */
#include "hooks/modules/limit/limit_lease.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
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
#include "hooks/modules/limit/limit_lease_turns.h"

#define ASKS UINT64_C(50000000)		/* ns between two times that a thread asks */
#define MEETS UINT64_C(10000000000)	/* ns that it waits for one that makes the device known */

static struct helper helper;
static _Atomic uint32_t starting;
static _Atomic bool looking;		/* the helper runs */
static uint32_t generation;

/*
 * A thread that makes a device known, or starts the helper, may never end that: a
 * signal's handler left it by longjmp, a debugger stopped it. What others waited for it
 * is counted in turns, so that the time in which all are stopped is none.
 */
static uint64_t waited_in_vain(const struct lease *lease, uint64_t since)
{
	uint64_t ns = lease_now() - since;

	return lease->used == LEASE_KNOWN && looking ? 0 : ns < ASKS ? ns : ASKS;
}

void lease_wait(struct lease *lease)
{
	static const struct timespec patience = { .tv_nsec = ASKS };
	uint64_t vain = 0;

	/* Again and again: a thread that longjmp takes out of here asks no more. */
	while (!lease->open && !lease_lost) {
		uint64_t now = lease_now(), none = 0;

		lease->asked = now;
		atomic_compare_exchange_strong(&lease->waits_from, &none, now);
		helper_wake(&helper);
		rows_wake();
		syscall(SYS_futex, &lease->open, FUTEX_WAIT_PRIVATE, 0, &patience, NULL, 0);
		vain += waited_in_vain(lease, now);
		if (vain > MEETS)
			lease_lose("the device", "a thread began to ask for it and did not go on");
	}
	if (lease_lost)
		lease_set_open(lease, true);
	lease->asked = 0;
}

/* The file was removed, or another one took its place: all begins anew. */
static void begin_anew(void)
{
	generation = rows_generation();
	lease_look_anew();
	for (uint32_t i = 0; i < LEASE_ORDINALS; i++) {
		lease_set_open(&leases[i], false);
		leases[i].state = LEASE_IDLE;
		leases[i].draining = leases[i].guest = false;
		leases[i].index = LEASE_NO_INDEX;
	}
}

static bool is_used(void)
{
	for (uint32_t i = 0; i < LEASE_ORDINALS; i++)
		if (leases[i].used == LEASE_KNOWN)
			return true;
	return false;
}

/* False: it is over. */
static bool work(void)
{
	uint32_t wakes = helper_seen(&helper), bell;
	uint64_t least = UINT64_MAX;

	/* Who gives no device work does not want the file, whoever would have to be waited for. */
	if (lease_lost || !is_used())
		return helper_wait(&helper, wakes, UINT64_MAX);
	if (!rows_read()) {
		lease_lose(rows_path(), rows_fault());
		return true;
	}
	if (generation != rows_generation())
		begin_anew();
	bell = lease_header.bell;
	for (uint32_t i = 0; i < LEASE_ORDINALS; i++) {
		uint64_t ns = lease_look(&leases[i]);

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
	looking = true;
	while (!helper.ending && work())
		;
	for (uint32_t i = 0; i < LEASE_ORDINALS && !lease_lost; i++)
		if (leases[i].state == LEASE_HOLDS)
			lease_release(&leases[i], lease_now());
	return given;
}

void lease_start(void)
{
	static const char *const remedy = "a sandbox, or a limit of threads, allows none";

	if (!starting && !atomic_exchange(&starting, 1) && !lease_lost && helper_start(&helper, run))
		lease_lose("a thread to look after the device", remedy);
}

void lease_use(uint32_t ordinal)
{
	struct lease *lease = &leases[ordinal];
	uint8_t uuid[16] = { 0 };
	uint32_t none = LEASE_UNUSED;

	if (driver_is_exclusive((int)ordinal))
		lease_lose("the device", "its compute mode lets one process at a time in, so that "
			   "there is nothing to share: nvidia-smi -c DEFAULT changes that");
	if (!driver_uuid((int)ordinal, uuid))
		lease_lose("the device", "the driver does not tell its UUID");
	/* One thread makes it known; the others are about to wait for the helper. */
	if (!atomic_compare_exchange_strong(&lease->used, &none, LEASE_MEETS))
		return;
	lease->first = pthread_self();
	memcpy(lease->uuid, uuid, sizeof(uuid));
	lease->index = LEASE_NO_INDEX;
	lease->batch = 4;
	atomic_store(&lease->used, LEASE_KNOWN);
	lease_start();
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
		lease_lost = true;
		gap_note(GAP_LEASE);
	}
	return 0;
}

bool lease_report(uint32_t ordinal, struct lease_report *report)
{
	const struct lease *lease = &leases[ordinal];

	if (lease->used != LEASE_KNOWN || lease->index == LEASE_NO_INDEX)
		return false;
	*report = lease->report;
	return true;
}

/* The row is given back. */
static void keep(struct lease *lease)
{
	const struct lease_part *part;

	if (lease->used != LEASE_KNOWN || lease->index == LEASE_NO_INDEX)
		return;
	part = lease_part(lease, rows_mine);
	lease->report = (struct lease_report){ .slices = part->slices, .charged = part->charged,
					       .waited = part->waited, .lent = part->lent };
}

bool lease_finish(void)
{
	bool used = lease_beyond;

	if (!lease_options.on)
		return false;
	rows_wake();
	helper.ending = true;
	rows_wake();
	helper_end(&helper);
	lease_lost = true;
	for (uint32_t i = 0; i < LEASE_ORDINALS; i++) {
		leases[i].contested = 0;
		keep(&leases[i]);
		used |= leases[i].used != LEASE_UNUSED;
		lease_set_open(&leases[i], true);
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
	lease_look_anew();
	starting = 0;
	looking = lease_beyond = false;
	flight_forked();
	rows_forked();
}
