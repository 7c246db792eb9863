/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers, results and signals as rules have them. */
#include "hooks/modules/rules/rules_number.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "hooks/modules/fault/fault_number.h"
#include "hooks/modules/fault/fault_result.h"
#include "util/size.h"

bool rules_count(const char *text, uint64_t *number)
{
	return !fault_number(text, number);
}

bool rules_size(const char *text, uint64_t *bytes)
{
	return size_parse(text, bytes);
}

bool rules_time(const char *text, uint64_t *ns)
{
	return !fault_number_time(text, ns);
}

bool rules_ordinal(const char *text, uint64_t *number)
{
	static const char *const ends[] = { "st", "nd", "rd", "th" };
	char digits[24];
	size_t length = strspn(text, "0123456789");

	if (!length || length >= sizeof(digits))
		return false;
	memcpy(digits, text, length);
	digits[length] = '\0';
	for (int i = 0; i < 4; i++)
		if (!strcmp(text + length, ends[i]))
			return rules_count(digits, number) && *number;
	return false;
}

bool rules_version(const char *text, uint32_t *version)
{
	uint64_t major, minor;

	if (fault_number_begin(&text, &major) || *text++ != '.' ||
	    fault_number_begin(&text, &minor) || *text || major > 9999 || minor > 99)
		return false;
	*version = (uint32_t)(major * 1000 + minor * 10);
	return true;
}

int32_t rules_result(const char *text)
{
	char name[96];
	int32_t result;

	if (!strcmp(text, "*"))
		return RULES_ANY_RESULT;
	result = fault_result_find(text);
	if (result < 0) {
		snprintf(name, sizeof(name), "CUDA_ERROR_%s", text);
		result = fault_result_find(name);
	}
	return result < 0 ? RULES_NO_RESULT : result;
}

int rules_signal(const char *text)
{
	if (!strncmp(text, "SIG", 3))
		text += 3;
	return !strcmp(text, "USR1") ? SIGUSR1 : !strcmp(text, "USR2") ? SIGUSR2 : 0;
}
