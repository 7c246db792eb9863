/* SPDX-License-Identifier: Apache-2.0 */
/* cuaudit check: run a program, and say whether the driver calls of its processes keep the rules. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/check_report.h"
#include "tools/check_files.h"
#include "tools/check_output.h"
#include "tools/exec.h"
#include "tools/finding.h"
#include "tools/options.h"
#include "tools/scratch.h"
#include "tools/supervise.h"
#include "tools/tool.h"

/* How long a process that has begun may lack the marks that were reached before. */
enum { MARK_NS = 50000000 };

static struct {
	const char *rules;	/* as it was given */
	char path[PATH_MAX];	/* its absolute path */
	const char *keep;	/* the directory to keep, NULL: one of our own */
	char *hooks;		/* further ones, NULL: none */
	char *pattern, directory[PATH_MAX];
	unsigned int marks;	/* signals that are marks of the rules, by bit */
	unsigned int marked;	/* those that have come */
	struct check_result result;
} check_run;

/* Before anything is started: a reason why not, after a message. Files tell it, too. */
static int refuse(int status, const char *text)
{
	check_problem(&check_run.result, "%s", text);
	check_output_write(&check_run.result);
	return status == TOOL_NO_PROGRAM ? status : CHECK_NOT_MADE_STATUS;
}

/* The settings, or the rules, are wrong. */
static int refuse_usage(const char *text)
{
	refuse(TOOL_FAILED, text);
	return TOOL_FAILED;
}

static int find_rules(void)
{
	struct stat status;
	int fd = open(check_run.rules, O_RDONLY | O_NONBLOCK | O_CLOEXEC), error = 0;

	if (fd < 0 || fstat(fd, &status) || !realpath(check_run.rules, check_run.path))
		error = errno;
	else if (!S_ISREG(status.st_mode))
		error = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
	if (fd >= 0)
		close(fd);
	if (error)
		tool_complain("cannot read the rules in %s: %s; --rules names another file",
			      check_run.rules, error == EINVAL ? "no regular file" : strerror(error));
	return error ? -1 : 0;
}

/* Files of another run would be judged, too. */
static int check_keep(void)
{
	DIR *entries = opendir(check_run.keep);
	const struct dirent *entry;
	bool any = false;

	while (entries && (entry = readdir(entries)))
		any |= check_files_is_one(entry);
	if (entries)
		closedir(entries);
	if (any)
		tool_complain("%s is not empty; give a new directory by --keep", check_run.keep);
	return any ? -1 : 0;
}

/* What would keep calls from the rules; what is to be checked is in the rules file alone. */
static void drop_filters(void)
{
	static const char *const names[] = { "CUAUDIT_EXCLUDE", "CUAUDIT_FOLLOW",
					     "CUAUDIT_FUNCTIONS", "CUAUDIT_INCLUDE" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *value = getenv(names[i]);

		if (value && *value && strcmp(value, "1"))
			tool_complain("%s=%s is not used: a check intercepts all calls of all "
				      "processes", names[i], value);
		unsetenv(names[i]);
	}
	if (getenv("CUAUDIT_STRICT") && !strcmp(getenv("CUAUDIT_STRICT"), "0")) {
		tool_complain("CUAUDIT_STRICT=0 is not used: the rules are judged before the program "
			      "starts");
		unsetenv("CUAUDIT_STRICT");
	}
	if (!exec_inherited_output())
		unsetenv("CUAUDIT_OUTPUT");
}

/* CUAUDIT_HOOKS for files in that directory; NULL after a message. */
static char *hooks_for(const char *directory)
{
	char *template = exec_join(exec_path_template(directory), "/", CHECK_NAME);
	char *file = exec_hook_option("file", check_run.path);
	char *save = exec_hook_option("save", template);

	if (!file || !save)
		return NULL;
	file = exec_join(exec_join("rules(", "", file), ";", exec_join(save, "", ")"));
	return check_run.hooks ? exec_join(file, ",", check_run.hooks) : file;
}

/* What processes of this run have in their environment, and no others. */
static char *mark(void)
{
	return exec_join(exec_join("save=", "", exec_path_template(check_run.directory)), "/",
			 CHECK_NAME);
}

static void print_text(void)
{
	struct out out = { 0 };

	check_text(&check_run.result, &out);
	out_write(&out, STDERR_FILENO, IO_FOREVER);
	out_free(&out);
}

static void complain(void *data, const char *path, const char *text)
{
	(void)data;
	tool_complain("%s: %s", path, text);
}

