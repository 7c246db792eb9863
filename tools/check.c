/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuaudit check: run a program, and say whether the driver calls of its processes keep the rules,
 * and are those of a lock file.
 */
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
#include "tools/atomic_file.h"
#include "tools/check_files.h"
#include "tools/check_lock.h"
#include "tools/check_output.h"
#include "tools/check_run.h"
#include "tools/check_write.h"
#include "tools/exec.h"
#include "tools/finding.h"
#include "tools/options.h"
#include "tools/program.h"
#include "tools/scratch.h"
#include "tools/supervise.h"
#include "tools/tool.h"
#include "tools/unloaded.h"
#include "util/size.h"
#include "util/words.h"

#define DEFAULT_RULES "cuaudit.rules"

enum { RUNS = 5, RUNS_MOST = 1000 };

/* What is done with the lock file. */
enum purpose { NO_LOCK, COMPARE, WRITE, UPDATE };

static struct {
	const char *rules;	/* as it was given, NULL: not */
	char path[PATH_MAX];	/* its absolute path */
	struct stat judged;	/* the file, before anything was started */
	enum purpose purpose;
	const char *lock_path;
	uint32_t runs;		/* 0: not given */
	char **command;
	char program[PATH_MAX];	/* its file, as it is found */
	struct check_lock lock;
	struct check_run run;
	struct check_result result;
} check;

/* FAILURE POLICY of libcuaudit(7). */
enum { NOT_HELD_STATUS = 85 };

_Static_assert(TOOL_BROKEN == (int)CHECK_BROKEN_STATUS, "one status");
_Static_assert(TOOL_NOT_MADE == (int)CHECK_NOT_MADE_STATUS, "one status");

/* Before anything is started: a reason why not, after a message. Files tell it, too. */
static int refuse(int status, const char *text)
{
	check_problem(&check.result, "%s", text);
	check_output_write(&check.result);
	return status == TOOL_NO_PROGRAM ? status : TOOL_NOT_MADE;
}

/* The settings, the rules or the lock file are wrong. */
static int refuse_usage(const char *text)
{
	refuse(TOOL_FAILED, text);
	return TOOL_FAILED;
}

static int find_rules(void)
{
	struct stat *status = &check.judged;
	int fd = open(check.rules, O_RDONLY | O_NONBLOCK | O_CLOEXEC), error = 0;

	if (fd < 0 || fstat(fd, status) || !realpath(check.rules, check.path))
		error = errno;
	else if (!S_ISREG(status->st_mode))
		error = S_ISDIR(status->st_mode) ? EISDIR : EINVAL;
	if (fd >= 0)
		close(fd);
	if (error)
		tool_complain("cannot read the rules in %s: %s; --rules names another file",
			      check.rules, error == EINVAL ? "no regular file" : strerror(error));
	return error ? -1 : 0;
}

/*
 * Processes read the file themselves. One that is gone was read by all that were checked; the time of
 * its last change cannot be set back, and a rename is one. Its number is none that all file systems keep.
 */
static void look_for_change(void)
{
	const struct stat *old = &check.judged;
	struct stat now;

	if (!check.run.rules || stat(check.path, &now) ||
	    (now.st_size == old->st_size && now.st_ctim.tv_sec == old->st_ctim.tv_sec &&
	     now.st_ctim.tv_nsec == old->st_ctim.tv_nsec))
		return;
	check_problem(&check.result, "%s was changed or replaced while the command ran: processes may "
		      "have been checked by other rules; leave it as it is", check.rules);
}

