/* SPDX-License-Identifier: Apache-2.0 */
/* Judges the CUAUDIT_ variables that the auditor cannot, and has it report the others. */
#include "hooks/settings.h"

#include <cuaudit/hook.h>
#include <string.h>

#include "hooks/core_link.h"
#include "hooks/domain.h"
#include "hooks/name_iterator.h"
#include "hooks/strict.h"
#include "util/selector.h"

#define PREFIX "CUAUDIT_"

static void check_functions(struct link_environment *environment)
{
	char near[SELECTOR_NEAR];
	size_t length;
	const char *fault = selector_fault(environment->functions, &length);
	const char *what = "is no selector";

	if (!fault) {
		fault = selector_unknown_name(environment->functions, &length, name_iterator_get);
		what = fault ? name_iterator_fault(fault, length) : what;
	}
	if (!fault)
		return;
	selector_near(fault, length, near, name_iterator_get);
	strict_fault(false, "; all functions are hooked", PREFIX "FUNCTIONS: '%.*s' %s%s",
		     (int)length, fault, what, near);
	environment->functions = "";
}

/* The driver of a trial that CUAUDIT_DRIVER names has been loaded before. */
static void check_driver(const struct link_environment *environment)
{
	if (strict_checks() && environment->driver[0] && strcmp(environment->driver, "sim") &&
	    !atomic_load_explicit(&cuaudit_core_link->ndrivers, memory_order_acquire))
		strict_fault(false, "", PREFIX "DRIVER: %s is no CUDA driver; it takes sim or the "
			     "path of one", environment->driver);
}

/* Which calls of the C library's functions are seen, or that none is. */
static void check_libc(const struct link_environment *environment)
{
	const struct link_table *link = cuaudit_core_link;
	bool on = domain_is_on(DOMAIN_LIBC);

	if (*environment->libc && !on)
		strict_fault(false, "; no such call is hooked", PREFIX "LIBC: " PREFIX "DOMAINS does not have "
			     "libc; set it to driver,libc");
	else if (*environment->libc && !link->libc_driver)
		strict_fault(false, "; no such call is hooked", PREFIX "LIBC: this loader does not report "
			     "bindings of the C library; it needs glibc 2.35 or newer, and no other auditor");
	else if (on && !*environment->libc && !link->libc_dbgmem)
		strict_fault(false, "; none is hooked", PREFIX "DOMAINS: libc is for calls of libraries that " PREFIX
			     "LIBC names; set it, to (main) for the executable");
}

void settings_check(void)
{
	struct link_environment *environment = &cuaudit_core_link->environment;

	cuaudit_core_link->report_environment();
	check_driver(environment);
	check_libc(environment);
	check_functions(environment);
}
