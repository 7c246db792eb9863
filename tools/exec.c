/* SPDX-License-Identifier: Apache-2.0 */
/* What subcommands that start a program share: its environment, and becoming it. */
#include "tools/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/auditor.h"
#include "tools/options.h"
#include "tools/program.h"
#include "tools/tls.h"
#include "tools/tool.h"
#include "tools/trial.h"
#include "util/check_mark.h"
#include "util/io.h"
#include "util/nearest.h"
#include "util/planted.h"
#include "util/policy.h"
#include "util/template.h"

char *exec_join(const char *before, const char *between, const char *after)
{
	char *text;

	if (asprintf(&text, "%s%s%s", before ? before : "", before ? between : "", after) < 0)
		abort();
	return text;
}

/* Where the name means the same from any directory. */
static char *absolute(const char *name)
{
	char directory[PATH_MAX];

	if (*name == '/' || !getcwd(directory, sizeof(directory)))
		return exec_join(NULL, "", name);
	return exec_join(directory, "/", name);
}

/* As a template that stands for it. */
static char *escaped(const char *path)
{
	char *template = malloc(2 * strlen(path) + 1), *to = template;

	if (!template)
		abort();
	for (; *path; path++) {
		*to++ = *path;
		if (*path == '%')
			*to++ = '%';
	}
	*to = '\0';
	return template;
}

/* The same for a template, which stays one. */
static char *absolute_template(const char *template)
{
	char directory[PATH_MAX];

	if (*template == '/' || !getcwd(directory, sizeof(directory)))
		return exec_join(NULL, "", template);
	return exec_join(escaped(directory), "/", template);
}

/* What ends an option in CUAUDIT_HOOKS. */
static bool ends_option(const char *value)
{
	int open = 0;

	for (; *value && *value != ';' && open >= 0; value++)
		open += (*value == '(') - (*value == ')');
	return open || *value;
}

char *exec_hook_option_of(const char *given, const char *name, const char *value)
{
	if (!ends_option(value))
		return exec_join(name, "=", value);
	tool_complain("%s: no ';' and no bracket without its other may be in '%s'", given, value);
	return NULL;
}

char *exec_hook_option(const char *name, const char *value)
{
	return exec_hook_option_of(exec_join("--", "", name), name, value);
}

char *exec_path_template(const char *path)
{
	return escaped(absolute(path));
}

static int take_driver(struct launch *launch, const char *value)
{
	static const char *const names[] = { "sim", NULL };

	if (!strcmp(value, "sim")) {
		launch->driver = exec_join(NULL, "", value);
		return 0;
	}
	if (access(value, R_OK)) {
		int error = errno;
		const char *near = nearest(value, strlen(value), names);

		tool_complain("--driver takes sim or the path of a driver; %s: %s%s%s%s", value,
			      strerror(error), near ? "; did you mean " : "", near ?: "", near ? "?" : "");
		return -1;
	}
	launch->driver = absolute(value);
	return 0;
}

static int take_functions(struct launch *launch, const char *value)
{
	if (options_selector("--functions: ", value))
		return -1;
	launch->functions = exec_join(launch->functions, ",", value);
	return 0;
}

/* "-" is standard output, as of other subcommands. */
static int take_output(struct launch *launch, const char *value)
{
	const char *fault = template_fault(value);

	if (!strcmp(value, "-"))
		value = "/dev/stdout";
	if (fault) {
		tool_complain("--output: '%.2s' is none of %%p %%h %%e %%r %%t %%%%", fault);
		return -1;
	}
	if (template_is_directory(value)) {
		tool_complain("--output takes the path of a file, and '%s' names a directory", value);
		return -1;
	}
	launch->output = absolute_template(value);
	return 0;
}

int exec_take(struct launch *launch, int option)
{
	switch (option) {
	case 'd':
		return take_driver(launch, optarg);
	case 'F':
		launch->force = true;
		return 0;
	case 'f':
		return take_functions(launch, optarg);
	case 'l':
		launch->include = exec_join(launch->include, ":", optarg);
		return 0;
	case 'o':
		return take_output(launch, optarg);
	case 'x':
		launch->exclude = exec_join(launch->exclude, ":", optarg);
		return 0;
	default:
		return LAUNCH_OTHER;
	}
}

static void set(const char *name, const char *value)
{
	/* It may be there more than once. */
	if (value && !unsetenv(name))
		setenv(name, value, 1);
}

static bool begins(const char *text, const char *beginning)
{
	return !strncmp(text, beginning, strlen(beginning));
}

static bool ends(const char *text, const char *end)
{
	size_t length = strlen(text), more = strlen(end);

	return length >= more && !strcmp(text + length - more, end);
}

const char *exec_inherited_output(void)
{
	const char *hooks = getenv("CUAUDIT_HOOKS"), *output = getenv("CUAUDIT_OUTPUT");

	if (hooks && output &&
	    ((begins(hooks, STAT_HOOKS) && ends(output, "/" STAT_NAME)) ||
	     (begins(hooks, "trace(") && ends(output, "/" TRACE_NAME))))
		return NULL;
	return output;
}

/* What the program loads where it uses NVTX; one that was set before gets all too. */
static void set_nvtx(const char *auditor)
{
	const char *own = auditor_beside(auditor, "libcuaudit-nvtx.so");
	const char *other = getenv("NVTX_INJECTION64_PATH");

	if (other && *other && strcmp(other, own) != 0)
		set("CUAUDIT_NVTX", other);
	set("NVTX_INJECTION64_PATH", own);
}

