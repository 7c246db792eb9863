/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers in the text of a rule. */
#include "hooks/modules/fault/fault_number.h"

#include <errno.h>
#include <string.h>

#include "util/size.h"

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The value of a digit, or base where it is none. */
static uint64_t digit(char c, uint64_t base)
{
	uint64_t value = base;

	if (is_digit(c))
		value = (uint64_t)(c - '0');
	else if (c >= 'a' && c <= 'f')
		value = (uint64_t)(c - 'a') + 10;
	else if (c >= 'A' && c <= 'F')
		value = (uint64_t)(c - 'A') + 10;
	return value < base ? value : base;
}

/* No sign and no white space; strtoull has another name in each libc, see old_libc.h. */
int fault_number_begin(const char **text, uint64_t *value)
{
	uint64_t base = (*text)[0] == '0' && (*text)[1] == 'x' ? 16 : 10;
	const char *at = *text + (base == 16 ? 2 : 0);

	if (digit(*at, base) == base)
		return -EINVAL;
	for (*value = 0; digit(*at, base) < base; at++)
		if (__builtin_mul_overflow(*value, base, value) ||
		    __builtin_add_overflow(*value, digit(*at, base), value))
			return -EINVAL;
	*text = at;
	return 0;
}

int fault_number(const char *text, uint64_t *value)
{
	return fault_number_begin(&text, value) || *text ? -EINVAL : 0;
}

int fault_number_size(const char *text, uint64_t *value)
{
	return size_parse(text, value) || !fault_number(text, value) ? 0 : -EINVAL;
}

int fault_number_time(const char *text, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }
	};
	const uint64_t year = (uint64_t)366 * 24 * 3600 * 1000000000;

	if (!strncmp(text, "0x", 2) || fault_number_begin(&text, ns))
		return -EINVAL;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(text, units[i].name))
			return __builtin_mul_overflow(*ns, units[i].ns, ns) || *ns > year ? -EINVAL
											  : 0;
	return -EINVAL;
}

int fault_number_chance(const char *text, uint64_t *chance)
{
	double value = 0, scale = 1;
	int digits = 0, point = 0;

	for (; *text; text++) {
		if (*text == '.' && !point++)
			continue;
		if (!is_digit(*text) || ++digits > 18)
			return -EINVAL;
		value = value * 10 + (*text - '0');
		scale *= point ? 10 : 1;
	}
	value /= scale;
	if (!digits || value > 1)
		return -EINVAL;
	*chance = (uint64_t)(value * (double)FAULT_CERTAIN);
	return *chance ? 0 : -EINVAL;
}
