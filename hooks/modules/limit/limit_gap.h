/* SPDX-License-Identifier: Apache-2.0 */
/* What the limit hook could not count, and what on-error says is done then. */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_GAP_H
#define HOOKS_MODULES_LIMIT_LIMIT_GAP_H

#include <stdbool.h>
#include <stdint.h>

enum gap {
	GAP_FILE,	/* the shared file does not tell what others hold */
	GAP_MEMORY,	/* no memory to remember an allocation by, so that it goes uncounted */
	GAP_POOLS,	/* too many memory pools */
	GAP_DRIVER,	/* the driver did not tell whose, or how large; or of too high a device */
	GAP_OWN,	/* what the driver takes beside allocations is not known */
	GAP_LEASE,	/* who may submit work to a device is not known */
	GAPS
};

/*
 * Context: call. Memory is, or would be, taken that nobody counts. With
 * on-error=exit, unless nothing is limited, the process ends here, but not for
 * GAP_OWN where count=all is not given. what, why: more of it, both or neither;
 * it is reported once.
 */
void gap_report(enum gap gap, const char *what, const char *why);

/* Context: setup. The same, of a process that goes on and has said why. */
void gap_note(enum gap gap);

/* Context: call. Ends the process with the status of a policy that cannot be held. */
_Noreturn void gap_end(void);

/* How often, and in the report's words. */
uint64_t gap_count(enum gap gap);
const char *gap_text(enum gap gap);
const char *gap_key(enum gap gap);

/* In the child of fork. */
void gap_forked(void);

#endif
