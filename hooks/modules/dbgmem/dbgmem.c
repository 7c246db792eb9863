/* SPDX-License-Identifier: Apache-2.0 */
/* The dbgmem hook: memory functions of chosen libraries look before they copy. */
#include <errno.h>
#include <string.h>

#include <cuaudit/coverage.h>
#include <cuaudit/hook.h>

#include "hooks/fast_path.h"
#include "hooks/modules/dbgmem/dbgmem.h"
#include "hooks/modules/leak/leak_object.h"
#include "hooks/modules/leak/leak_python.h"

static const struct cuaudit_option options[] = {
	{ "libraries", NULL, "GLOBS", "libraries whose calls are checked, with colons between; (main): the executable" },
	{ "action", "abort", "abort|report", "what follows a finding" },
	{ "format", "text", "text|json", "json: findings as objects in a file, too" },
	{ NULL, NULL, NULL, NULL }
};

static const char *libraries;
static bool json;

/* The auditor reads the libraries by itself, before there is a core. */
static int check(const struct cuaudit_options *given)
{
	libraries = cuaudit_option_get(given, "libraries");
	dbgmem_report_setup(!strcmp(cuaudit_option_get(given, "action"), "abort"));
	json = !strcmp(cuaudit_option_get(given, "format"), "json");
	if (json && !dbgmem_json_possible()) {
		cuaudit_log(CUAUDIT_ERROR, "dbgmem: format=json is for a file of its own; set CUAUDIT_OUTPUT");
		return -ECANCELED;
	}
	if (!libraries || !*libraries) {
		cuaudit_log(CUAUDIT_ERROR, "dbgmem: libraries=GLOB[:GLOB...] is missing; (main) is the "
			    "executable");
		return -ECANCELED;
	}
	if (cuaudit_libraries_check("dbgmem: libraries", libraries))
		return -ECANCELED;
	if (!*libc_function_libraries()) {
		cuaudit_log(CUAUDIT_ERROR, "dbgmem: CUAUDIT_DOMAINS does not have libc; set it to "
			    "driver,libc");
		return -ECANCELED;
	}
	if (strcmp(libraries, libc_function_libraries()) != 0) {
		cuaudit_log(CUAUDIT_ERROR, "dbgmem: is given with libraries=%s and with libraries=%s; "
			    "give it once, with colons between", libraries, libc_function_libraries());
		return -ECANCELED;
	}
	return 0;
}

/* The libraries are asked for at each call where others are seen as well. */
static int add_hook(void)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "dbgmem", .functions = "libc.so.6:*", .enter = dbgmem_enter,
		.include = libc_function_others_see() ? libraries : NULL,
		.flags = CUAUDIT_HOOK_OBSERVES | CUAUDIT_HOOK_PROVIDERS,
	};

	return hook_add_fast_path(&hook, dbgmem_function);
}

static int init(const struct cuaudit_options *given)
{
	int error;

	(void)given;
	if (!libc_function_reported()) {
		cuaudit_log(CUAUDIT_ERROR, "dbgmem: this loader does not report bindings of the C "
			    "library; it needs glibc 2.35 or newer, and no other auditor");
		return -ECANCELED;
	}
	if (json)
		dbgmem_json_setup();
	dbgmem_look_setup();
	libc_function_thread(false);
	leak_python_want();
	error = leak_track();
	return error ? error : add_hook();
}

static void finish(void)
{
	dbgmem_report_finish();
	dbgmem_json_finish();
	if (dbgmem_entered() && cuaudit_unhooked_calls())
		cuaudit_log(CUAUDIT_WARN, "dbgmem: %llu calls were not seen, and those of memory functions "
			    "among them not checked: made while a hook ran", (unsigned long long)cuaudit_unhooked_calls());
	if (libc_function_missed())
		cuaudit_log(CUAUDIT_WARN, "dbgmem: nothing was checked: no library that '%s' names has "
			    "bound a memory function of the C library", libraries);
}

static void forked(void)
{
	dbgmem_report_forked();
	if (json)
		dbgmem_json_forked();
	leak_track_forked();
}

const struct cuaudit_module dbgmem_module = {
	.size = sizeof(dbgmem_module), .abi = CUAUDIT_ABI, .name = "dbgmem",
	.summary = "looks at memory before chosen libraries copy it",
	.options = options, .check = check, .init = init, .finish = finish, .forked = forked,
	.enforces = "",
};
