/* SPDX-License-Identifier: Apache-2.0 */
/* Judges the CUAUDIT_ variables, and says what is wrong with them. */
#include "hooks/settings.h"

#include <cuaudit/hook.h>
#include <string.h>

#include "hooks/core.h"
#include "hooks/known.h"
#include "names/nearest.h"
#include "names/selector.h"
#include "names/template.h"

#define PREFIX "CUAUDIT_"

static const struct {
	const char *name;
	const char *fallback;
	const char *values;
} variables[] = {
#define VARIABLE(name, field, kind, fallback, values, summary) { PREFIX #name, fallback, values },
#include <cuaudit/variables.def>
#undef VARIABLE
};

static void say_unknown(const char *entry)
{
	static const char *const names[] = {
#define VARIABLE(name, field, kind, fallback, values, summary) PREFIX #name,
#include <cuaudit/variables.def>
#undef VARIABLE
		NULL
	};
	size_t length = strcspn(entry, "=");
	const char *near = nearest(entry, length, names);

	if (near)
		cuaudit_log(CUAUDIT_WARN, "%.*s is no variable of cuaudit; did you mean %s?",
			    (int)length, entry, near);
	else
		cuaudit_log(CUAUDIT_WARN, "%.*s is no variable of cuaudit; see libcuaudit(7)",
			    (int)length, entry);
}

static void check_functions(struct link_environment *environment)
{
	char near[SELECTOR_NEAR];
	size_t length;
	const char *fault = selector_fault(environment->functions, &length);
	const char *what = "is no selector";

	if (!fault) {
		fault = selector_stranger(environment->functions, &length, known_function);
		what = "names no function";
	}
	if (!fault)
		return;
	selector_near(fault, length, near, known_function);
	cuaudit_log(CUAUDIT_WARN, PREFIX "FUNCTIONS: '%.*s' %s%s; all functions are hooked",
		    (int)length, fault, what, near);
	environment->functions = "";
}

static void check_output(struct link_environment *environment)
{
	const char *fault = template_fault(environment->output);

	if (!fault)
		return;
	cuaudit_log(CUAUDIT_WARN, PREFIX "OUTPUT: '%.2s' is none of %%p %%h %%e %%r %%t %%%%; "
		    "the output goes to stderr", fault);
	environment->output = "";
}

void settings_check(void)
{
	struct link_environment *environment = &cuaudit_core_link->environment;

	for (uint32_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		if (environment->refused & 1u << i)
			cuaudit_log(CUAUDIT_WARN, "%s takes %s; it is %s now", variables[i].name,
				    variables[i].values, variables[i].fallback);
	for (uint32_t i = 0; i < environment->nunknown && i < LINK_UNKNOWN; i++)
		say_unknown(environment->unknown[i]);
	if (environment->nunknown > LINK_UNKNOWN)
		cuaudit_log(CUAUDIT_WARN, "and %u more unknown variables",
			    environment->nunknown - LINK_UNKNOWN);
	check_functions(environment);
	check_output(environment);
}
