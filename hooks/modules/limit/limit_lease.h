/* SPDX-License-Identifier: Apache-2.0 */
/* Shares of a device's time: who may submit work to it now. */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_LEASE_H
#define HOOKS_MODULES_LIMIT_LIMIT_LEASE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <cuaudit/hook.h>

enum { LEASE_ORDINALS = 16, LEASE_WEIGHT = 100, LEASE_WEIGHT_MAX = 10000 };

/* How far the helper is to look after a device. */
enum lease_use {
	LEASE_UNUSED,
	LEASE_MEETS,	/* a thread of the program is making it known */
	LEASE_KNOWN
};

/* What a process had of a device; times in nanoseconds. */
struct lease_report {
	uint32_t slices;
	uint64_t charged, waited, lent;
};

/* What a submission costs, by those that the device did while it had work of nobody else; see limit_lease_charge.c. */
struct lease_price {
	uint64_t ns, count;		/* so long it worked for so many */
	uint64_t credit;		/* nanoseconds to be charged by it until it is measured again */
	uint64_t counted;		/* of finished */
	uint64_t lone;			/* charged since a batch was done, or the device began */
	uint64_t span;			/* worked, not charged: for this process or for others */
	int64_t owed;			/* by price, not charged; what was charged before it was done is below 0 */
	bool mixed;			/* others had work since a batch was done */
	bool known;			/* there is credit, and was enough */
	uint64_t alone, busy;		/* nanoseconds charged without others; meanwhile, of awaited */
	uint64_t seen;			/* of awaited */
};

/* What is known, since a moment, of the time that a cap is of, in nanoseconds. */
struct lease_cap {
	uint64_t since;
	uint64_t worked, unsure;	/* the device worked so long, give or take */
	uint64_t sampled, seen;		/* that it was at work in, by looks at random moments, the last of which was then */
	uint64_t chance;		/* of those moments */
};

/* One device as the program numbers it. What the helper alone writes is behind. */
struct lease {
	_Atomic uint32_t open;		/* a futex: this process may submit */
	_Atomic uint32_t contested;	/* others want the device, or time is capped: events are recorded */
	_Atomic uint32_t syncing;	/* threads in a call that may wait for the device */
	_Atomic uint32_t batch;		/* submissions from one event to the next */
	_Atomic uint32_t used;		/* enum lease_use */
	_Atomic uint64_t asked;		/* when a thread that wants to submit said so last; 0: none does */
	_Atomic uint64_t waits_from;	/* since when one does; 0: none, since it was opened */
	_Atomic uint64_t entered;	/* submissions ... */
	_Atomic uint64_t returned;	/* ... and how many of them the driver has taken, see lease_returned, ... */
	uint64_t returned_first;	/* ... but for those of the thread that submitted first, ... */
	_Atomic(pthread_t) first;	/* ... which is this one */
	_Atomic uint64_t covered;	/* those with an event behind them, or waited for */
	_Atomic uint64_t busy_from;	/* since when its work is not counted yet; 0: it has none */
	_Atomic uint64_t idle_from;	/* since when it had none, 0: that is not known */
	_Atomic uint64_t gap;		/* nanoseconds for which it has none as a rule */
	_Atomic uint64_t worked;	/* nanoseconds that the device worked, as far as counted */
	_Atomic uint64_t unsure;	/* those that it may have worked beside */
	_Atomic uint64_t finished;	/* submissions of batches that are done, */
	_Atomic uint64_t finished_at;	/* and about when the last one was */
	_Atomic uint64_t awaited;	/* nanoseconds in which it had a whole batch to do, or nothing was submitted */
	uint8_t uuid[16];

