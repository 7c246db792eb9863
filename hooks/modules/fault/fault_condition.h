/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions on the arguments of calls, "bytesize>1M". */
#ifndef MODULES_FAULT_CONDITION_H
#define MODULES_FAULT_CONDITION_H

#include <cuaudit/api.h>
#include <cuaudit/call.h>
#include <stdbool.h>

enum {
	FAULT_ROWS = 0
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) + 1
#include <cuaudit/driver_api.def>
#undef CUAPI
};

enum fault_relation {
	FAULT_EQUAL,
	FAULT_NOT_EQUAL,
	FAULT_LESS,
	FAULT_AT_MOST,
	FAULT_MORE,
	FAULT_AT_LEAST,
	FAULT_BITS	/* one of them is set */
};

/* What a rule asks of a parameter that each function it takes has. */
struct fault_condition {
	enum fault_relation relation;
	bool negative;		/* -1 is every bit of an unsigned parameter */
	uint64_t value;
	struct {
		uint8_t word;
		uint8_t kind;	/* of the parameter; 0: the rule does not take the row */
	} places[FAULT_ROWS];
};

/*
 * Context: setup. Reads text, which it changes, for the functions a selector
 * takes. 0, or -EINVAL after a message.
 */
int fault_condition_read(struct fault_condition *condition, char *text, const char *selector);

/* Context: call. Never of a function newer than the table. */
bool fault_condition_holds(const struct fault_condition *condition,
			   const struct cuaudit_call *call);

#endif