/* All that is to be known is in memory before the directory goes, and before anything can block. */
static int finish(int status)
{
	struct check_result *result = &check_run.result;
	int own;

	result->status = status;
	result->ended = true;
	check_files_load(result, check_run.directory, mark());
	if (supervise_failed())
		check_problem(result, "the command was not started");
	if (!check_run.keep)
		scratch_remove(check_run.directory, check_files_is_one);
	supervise_end();
	result->may_be_idle = check_files_may_be_idle(check_run.path);
	result->names.symbols = symbols_new(DEMANGLE_FULL, complain, NULL);
	check_judge(result);
	own = check_status(result);
	print_text();
	if (check_output_write(result) && !own)
		own = CHECK_NOT_MADE_STATUS;
	check_free(result);
	/* There was no such program, after all. */
	if (supervise_failed() && WIFEXITED(status) && WEXITSTATUS(status) == TOOL_NO_PROGRAM)
		return TOOL_NO_PROGRAM;
	return own ? own : supervise_status(status);
}

/* Signals of marks are for us: the program knows nothing of them. */
static bool take_signal(int number)
{
	unsigned int bit = number < 32 ? 1u << number : 0;

	check_run.marked |= check_run.marks & bit;
	if (check_run.marks & bit)
		check_files_mark(check_run.directory, check_run.marked);
	return check_run.marks & bit;
}

/* Of processes that have their files only now, too. */
static void tick(void *unused)
{
	(void)unused;
	if (check_run.marked)
		check_files_mark(check_run.directory, check_run.marked);
}

static int supervise(const struct launch *launch, const char *program)
{
	char *hooks;
	pid_t pid;

	(void)launch;
	(void)program;
	check_run.marks = check_files_signals(check_run.path);
	/* A signal ends us when the directory has been removed. */
	supervise_begin();
	if (scratch_make(check_run.pattern, check_run.keep, "findings", check_run.directory))
		return refuse(TOOL_FAILED, "no directory could be made for findings");
	hooks = hooks_for(check_run.directory);
	if (!hooks)
		return refuse(TOOL_FAILED, "the directory for findings has a name that no setting can hold");
	setenv("CUAUDIT_HOOKS", hooks, 1);
	pid = supervise_fork();
	if (!pid)
		return LAUNCH_GO;
	if (pid < 0) {
		tool_complain("cannot start a process: %s", strerror(-pid));
		if (!check_run.keep)
			scratch_remove(check_run.directory, check_files_is_one);
		return refuse(TOOL_FAILED, "no process could be started");
	}
	supervise_filter(take_signal);
	return finish(supervise_wait(pid, check_run.marks ? MARK_NS : 0, tick, NULL));
}

static int take(struct launch *launch, int option)
{
	if (check_output_take(option))
		return 0;
	switch (option) {
	case 'K':
		if (!*optarg) {
			tool_complain("--keep takes the path of a directory, not ''");
			return -1;
		}
		check_run.keep = optarg;
		return 0;
	case 'k':
		check_run.hooks = exec_join(check_run.hooks, ",", optarg);
		return 0;
	case '1':
		check_run.rules = optarg;
		return 0;
	default:
		return exec_take(launch, option);
	}
}

static char *command_text(char **argv)
{
	char *text = NULL;

	for (; *argv; argv++)
		text = exec_join(text, " ", *argv);
	return text;
}

static int start(struct launch *launch, char **argv)
{
	const char *disable = getenv("CUAUDIT_DISABLE");
	int status;

	if (disable && !strcmp(disable, "1")) {
		finding_complain(FINDING_DISABLED, NULL, NULL);
		return refuse(TOOL_FAILED, finding_text(FINDING_DISABLED, NULL, NULL));
	}
	drop_filters();
	check_run.pattern = scratch_pattern("check");
	launch->directory = check_run.keep;
	launch->directory_option = "--keep";
	/* The directory has its name later: nothing but the trial has this one. */
	launch->hooks = hooks_for(check_run.keep ? check_run.keep : check_run.pattern);
	if (!launch->hooks)
		return refuse_usage("--rules or --keep has a name that no setting can hold");
	status = exec_start(launch, argv);
	/* Nothing was said but by the trial of settings, and of the rules. */
	if (status == TOOL_FAILED && !check_run.result.ended && !check_run.result.nproblems)
		return refuse_usage("the rules or the settings are wrong: nothing was run");
	return status;
}

int tool_check(int argc, char **argv)
{
	struct launch launch = { .supervise = supervise, .refuse = refuse };
	int option;

	check_run.rules = "cuaudit.rules";
	while ((option = options_next(argc, argv)) > 0)
		if (take(&launch, option))
			return TOOL_FAILED;
	if (option == OPTIONS_END)
		option = options_program(argc, argv);
	if (option)
		return options_status(option);
	check_run.result.command = command_text(argv + optind);
	check_run.result.rules = check_run.rules;
	check_run.result.names.texts.row = 1;
	if (check_output_check(check_run.rules) || (check_run.keep && check_keep()))
		return TOOL_FAILED;
	if (find_rules())
		return refuse_usage("the rules cannot be read");
	return start(&launch, argv + optind);
}
