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

/* The end of its ordinal, one of "stndrdth": 1st, 11th, 21st, 111th. */
static const char *ordinal_end(uint64_t number)
{
	uint64_t last = number / 10 % 10 == 1 ? 0 : number % 10;

	return &"stndrdth"[2 * (last >= 1 && last <= 3 ? last - 1 : 3)];
}

bool rules_ordinal(const char *text, uint64_t *number, char right[RULES_ORDINAL])
{
	size_t length = strspn(text, "0123456789");
	const char *end = text + length;

	*right = '\0';
	if (!length || length > RULES_ORDINAL - sizeof("th"))
		return false;
	if (*end && strcmp(end, "st") && strcmp(end, "nd") && strcmp(end, "rd") && strcmp(end, "th"))
		return false;
	memcpy(right, text, length);
	right[length] = '\0';
	if (!rules_count(right, number) || !*number) {
		*right = '\0';
		return false;
	}
	strncat(right, ordinal_end(*number), 2);
	return !strcmp(right, text);
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
