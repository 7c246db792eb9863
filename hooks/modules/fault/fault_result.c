/* SPDX-License-Identifier: Apache-2.0 */
/* Results of the driver by name. */
#include "hooks/modules/fault/fault_result.h"

#include <cuaudit/hook.h>
#include <cuaudit/params.h>
#include <string.h>
#include <strings.h>

#include "hooks/modules/fault/fault_number.h"

enum { RESULTS = 1000 }; /* the table's are below */

int32_t fault_result_find(const char *text)
{
	uint64_t number;

	if (!fault_number(text, &number))
		return number <= INT32_MAX ? (int32_t)number : -1;
	for (int32_t i = 0; i < RESULTS; i++) {
		const char *name = cuaudit_result_name(i);

		if (name && !strcmp(name, text))
			return i;
	}
	return -1;
}

const char *fault_result_near(const char *name)
{
	static const char prefix[] = "CUDA_ERROR_";
	const size_t skip = strncasecmp(name, prefix, 5) ? sizeof(prefix) - 1 : 0;
	const char *names[RESULTS + 1], *text;
	uint32_t count = 0;

	for (int32_t i = 0; i < RESULTS; i++) {
		text = cuaudit_result_name(i);
		if (text && !strncmp(text, prefix, skip))
			names[count++] = text + skip;
	}
	names[count] = NULL;
	text = cuaudit_nearest(name, names);
	return text ? text - skip : NULL;
}
