/* SPDX-License-Identifier: Apache-2.0 */
/* What the leak hook reports. Context: setup. */
#ifndef HOOKS_MODULES_LEAK_LEAK_PRINT_H
#define HOOKS_MODULES_LEAK_LEAK_PRINT_H

#include "hooks/modules/leak/leak_object.h"
#include "util/arena.h"

/* What was left, of one kind and from one call site. */
struct leak_left {
	struct leak_site site;
	uint64_t count;
	uint64_t bytes;
	uint64_t unsized;	/* of how many nobody knows how large */
	uint8_t kind;
	uint8_t primary;	/* of a primary context, which nobody destroys */
};

struct leak_report {
	struct arena memory;
	struct leak_left *left;		/* by library, bytes, call site */
	size_t nleft;
	uint64_t objects;		/* of these */
	uint64_t bytes;			/* of these, of memory */
	uint64_t unsized;
	uint64_t nleaks;		/* without primary contexts, which few programs release */
	uint64_t nfaults;
	uint64_t suppressed_left, suppressed_faults;
};

/* 0 or -ENOMEM; to be given to leak_report_free in either case. */
int leak_report_make(struct leak_report *report);
int leak_report_write(const struct leak_report *report, int json);
void leak_report_free(struct leak_report *report);

#endif
