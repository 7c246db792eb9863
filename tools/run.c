/* SPDX-License-Identifier: Apache-2.0 */
/* cuaudit run and cuaudit stat: start a program with the auditor, and become it. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "names/selector.h"
#include "names/template.h"
#include "tools/auditor.h"
#include "tools/options.h"
#include "tools/program.h"
#include "tools/tls.h"
#include "tools/tool.h"

/* What becomes of the environment; NULL: stays as it is. */
struct settings {
	char *driver, *exclude, *functions, *hooks, *include, *output;
	const char *format, *interval;
	bool force;
};

/* Strings live until the program is another. */
static char *joined(const char *before, const char *between, const char *after)
{
	char *text;

	if (asprintf(&text, "%s%s%s", before ? before : "", before ? between : "", after) < 0)
		abort();
	return text;
}

/* Where the name means the same from any folder. A name's folder is made a template if asked. */
static char *absolute(const char *name, bool as_template)
{
	char folder[PATH_MAX], escaped[2 * PATH_MAX];
	size_t used = 0;

	if (*name == '/' || !getcwd(folder, sizeof(folder)))
		return joined(NULL, "", name);
	for (const char *at = folder; *at; at++) {
		escaped[used++] = *at;
		if (as_template && *at == '%')
			escaped[used++] = '%';
	}
	escaped[used] = '\0';
	return joined(escaped, "/", name);
}

static int take_driver(struct settings *settings, const char *value)
{
	if (!strcmp(value, "sim")) {
		settings->driver = joined(NULL, "", value);
		return 0;
	}
	if (access(value, R_OK)) {
		tool_complain("--driver takes sim or the path of a driver; %s: %s", value,
			      strerror(errno));
		return -1;
	}
	settings->driver = absolute(value, false);
	return 0;
}

static int take_functions(struct settings *settings, const char *value)
{
	size_t length;
	const char *fault = selector_fault(value, &length);

	if (fault) {
		tool_complain("--functions: '%.*s' is no selector; see cuaudit list classes",
			      (int)length, fault);
		return -1;
	}
	settings->functions = joined(settings->functions, ",", value);
	return 0;
}

static int take_output(struct settings *settings, const char *value)
{
	const char *fault = template_fault(value);

	if (fault) {
		tool_complain("--output: '%.2s' is none of %%p %%h %%e %%r %%t %%%%", fault);
		return -1;
	}
	settings->output = absolute(value, true);
	return 0;
}

static int take_interval(struct settings *settings, const char *value)
{
	char *end;
	double seconds = strtod(value, &end);

	if (end == value || *end || !(seconds > 0)) {
		tool_complain("--interval takes seconds, 10 or 0.5, not '%s'", value);
		return -1;
	}
	settings->interval = value;
	return 0;
}

static int take_format(struct settings *settings, const char *value)
{
	static const char formats[] = "text|json|prometheus|openmetrics";

	if (!options_among(formats, value)) {
		tool_complain("--format takes %s, not '%s'", formats, value);
		return -1;
	}
	settings->format = value;
	return 0;
}

static int take(struct settings *settings, int option)
{
	switch (option) {
	case 'd':
		return take_driver(settings, optarg);
	case 'F':
		settings->force = true;
		return 0;
	case 'f':
		return take_functions(settings, optarg);
	case 'i':
		return take_interval(settings, optarg);
	case 'j':
		settings->format = "json";
		return 0;
	case 'l':
		settings->include = joined(settings->include, ":", optarg);
		return 0;
	case 'm':
		return take_format(settings, optarg);
	case 'o':
		return take_output(settings, optarg);
	case 't':
		settings->hooks = joined(settings->hooks, ",", optarg);
		return 0;
	default:
		settings->exclude = joined(settings->exclude, ":", optarg);
		return 0;
	}
}

static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
}

static void set_all(const struct settings *settings)
{
	set("CUAUDIT_DRIVER", settings->driver);
	set("CUAUDIT_EXCLUDE", settings->exclude);
	set("CUAUDIT_FUNCTIONS", settings->functions);
	set("CUAUDIT_HOOKS", settings->hooks);
	set("CUAUDIT_INCLUDE", settings->include);
	set("CUAUDIT_OUTPUT", settings->output);
}

/* Asks the loader first: too little and the program does not start, too much and threads do not. */
static void make_room(const struct program *program, const char *auditor)
{
	const char *bytes = TLS_LEAST;

	if (auditor_tls_given())
		return;
	if (tls_search(program, auditor, &bytes))
		bytes = TLS_LEAST;
	auditor_tls_set(bytes);
}

static int start(const struct settings *settings, char **argv)
{
	static struct program program;
	const char *first = NULL, *second = NULL, *auditor;
	enum finding finding = program_judge(&program, argv[0], &first, &second);
	int error;

	if (finding == FINDING_NO_PROGRAM || (finding != FINDING_PROGRAM && !settings->force)) {
		finding_complain(finding, first, second);
		return finding == FINDING_NO_PROGRAM ? TOOL_NO_PROGRAM : TOOL_CANNOT_RUN;
	}
	auditor = auditor_path(&finding, &first);
	if (!auditor) {
		finding_complain(finding, first, NULL);
		return TOOL_FAILED;
	}
	set_all(settings);
	make_room(&program, auditor);
	auditor_first(auditor);
	/*
	 * No child: the program keeps the process id, the terminal and the
	 * parent, so signals reach it and its end is seen without our help.
	 */
	if (finding == FINDING_NOT_ELF)
		execvp(program.path, argv);	/* which gives it to the shell */
	else
		execv(program.path, argv);
	error = errno;
	tool_complain("cannot run %s: %s", program.path, strerror(error));
	return error == ENOENT ? TOOL_NO_PROGRAM : TOOL_CANNOT_RUN;
}

/* 0, or OPTIONS_WRONG and OPTIONS_ENOUGH. */
static int parse(struct settings *settings, int argc, char **argv)
{
	int option;

	while ((option = options_next(argc, argv)) > 0)
		if (take(settings, option))
			return OPTIONS_WRONG;
	if (option != OPTIONS_END)
		return option;
	if (optind < argc)
		return 0;
	tool_complain("%s: no program given; see cuaudit %s --help", argv[0], argv[0]);
	return OPTIONS_WRONG;
}

int tool_run(int argc, char **argv)
{
	struct settings settings = { .driver = NULL };
	int option = parse(&settings, argc, argv);

	return option ? options_status(option) : start(&settings, argv + optind);
}

int tool_stat(int argc, char **argv)
{
	struct settings settings = { .driver = NULL };
	int option = parse(&settings, argc, argv);

	if (option)
		return options_status(option);
	settings.hooks = joined("stat(format=", settings.format ? settings.format : "text",
				settings.interval ? ";interval=" : "");
	settings.hooks = joined(settings.hooks, settings.interval ? settings.interval : "", ")");
	return start(&settings, argv + optind);
}
