/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the variables that are set as they were understood, for CUAUDIT_STRICT=check. */
#include "hooks/settings_list.h"

#include <cuaudit/hook.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hooks/core_link.h"
#include "hooks/layout.h"
#include "hooks/provider_types.h"
#include "hooks/strict.h"

enum { TEXT = PATH_MAX };

static const struct {
	const char *name, *summary;
	size_t field;
} rows[VARIABLES] = {
#define VARIABLE(name, field, kind, fallback, values, summary) \
	{ "CUAUDIT_" #name, summary, offsetof(struct link_environment, field) },
#include <cuaudit/variables.def>
#undef VARIABLE
};

/* How many functions a selector takes. */
static const char *functions_text(const char *selector, char text[TEXT])
{
	uint8_t *taken = calloc(layout_count, sizeof(*taken));
	int count = taken ? cuaudit_selector_rows(selector, taken, layout_count) : -1;

	free(taken);
	if (count >= 0)
		snprintf(text, TEXT, ": %d of the %u that are known", count, layout_count);
	return text;
}

/* The path of this process; that of the program differs in %p, and perhaps in others. */
static const char *output_text(char text[TEXT])
{
	if (!cuaudit_output_path("", text + 2, TEXT - 2))
		memcpy(text, ": ", 2);
	return text;
}

/* How many functions files of types have. */
static const char *types_text(char text[TEXT])
{
	snprintf(text, TEXT, ": %u functions", provider_types_total());
	return text;
}

static const char *more(enum variable variable, const char *value, char text[TEXT])
{
	*text = '\0';
	return variable == VARIABLE_FUNCTIONS ? functions_text(value, text) :
	       variable == VARIABLE_OUTPUT ? output_text(text) :
	       variable == VARIABLE_TYPES ? types_text(text) : text;
}

void settings_list(void)
{
	const struct link_environment *environment = &cuaudit_core_link->environment;

	char text[TEXT];

	for (int i = 0; i < VARIABLES; i++) {
		const char *value = *(const char *const *)((const char *)environment + rows[i].field);

		/* One is check itself, the other is listed by module. */
		if (environment->given & 1u << i && i != VARIABLE_STRICT && i != VARIABLE_HOOKS)
			strict_list("%s=%s: %s%s", rows[i].name, value, rows[i].summary,
				    more(i, value, text));
	}
}
