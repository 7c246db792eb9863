/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the limit hook share. */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_H
#define HOOKS_MODULES_LIMIT_LIMIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <cuaudit/coverage.h>
#include <cuaudit/hook.h>

#include "hooks/modules/limit/limit_account.h"

/* What a function has to do with memory; its parameters are those of its kind. */
enum limit_kind {
	LIMIT_NONE,
	LIMIT_INFO,
	LIMIT_POOL_CREATE,
	LIMIT_TOTAL,
	LIMIT_FIRST_TO_GIVE,
	LIMIT_ARRAY_FREE = LIMIT_FIRST_TO_GIVE,
	LIMIT_ATTACH,
	LIMIT_CLOSE,
	LIMIT_CONTEXT_DESTROY,
	LIMIT_DETACH,
	LIMIT_FREE,
	LIMIT_GRAPH_FREE,
	LIMIT_GRAPH_TRIM,
	LIMIT_MIPMAP_FREE,
	LIMIT_POOL_DESTROY,
	LIMIT_POOL_TRIM,
	LIMIT_PRIMARY_RELEASE,
	LIMIT_PRIMARY_RESET,
	LIMIT_RELEASE,
	LIMIT_UNMAP,
	LIMIT_FIRST_TO_TAKE,
	LIMIT_ARRAY = LIMIT_FIRST_TO_TAKE,
	LIMIT_ARRAY3D,
	LIMIT_ASYNC,
	LIMIT_CREATE,
	LIMIT_FROM_POOL,
	LIMIT_GRAPH_USE,
	LIMIT_IMPORT,
	LIMIT_INSTANTIATE,
	LIMIT_LINEAR,
	LIMIT_MAP,
	LIMIT_MIPMAP,
	LIMIT_OPEN,
	LIMIT_PITCH,
	LIMIT_RETAIN
};

/* What the module was started with. */
struct limit_options {
	bool dry_run;
	bool exits;		/* on-error=exit, and there is a limit that is enforced */
	bool json;
	bool all_given;		/* count=all, which on-error holds to */
	_Atomic bool all;	/* what the driver takes beside allocations counts, too, as far as is known */
	bool shared;
	int32_t denial;		/* the result of denied calls */
};

extern struct limit_options limit_options;

/* Calls denied, by slot. */
extern _Atomic uint32_t limit_denied[CUAUDIT_SLOTS_MAX];

/* Calls whose memory is counted for ever, for want of memory to remember it by. */
extern _Atomic uint64_t limit_lost;

/* limit_settle.c, context call: what the options mean on the devices there are. */
void limit_settle(void);

/* limit_options.c, context setup: reads all but deny into place. 0, or -errno after a message. */
extern const struct cuaudit_option limit_option_table[];
int limit_read(const struct cuaudit_options *given);

/* The same: opens what is shared, tells the driver what is visible. 0, or -errno after a message. */
int limit_begin(const struct cuaudit_options *given);

/* limit_options.c: cuts "selector:error=NAME"; the selector, or NULL after a message. */
const char *limit_read_denial(const char *text);

/* limit_print.c, context setup. */
void limit_print(void);

#endif
