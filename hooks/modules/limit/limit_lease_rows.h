/* SPDX-License-Identifier: Apache-2.0 */
/* What processes that share devices tell each other, in rows of a file. */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_LEASE_ROWS_H
#define HOOKS_MODULES_LIMIT_LIMIT_LEASE_ROWS_H

#include <stdbool.h>
#include <stdint.h>

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
	uint64_t lent;		/* the device was let go while the slice was not over */
	uint64_t unused[2];
};

struct lease_row {
	uint64_t check;		/* of all that follows */
	uint32_t pid;
	uint32_t weight;
	uint32_t cap;		/* of the device's time, in ACCOUNT_ALL parts; 0: none */
	uint32_t unused;
	uint64_t more[5];
	struct lease_part parts[LEASE_DEVICES];
};

struct lease_device {
	uint8_t uuid[16];	/* zeros: no device yet */
	uint32_t holder;	/* a row; 0: nobody */
	uint32_t generation;	/* of the lease: another number each time it goes to somebody */
	uint64_t clock;		/* the tag of the last holder when it came to be that */
	uint64_t unused[4];
};

struct lease_header {
	uint64_t magic;
	uint64_t check;		/* of all that follows */
	uint32_t bell;		/* a futex: another number when there is news */
	uint32_t unused;
	uint64_t more[5];
	struct lease_device devices[LEASE_DEVICES];
};

/* What was read last. Row 0 is the header. */
extern struct lease_header lease_header;
extern struct lease_row lease_rows[LEASE_ROWS + 1];

/*
 * Context of all: call, by one thread at a time. The group's file; NULL: the
 * user's. False: see rows_fault.
 */
bool rows_open(const char *directory, const char *group, uint32_t weight, uint32_t cap);

/* Another number each time that this process has a new row, in which nothing is yet. */
uint32_t rows_generation(void);

const char *rows_fault(void);
const char *rows_path(void);

/* Reads all rows; *its and *last are this process's and the last one in use. */
bool rows_read(uint32_t *its, uint32_t *last);

/* Writes lease_rows[mine], and lease_header, which is under the gate. */
bool rows_write(void);
bool rows_write_header(void);

/* The header's lock, then the header is read again. Not waited for long: false without it. */
bool rows_lock(void);
void rows_unlock(void);

/* Whether a row's process lives. */
bool rows_is_alive(uint32_t row);

/* Waits until bell has another number than seen, or so many nanoseconds. */
void rows_wait(uint32_t seen, uint64_t ns);
void rows_wake(void);

void rows_close(void);
void rows_forked(void);

#endif
