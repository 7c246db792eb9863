/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Has the auditor and its core judge the settings before a program is started
 * with them: in a process of its own, with CUAUDIT_STRICT=check, so that what
 * the program would be told is found by the very same code.
 */
#include "tools/trial.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/auditor.h"
#include "tools/child.h"
#include "tools/tls.h"
#include "tools/tool.h"
#include "util/check_mark.h"

enum { STRICT_STATUS = 85 };

struct settings {
	const char *auditor;
	bool driver;	/* is loaded too: it may have functions that the table lacks */
};

int trial(const char *functions, const char *core)
{
	const char *driver = getenv("CUAUDIT_DRIVER");
	bool named = driver && *driver && strcmp(driver, "sim") != 0;

	if ((named || !strcmp(functions, "driver")) &&
	    !dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) && named) {
		tool_complain("CUAUDIT_DRIVER: %s", dlerror());
		return STRICT_STATUS;
	}
	if (dlopen(core, RTLD_NOW | RTLD_LOCAL))
		tool_complain("the loader does not take the auditor; see cuaudit doctor");
	else
		tool_complain("cannot load %s: %s; install cuaudit again", core, dlerror());
	return STRICT_STATUS;
}

static void prepare(const void *data)
{
	const struct settings *settings = data;
	const char *strict = getenv("CUAUDIT_STRICT");

	auditor_first(settings->auditor);
	if (!auditor_tls_given())
		auditor_tls_set(TLS_LEAST);
	/* Another value is judged, too. */
	if (!strict || !strcmp(strict, "1") || !strcmp(strict, "0"))
		setenv("CUAUDIT_STRICT", "check", 1);
}

static void print_lines(char *text)
{
	static const char own[] = "cuaudit: ";
	char *rest = NULL;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (!strncmp(line, own, sizeof(own) - 1))
			tool_complain("%s", line + sizeof(own) - 1);
}

/* 1 if all is understood, 0 if not, -errno. */
static int judge(const struct settings *settings, struct child *child)
{
	char *argv[] = { (char *)child_self(), (char *)CHECK_TRIAL_WORD,
			 (char *)(settings->driver ? "driver" : "table"),
			 (char *)auditor_beside(settings->auditor, "cuaudit-core.so"), NULL };
	int error = child_run(child, argv, prepare, settings);

	if (error)
		return error;
	/* A constructor of a plug-in may end it with any status. */
	return WIFEXITED(child->status) && !WEXITSTATUS(child->status) &&
	       strstr(child->err, "cuaudit: " TRIAL_LINE TRIAL_END);
}

int trial_list(const char *auditor, struct child *child)
{
	struct settings settings = { auditor, false };
	int passes = judge(&settings, child);

	if (passes || !WIFEXITED(child->status))
		return passes;
	/* Selectors may name what is in the driver and not in the table. */
	child_free(child);
	settings.driver = true;
	return judge(&settings, child);
}

static void complain(struct child *child)
{
	print_lines(child->err);
	if (WIFSIGNALED(child->status) && WTERMSIG(child->status) == SIGALRM)
		tool_complain("the settings cannot be judged: a trial of them took more than %d "
			      "seconds; look at LD_AUDIT, LD_PRELOAD and plug-ins", CHILD_SECONDS);
	else if (!strstr(child->err, "cuaudit: "))
		tool_complain("the settings cannot be judged: a trial of them ended by %s %d; look at "
			      "LD_AUDIT, LD_PRELOAD and plug-ins",
			      WIFSIGNALED(child->status) ? "signal" : "status",
			      WIFSIGNALED(child->status) ? WTERMSIG(child->status) :
			      WEXITSTATUS(child->status));
}

bool trial_passes(const char *auditor)
{
	const char *strict = getenv("CUAUDIT_STRICT");
	struct child child;
	int passes;

	if (strict && !strcmp(strict, "0"))
		return true;
	passes = trial_list(auditor, &child);
	if (passes < 0)
		tool_complain("the settings cannot be judged, no process can be started: %s",
			      strerror(-passes));
	else if (!passes)
		complain(&child);
	child_free(&child);
	return passes > 0;
}