/* Files of another run would be judged, too. */
static int check_keep(void)
{
	DIR *entries = opendir(check.run.keep);
	const struct dirent *entry;
	bool any = false;

	while (entries && (entry = readdir(entries)))
		any |= check_files_is_one(entry);
	if (entries)
		closedir(entries);
	if (any)
		tool_complain("%s is not empty; give a new directory by --keep", check.run.keep);
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

/* Whether it is there, unless nobody wants to read it, or has closed standard error and reads an output. */
static bool print_text(void)
{
	struct out out = { 0 };
	int error;

	check_text(&check.result, &out);
	error = out_write(&out, STDERR_FILENO, IO_FOREVER);
	out_free(&out);
	return !error || error == -EPIPE || (error == -EBADF && check_output_any());
}

static void complain(void *data, const char *path, const char *text)
{
	(void)data;
	tool_complain("%s: %s", path, text);
}

/* What the run differs in from the lock file, if it was one that the file can be of. */
static void compare(const struct baseline_run *facts)
{
	check.result.lock = CHECK_LOCK_UNKNOWN;
	if (!check.result.status)
		check_lock_compare(&check.lock, facts, &check.result);
	else if (!check.result.nproblems)
		check.result.lock = CHECK_LOCK_SKIPPED;
}

/* All that is to be known is in memory before the directory goes, and before anything can block. */
static int finish(int status)
{
	struct check_result *result = &check.result;
	struct baseline_run facts = BASELINE_RUN;
	int own;

	facts.names = check.lock.names;
	result->status = status;
	result->ended = true;
	check_run_load(&check.run, result, check.run.traced && !status ? &facts : NULL);
	look_for_change();
	if (supervise_failed())
		check_problem(result, "the command was not started");
	if (!result->nprocesses && !supervise_failed())
		unloaded_complain(check.command[0]);
	/* One of another user, say, can leave no file by which that would be known. */
	if (!result->nprocesses && WIFEXITED(status) && WEXITSTATUS(status) == NOT_HELD_STATUS)
		check_problem(result, "the command ended with status 85, as a process does that cannot be "
			      "held to the rules, for the reason that it printed");
	check_run_end(&check.run);
	supervise_end();
	result->may_be_idle = check.run.rules && check_files_may_be_idle(check.run.rules);
	result->names.symbols = symbols_new(DEMANGLE_FULL, complain, NULL);
	check_judge(result);
	if (check.purpose == COMPARE)
		compare(&facts);
	baseline_run_free(&facts);
	own = check_status(result);
	if (!print_text() && !own)
		own = TOOL_NOT_MADE;
	if (check_output_write(result) && !own)
		own = TOOL_NOT_MADE;
	check_free(result);
	/* There was no such program, after all. */
	if (supervise_failed() && WIFEXITED(status) && WEXITSTATUS(status) == TOOL_NO_PROGRAM)
		return TOOL_NO_PROGRAM;
	return own ? own : supervise_status(status);
}

static int supervise(const struct launch *launch, const char *program)
{
	const char *fault;
	int status, ended = 0;

	(void)launch;
	(void)program;
	/* A signal ends us when the directory has been removed. */
	supervise_begin();
	fault = check_run_begin(&check.run);
	if (fault)
		return refuse(TOOL_FAILED, fault);
	if (check.purpose >= WRITE)
		return check_write(&check.run, &check.lock, check.runs, check.command);
	status = check_run_once(&check.run, &ended);
	if (!status)
		return finish(ended);
	if (status == LAUNCH_GO)
		return status;
	check_run_end(&check.run);
	return refuse(TOOL_FAILED, "no process could be started");
}

static int take_lock(enum purpose purpose)
{
	if (check.purpose) {
		tool_complain("check: one lock file to a run, by --baseline, --write-baseline or "
			      "--update");
		return -1;
	}
	check.purpose = purpose;
	check.lock_path = optarg;
	return 0;
}

static int take_runs(void)
{
	char *end;
	unsigned long runs = strtoul(optarg, &end, 10);

	if (*optarg < '0' || *optarg > '9' || *end || !runs || runs > RUNS_MOST) {
		tool_complain("--runs takes a number from 1 to %d, not '%s'", RUNS_MOST, optarg);
		return -1;
	}
	check.runs = (uint32_t)runs;
	return 0;
}

static int take_size(void)
{
	uint64_t size;

	if (!size_parse(optarg, &size)) {
		tool_complain("--size takes SIZE, not '%s'", optarg);
		return -1;
	}
	check.run.size = exec_hook_option("size", optarg);
	return check.run.size ? 0 : -1;
}

static int take(struct launch *launch, int option)
{
	if (check_output_take(option))
		return 0;
	switch (option) {
	case 'K':
		check.run.keep = optarg;
		return 0;
	case 'k':
		check.run.hooks = exec_join(check.run.hooks, ",", optarg);
		return 0;
	case '1':
		check.rules = optarg;
		return 0;
	case '0':
		return take_lock(UPDATE);
	case '5':
		return take_lock(COMPARE);
	case 'Q':
		return take_lock(WRITE);
	case 'S':
		return take_size();
	case 'z':
		return take_runs();
	default:
		return exec_take(launch, option);
	}
}

static int check_options(void)
{
	if (check.purpose || check.rules || !access(DEFAULT_RULES, F_OK) || errno != ENOENT)
		return 0;
	tool_complain("check: neither --rules nor --baseline is given, and there is no "
		      DEFAULT_RULES "; cuaudit-rules(5) has what is in such a file");
	return -1;
}

/* What the run is compared with, or becomes. */
static int begin_lock(void)
{
	check.run.traced = check.purpose != NO_LOCK;
	if (check.purpose >= WRITE &&
	    atomic_file_check_run(check.lock_path, "the lock file", check.program))
		return -1;
	if (check.purpose == WRITE)
		return check_lock_begin(&check.lock, check.lock_path);
	return check.purpose ? check_lock_read(&check.lock, check.lock_path) : 0;
}

static char *command_text(char **argv)
{
	char *text = NULL;

	for (; *argv; argv++)
		text = exec_join(text, " ", *argv);
	return text;
}

/* Facts are of driver calls, of which traces have none where the driver is no domain. */
static bool lacks_driver(void)
{
	const char *domains = getenv("CUAUDIT_DOMAINS");

	if (!check.run.traced || !domains || words_have(domains, "driver"))
		return false;
	tool_complain("CUAUDIT_DOMAINS=%s is without driver, whose calls a lock file is of; unset "
		      "it, or add driver", domains);
	return true;
}

static int start(struct launch *launch)
{
	const char *disable = getenv("CUAUDIT_DISABLE");
	int status;

	if (disable && !strcmp(disable, "1")) {
		finding_complain(FINDING_DISABLED, NULL, NULL);
		return refuse(TOOL_FAILED, finding_text(FINDING_DISABLED, NULL, NULL));
	}
	if (lacks_driver())
		return refuse_usage("CUAUDIT_DOMAINS is without driver, which lock files are of");
	drop_filters();
	check.run.pattern = scratch_pattern("check");
	launch->directory = check.run.keep;
	launch->directory_option = "--keep";
	/* The directory has its name later: nothing but the trial has this one. */
	launch->hooks = check_run_hooks(&check.run, check.run.keep ? check.run.keep :
								     check.run.pattern);
	if (!launch->hooks)
		return refuse_usage("--rules or --keep has a name that no setting can hold");
	status = exec_start(launch, check.command);
	/* Nothing was said but by the trial of settings, and of the rules. */
	if (status == TOOL_FAILED && !check.result.ended && !check.result.nproblems &&
	    check.purpose < WRITE)
		return refuse_usage("the rules or the settings are wrong: nothing was run");
	return status;
}

/* What is judged, all of which is looked at before anything is started. */
static int prepare(void)
{
	if (!check.purpose && !check.rules)
		check.rules = DEFAULT_RULES;
	check.result.command = command_text(check.command);
	check.result.rules = check.rules;
	check.result.baseline = check.purpose == COMPARE ? check.lock_path : NULL;
	check.result.names.texts.row = 1;
	if (!check.runs)
		check.runs = RUNS;
	program_find(check.command[0], check.program);
	if (check_output_begin(check.rules, check.result.baseline, check.program) ||
	    (check.run.keep && check_keep()))
		return TOOL_FAILED;
	if (check.rules && find_rules())
		return refuse_usage("the rules cannot be read");
	if (begin_lock())
		return check.purpose >= WRITE ? TOOL_FAILED :
						refuse_usage("the lock file cannot be used");
	check.run.rules = check.rules ? check.path : NULL;
	return 0;
}

int tool_check(int argc, char **argv)
{
	struct launch launch = { .supervise = supervise, .refuse = refuse };
	int option, status;

	while ((option = options_next(argc, argv)) > 0)
		if (take(&launch, option))
			return TOOL_FAILED;
	if (option == OPTIONS_END)
		option = options_program(argc, argv);
	if (option)
		return options_status(option);
	options_misplaced(argc, argv);
	check.command = argv + optind;
	status = check_options() ? TOOL_FAILED : prepare();
	return status ? status : start(&launch);
}
