/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what the coverage hook has gathered. Context: setup. */
#ifndef HOOKS_MODULES_COVERAGE_COVERAGE_PRINT_H
#define HOOKS_MODULES_COVERAGE_COVERAGE_PRINT_H

#include <cuaudit/coverage.h>

#include "util/out.h"

struct coverage {
	struct cuaudit_binding *bindings;	/* by driver, function, library, route */
	size_t count;
	const uint8_t *called;			/* by slot */
};

void coverage_text(const struct coverage *coverage, struct out *out);
void coverage_json(const struct coverage *coverage, struct out *out);

#endif
