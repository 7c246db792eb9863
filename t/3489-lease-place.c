/* SPDX-License-Identifier: Apache-2.0 */
/* The place of a device in the file of shares: while another process has it locked, and where there is none. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "hooks/modules/limit/limit_lease_turns.h"
#include "t/tap.h"

/* What the code under test needs of all else. */
struct lease_options lease_options = { .weight = 100, .on = true };
struct lease_header lease_header;
struct lease_row lease_rows[LEASE_ROWS + 1];
uint32_t rows_mine = 1, rows_last = 1;

static bool locked;
static int written;
static const char *lost;

bool rows_lock(void)
{
	return !locked;
}

void rows_unlock(void)
{
}

bool rows_write(void)
{
	return true;
}

bool rows_write_header(void)
{
	written++;
	return true;
}

bool rows_is_alive(uint32_t row)
{
	return row == rows_mine;
}

void rows_wake(void)
{
}

const char *rows_path(void)
{
	return "file";
}

const char *rows_fault(void)
{
	return "a fault";
}

void lease_lose(const char *what, const char *why)
{
	(void)what;
	lost = why;
}

void lease_set_open(struct lease *lease, bool open)
{
	lease->open = open;
}

void lease_busy(struct lease *lease)
{
	(void)lease;
}

void lease_measure(struct lease *lease, uint64_t now)
{
	(void)lease;
	(void)now;
}

void lease_charge_anew(struct lease *lease)
{
	(void)lease;
}

bool lease_is_light(const struct lease *lease)
{
	(void)lease;
	return false;
}

int64_t lease_cap_left(struct lease *lease, uint64_t now)
{
	(void)lease;
	(void)now;
	return 0;
}

/* One that a thread has made known. */
static struct lease new_device(uint8_t number)
{
	return (struct lease){ .used = LEASE_KNOWN, .index = LEASE_NO_INDEX, .uuid = { number } };
}

/* How often it was looked after, so many times at most, until it is lost. */
static int looks(struct lease *lease, int most)
{
	int count = 0;

	for (lost = NULL; count < most && !lost; count++)
		if (lease_look(lease) == UINT64_MAX)
			return count + 1;
	return count;
}

int main(void)
{
	struct lease lease = new_device(1), stopped = new_device(2), last = new_device(LEASE_DEVICES + 1);

	locked = true;
	is_int(looks(&lease, 50), 50, "a file that another process has locked is looked at again");
	ok(!lost && !written && lease.index == LEASE_NO_INDEX, "nothing is written without the lock, or lost");
	locked = false;
	lease_look(&lease);
	is_int((long long)lease.index, 0, "then the device has its place");
	is_int(written, 1, "which is written");
	locked = true;
	looks(&stopped, 10000);
	ok(lost && strstr(lost, "locked"), "one that stays locked is given up: %s", lost ? lost : "no");
	lease = new_device(1);
	looks(&lease, 1);
	ok(!lost && !lease.index, "a device that has a place needs no lock");
	locked = false;
	for (uint8_t i = 1; i <= LEASE_DEVICES; i++) {
		lease = new_device(i);
		looks(&lease, 1);
	}
	ok(!lost && lease.index == LEASE_DEVICES - 1, "there is room for %d devices", LEASE_DEVICES);
	looks(&last, 1);
	ok(lost && strstr(lost, "no place"), "and none for another: %s", lost ? lost : "no");
	return done_testing();
}