void exec_tell_replaced(const char *hooks)
{
	const char *before = getenv("CUAUDIT_CHECK");
	char path[PATH_MAX];

	if (before && !check_mark_has(hooks, before) &&
	    check_mark_path(before, CHECK_MARK_REPLACED, getpid(), path, sizeof(path)))
		mknod(path, S_IFREG | 0600, 0);
}

static void set_all(const struct launch *launch)
{
	const char *hooks = getenv("CUAUDIT_HOOKS"), *disable = getenv("CUAUDIT_DISABLE");

	if (hooks && launch->hooks && policy_in(hooks) && strcmp(hooks, launch->hooks) != 0)
		tool_complain("CUAUDIT_HOOKS=%s is replaced, and what it enforces does not hold; "
			      "give it to cuaudit run by --hooks", hooks);
	if (launch->hooks)
		exec_tell_replaced(launch->hooks);
	if (disable && !strcmp(disable, "1"))
		finding_complain(FINDING_DISABLED, NULL, NULL);
	/* Other hooks' reports are not to be where nobody looks for them. */
	if (launch->hooks && !launch->output && !launch->supervise && !exec_inherited_output())
		unsetenv("CUAUDIT_OUTPUT");
	set("CUAUDIT_DRIVER", launch->driver);
	set("CUAUDIT_EXCLUDE", launch->exclude);
	set("CUAUDIT_FUNCTIONS", launch->functions);
	set("CUAUDIT_HOOKS", launch->hooks);
	set("CUAUDIT_INCLUDE", launch->include);
	set("CUAUDIT_OUTPUT", launch->output);
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

int exec_refuse_earlier(const char *directory)
{
	tool_complain("%s has traces of an earlier run; choose another directory, or add to them with "
		      "--add", directory);
	return -1;
}

/* made: false if it was there already. */
static int make_directory(const struct launch *launch, bool *made)
{
	const char *directory = launch->directory, *option = launch->directory_option;
	struct stat status;

	*made = !mkdir(directory, 0777);
	if (*made)
		return 0;
	if (errno == EEXIST && launch->directory_new)
		return exec_refuse_earlier(directory);
	if (errno == EEXIST && planted_name(directory)) {
		tool_complain("%s belongs to another user, in a directory that others may write to; "
			      "give another directory by %s", directory, option);
		return -1;
	}
	if (errno == EEXIST && !stat(directory, &status) && !S_ISDIR(status.st_mode))
		errno = ENOTDIR;
	else if (errno == EEXIST && !access(directory, W_OK | X_OK))
		return 0;
	tool_complain("%s: %s; give another directory by %s", directory, strerror(errno), option);
	return -1;
}

/* Whether a process could begin its file there: the program goes on without, and its status does not tell. */
static int check_room(const struct launch *launch)
{
	char *path = exec_join(launch->directory, "/", ".cuaudit-room-XXXXXX");
	int fd = launch->room ? mkostemp(path, O_CLOEXEC) : -1;
	int error = fd < 0 ? -errno : io_reserve(fd, 0, launch->room);

	if (fd >= 0) {
		unlink(path);
		close(fd);
	}
	free(path);
	if (!launch->room || !error)
		return 0;
	tool_complain("no file can be written in %s: %s", launch->directory, io_remedy(error));
	return -1;
}

static int refuse(const struct launch *launch, int status, enum finding finding, const char *first,
		  const char *second)
{
	finding_complain(finding, first, second);
	return launch->refuse ? launch->refuse(status, finding_text(finding, first, second)) : status;
}

int exec_start(const struct launch *launch, char **argv)
{
	static struct program program;
	const char *first = NULL, *second = NULL, *auditor;
	enum finding finding = program_judge(&program, argv[0], &first, &second);
	bool made = false;
	int error;

	if (finding == FINDING_NO_PROGRAM)
		return refuse(launch, TOOL_NO_PROGRAM, finding, first, second);
	if (finding != FINDING_PROGRAM && !launch->force)
		return refuse(launch, TOOL_CANNOT_RUN, finding, first, second);
	auditor = auditor_path(&finding, &first);
	if (!auditor)
		return refuse(launch, TOOL_FAILED, finding, first, NULL);
	set_all(launch);
	make_room(&program, auditor);
	if (!trial_passes(auditor))
		return TOOL_FAILED;
	if (launch->directory && make_directory(launch, &made))
		return TOOL_FAILED;
	if (launch->directory && check_room(launch)) {
		if (made)
			rmdir(launch->directory);
		return TOOL_FAILED;
	}
	auditor_first(auditor);
	set_nvtx(auditor);
	if (launch->supervise) {
		int status = launch->supervise(launch, argv[0]);

		if (status != LAUNCH_GO)
			return status;
	}
	/*
	 * Else no child: the program keeps the process id, the terminal and the
	 * parent, so signals reach it and its end is seen without our help.
	 */
	if (finding == FINDING_NOT_ELF)
		execvp(program.path, argv);	/* which gives it to the shell */
	else
		execv(program.path, argv);
	error = errno;
	if (made)
		rmdir(launch->directory);
	tool_complain("cannot run %s: %s", program.path, strerror(error));
	return error == ENOENT ? TOOL_NO_PROGRAM : TOOL_CANNOT_RUN;
}
