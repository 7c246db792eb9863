/* SPDX-License-Identifier: Apache-2.0 */
/* The file by which processes share devices' time: kept by limit(share=), read by cuaudit limit. */
#ifndef ANALYSIS_SHARE_RECORD_H
#define ANALYSIS_SHARE_RECORD_H

#include <stdint.h>
#include <stdio.h>

/*
 * A header, then rows of its size. A process keeps the first byte of its row
 * locked as long as it lives. Of this machine's byte order.
 */
#define LEASE_MAGIC UINT64_C(0x3172616873756375)	/* "ucushar1" */
#define LEASE_MIX UINT64_C(0x9e3779b97f4a7c15)

enum { LEASE_DEVICES = 15, LEASE_ROWS = 255 };

enum lease_state {
	LEASE_IDLE,
	LEASE_WANTS,
	LEASE_HOLDS
};

/* A process on one device; times in nanoseconds. */
struct lease_part {
	uint32_t state;		/* enum lease_state */
	uint32_t slices;	/* how often it was given the device */
	uint64_t beat;		/* another number at each look of a process that runs */
	uint64_t tag;		/* virtual time: who has the least is next */
	uint64_t charged;	/* what the device worked for it while others wanted it, or under a cap */
	uint64_t waited;
	uint64_t lent;		/* how often another one might submit while the slice was not over */
	uint32_t busy;		/* the device has work of it */
	uint32_t priced;	/* it knows how long its submissions take that nobody else's disturb */
	uint32_t light;		/* and that the device waits for them half of the time */
	uint32_t unused;
};

struct lease_row {
	uint64_t check;		/* of all that follows */
	uint32_t pid;
	uint32_t weight;
	uint32_t cap;		/* of the device's time, in ACCOUNT_ALL parts; 0: none */
	uint32_t unused;
	uint64_t start;		/* of the process, clock ticks after boot, as in /proc/PID/stat; 0: unknown */
	uint64_t pid_namespace;	/* the inode of /proc/PID/ns/pid, of which pid is; 0: unknown */
	uint64_t more[3];
	struct lease_part parts[LEASE_DEVICES];
};

struct lease_device {
	uint8_t uuid[16];	/* zeros: no device yet */
	uint32_t holder;	/* a row; 0: nobody */
	uint32_t generation;	/* of the lease: another number each time it goes to somebody */
	uint64_t clock;		/* the tag of the last holder when it came to be that */
	uint32_t guest;		/* a row that may submit while the holder does not; 0: none */
	uint32_t unused32;
	uint64_t unused[3];
};

struct lease_header {
	uint64_t magic;
	uint64_t check;		/* of all that follows */
	uint32_t bell;		/* a futex: another number when there is news */
	uint32_t unused;
	uint64_t more[5];
	struct lease_device devices[LEASE_DEVICES];
};

_Static_assert(sizeof(struct lease_row) == 1024, "a row of the file");
_Static_assert(sizeof(struct lease_header) == sizeof(struct lease_row), "the header is one");

/* Never 0 of nothing, so that a hole in the file is no row. */
static inline uint64_t lease_check(const void *from, const void *end)
{
	uint64_t sum = LEASE_MIX;

	for (const uint64_t *at = from; at < (const uint64_t *)end; at++)
		sum = (sum ^ sum >> 29) * LEASE_MIX + *at;
	return sum;
}

static inline uint64_t lease_check_row(const struct lease_row *row)
{
	return lease_check(&row->pid, row + 1);
}

static inline uint64_t lease_check_header(const struct lease_header *header)
{
	return lease_check(&header->bell, header + 1);
}

enum { SHARE_HAD = 8 };

/*
 * What a process had of a device's time while it and others wanted it, in percent with a decimal; worked and waited
 * in ns. none: if nobody else wanted it.
 */
static inline const char *share_had(char text[SHARE_HAD], uint64_t worked, uint64_t waited, const char *none)
{
	uint64_t part = (worked + waited) / 1000, had = part ? worked / part : 0;

	snprintf(text, SHARE_HAD, "%u.%u", (unsigned int)(had / 10 % 1000), (unsigned int)(had % 10));
	return part ? text : none;
}

#endif
