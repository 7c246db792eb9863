/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the runtime, as it reports them to tools. Context: call. */
#ifndef HOOKS_RUNTIME_CALL_H
#define HOOKS_RUNTIME_CALL_H

#include <stdint.h>

/* What a runtime reports a call by, as it was measured; see docs/DECISIONS.md. */
struct runtime_report {
	uint32_t size;		/* RUNTIME_REPORT_SIZE; what is beside it is not set before 12.9 */
	uint32_t unset;
	uint64_t unknown[3];
	uint64_t *correlation;	/* a word of the tool's own */
	const int32_t *status;	/* at the exit; or the status itself */
	const char *name;
	const void *params;
	void *context;
	uint64_t unknown_too;
	uint32_t callback, site;
	uint64_t rest[4];
};

enum { RUNTIME_REPORT_SIZE = 0x78, RUNTIME_ENTER = 0, RUNTIME_EXIT = 1 };

_Static_assert(sizeof(struct runtime_report) == RUNTIME_REPORT_SIZE, "size");

struct runtime_row;

/* A call of the row's function begins. back: where the report returns to. 0, the answer of a report. */
uint64_t runtime_call_enter(const struct runtime_row *row, const struct runtime_report *report,
			    const void *back);

/* The call that was reported by the same structure ends, if it was seen to begin. 0, likewise. */
uint64_t runtime_call_exit(const struct runtime_report *report);

#endif
