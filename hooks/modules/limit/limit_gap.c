/* SPDX-License-Identifier: Apache-2.0 */
/* What the limit hook could not count, and what on-error says is done then. */
#include "hooks/modules/limit/limit_gap.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cuaudit/hook.h>

#include "hooks/modules/limit/limit.h"

enum { STATUS = 85 };

static _Atomic uint64_t counts[GAPS];

static const struct {
	const char *key, *text;
} gaps[GAPS] = {
	[GAP_FILE] = { "file", "the limit of the user was not held: the shared file" },
	[GAP_MEMORY] = { "memory", "allocations are not counted: no memory to remember them by" },
	[GAP_POOLS] = { "pools", "what pools keep is not counted: more than 255 pools" },
	[GAP_DRIVER] = { "driver", "allocations are not counted: the driver does not tell of them, "
			 "or their device is not among the first 64" },
	[GAP_OWN] = { "own", "memory of contexts and code is not counted:" },
	[GAP_LEASE] = { "share", "the share of the device's time was not held:" },
};

uint64_t gap_count(enum gap gap)
{
	return counts[gap];
}

const char *gap_text(enum gap gap)
{
	return gaps[gap].text;
}

const char *gap_key(enum gap gap)
{
	return gaps[gap].key;
}

void gap_note(enum gap gap)
{
	atomic_fetch_add_explicit(&counts[gap], 1, memory_order_relaxed);
}

/* At once: this may be a driver call under any lock. */
void gap_end(void)
{
	for (;;)
		syscall(SYS_exit_group, STATUS);
}

void gap_report(enum gap gap, const char *what, const char *why)
{
	uint64_t before = atomic_fetch_add_explicit(&counts[gap], 1, memory_order_relaxed);
	bool unasked = gap == GAP_OWN && !limit_options.all_given;
	bool ends = limit_options.exits && !unasked;

	if (!before || ends)
		cuaudit_log(ends ? CUAUDIT_ERROR : CUAUDIT_WARN, "limit: %s%s%s%s%s%s",
			    gaps[gap].text, what ? " " : "", what ? what : "", what ? ": " : "",
			    what ? why : "",
			    ends ? "; the process ends, on-error=run would let it go on" :
			    unasked ? "; count=allocations leaves it out without this line" : "");
	if (ends)
		gap_end();
}

/* What was not to be had once is not looked for again, in a child neither. */
static bool lasts(int gap)
{
	return gap == GAP_LEASE || (gap == GAP_FILE && !limit_options.shared) ||
	       (gap == GAP_OWN && !limit_options.all);
}

void gap_forked(void)
{
	for (int i = 0; i < GAPS; i++)
		counts[i] = counts[i] && lasts(i);
}