	uint32_t index;			/* in the file; LEASE_NO_INDEX: not there yet */
	uint32_t unplaced;		/* how often it was looked for in vain */
	uint32_t state;			/* enum lease_state */
	uint32_t generation;		/* of the lease that this process has */
	bool draining;
	bool guest;			/* may submit while another one has the lease */
	bool gave;			/* it had the lease, and wanted nothing for a while */
	bool company;			/* the device has work of another one as well */
	uint64_t before;		/* of returned, when others came */
	uint64_t seen;			/* of entered */
	uint64_t active;		/* when that was another one last */
	uint64_t charged;		/* of worked */
	uint64_t looked, last_busy;	/* when the helper did, and the device worked last */
	uint64_t start_tag;		/* of the slice */
	uint64_t cold_until;		/* threads that waited for long may be slower until then */
	uint64_t slice_end;
	uint64_t drain_end;
	uint64_t wanted;		/* when others were last seen to want it */
	uint64_t wants_since, idle_since;
	struct lease_cap cap;
	struct lease_report report;
	uint64_t carry;			/* of the tag, what was too little for a unit */
	struct lease_price price;
} __attribute__((aligned(64)));

#define LEASE_NO_INDEX UINT32_MAX

struct lease_options {
	const char *directory, *group;
	uint32_t weight;
	uint32_t cap;			/* in ACCOUNT_ALL parts; 0: none */
	bool on;			/* share or time is given, and it is no dry run */
};

extern struct lease_options lease_options;
extern struct lease leases[LEASE_ORDINALS];

/* Context: setup. Why nothing can be shared here, NULL if it can. */
const char *lease_obstacle(void);

/* Context: setup. Opens what is shared, adds the hooks. 0, or -errno after a message. */
int lease_begin(void);
int lease_add_hooks(const struct cuaudit_module *owner);

/* Context: call. A thread ends, of the module's block for threads. */
void lease_thread_exit(void *block);

/* Context: call. The device has work from now on; if all is done, not any more. */
void lease_busy(struct lease *lease);
void lease_settle(struct lease *lease);

/* Context: call. A submission is about to begin: the same after a while without any, about when it was. */
void lease_begins(struct lease *lease);

/*
 * Context: call, where malloc may be called: starts the helper. A context is made where the driver
 * allocates as well; a first submission may be that of a signal's handler.
 */
void lease_start(void);

/* Context: call. From now on the helper, started here where it is not yet, looks after a device. */
void lease_use(uint32_t ordinal);

/* Context: call. Returns when this process may submit to the device. */
void lease_wait(struct lease *lease);

/* Context: call. Whether threads may submit. */
void lease_set_open(struct lease *lease, bool open);

/* Context: call. The share is not held any more; why: see gap_report. */
void lease_lose(const char *what, const char *why);
extern _Atomic bool lease_lost;

/* A device that has no lease, as its number is too high, was given work. */
extern _Atomic bool lease_beyond;

/* Context: setup, after lease_finish. False for a device that was not used. */
bool lease_report(uint32_t ordinal, struct lease_report *report);

/* Context: setup. Whether a device was used. */
bool lease_finish(void);

/* Context: call, in the child of fork. */
void lease_forked(void);

/* Of `entered`, how many the driver has taken. Context: call. */
static inline uint64_t lease_returned(const struct lease *lease)
{
	return atomic_load(&lease->returned) + __atomic_load_n(&lease->returned_first, __ATOMIC_ACQUIRE);
}

/*
 * Context: call. One more. Most programs submit in one thread: by an instruction that a handler's is before or behind,
 * and without a lock, which waits until what the driver wrote has reached the device.
 */
static inline void lease_return(struct lease *lease)
{
#if defined(__x86_64__)
	if (lease->first == pthread_self()) {
		__asm__ volatile("addq $1, %0" : "+m"(lease->returned_first) : : "memory");
		return;
	}
#endif
	atomic_fetch_add(&lease->returned, 1);
}

/* CLOCK_MONOTONIC in nanoseconds. Context: call. */
static inline uint64_t lease_now(void)
{
	struct timespec time = { .tv_sec = 0 };

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

#endif
