/* SPDX-License-Identifier: Apache-2.0 */
/* cuaudit stat: run a program, and report the driver calls of all its processes as one. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tools/atomic_file.h"
#include "tools/exec.h"
#include "tools/merge_stat.h"
#include "tools/options.h"
#include "tools/process.h"
#include "tools/program.h"
#include "tools/scratch.h"
#include "tools/supervise.h"
#include "tools/tool.h"
#include "tools/unloaded.h"
#include "tracefile/ending.h"
#include "util/io.h"
#include "util/planted.h"
#include "util/rank.h"
#include "util/template.h"

enum { THREADS = 16 };

enum format { TEXT, JSON, PROMETHEUS, OPENMETRICS };

static struct {
	enum format format;
	uint64_t interval_ns;
	const char *keep;	/* the directory to keep, NULL: one of our own */
	const char *output;	/* a template, NULL: standard error */
	const char *name;	/* the program's */
	char *in_range;		/* an option of the hook, NULL: none */
	char directory[PATH_MAX];
	uint64_t run;
	struct merge_child child;
	char target[PATH_MAX];	/* output, filled in; "" for standard error */
	struct stat earlier;	/* what was there before, if there was a file */
	bool written;		/* a report at least */
} stat_run;

static int take_interval(const char *value)
{
	char *end;
	double seconds = strtod(value, &end);

	/* A thousand reports a second are enough for anybody. */
	if (value[strspn(value, "0123456789.")] || *end || !(seconds >= 0.001) || seconds > 1e9) {
		tool_complain("--interval takes seconds, 10 or 0.5, not '%s'", value);
		return -1;
	}
	stat_run.interval_ns = (uint64_t)(seconds * 1e9);
	return 0;
}

static int take_format(const char *value)
{
	static const char formats[] = "text|json|prometheus|openmetrics";

	if (!options_among(formats, value)) {
		tool_complain("--format takes %s, not '%s'", formats, value);
		return -1;
	}
	stat_run.format = *value == 'j' ? JSON : *value == 'p' ? PROMETHEUS :
			  *value == 'o' ? OPENMETRICS : TEXT;
	return 0;
}

static int take(int option)
{
	switch (option) {
	case 'I':
		stat_run.in_range = exec_hook_option("in-range", optarg);
		return stat_run.in_range ? 0 : -1;
	case 'i':
		return take_interval(optarg);
	case 'K':
		stat_run.keep = optarg;
		return 0;
	case 'm':
		return take_format(optarg);
	default:
		return take_format("json");
	}
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static const char *rank(void)
{
	for (const char *const *name = rank_variables; *name; name++) {
		const char *value = getenv(*name);

		if (value && *value)
			return value;
	}
	return "0";
}

/* A link to a file is followed, which is not done where a report is appended: check_target has looked at it. */
static void follow_link(void)
{
	char path[PATH_MAX];
	struct stat status;

	if (!lstat(stat_run.target, &status) && S_ISLNK(status.st_mode) &&
	    io_descriptor(stat_run.target) < 0 && !planted_name(stat_run.target) &&
	    !stat(stat_run.target, &status) && S_ISREG(status.st_mode) && realpath(stat_run.target, path))
		strcpy(stat_run.target, path);
}

/* The template is one: exec_take has looked. Opening a name that was too long says so. */
static void fill_target(void)
{
	const struct template_values values = {
		.process = stat_run.child.pid, .program = stat_run.name,
		.rank = rank(), .time = time(NULL),
	};

	template_path(stat_run.output ? stat_run.output : "", &values, stat_run.target,
		      sizeof(stat_run.target));
	follow_link();
}

/* Before the program starts, for it may take days. 0, or -1 after a message. */
static int check_target(const char *program)
{
	char path[PATH_MAX];

	fill_target();
	stat(stat_run.target, &stat_run.earlier);
	program_find(program, path);
	return *stat_run.target ? atomic_file_check_run(stat_run.target, "a report", path) : 0;
}

/* Its name in the directory; none is there twice. */
static bool is_saved(const struct dirent *entry)
{
	return strstr(entry->d_name, ".part");
}

/* What processes of this run have in their environment. */
static const char *run_mark(void)
{
	static char mark[64];

	snprintf(mark, sizeof(mark), "CUAUDIT_HOOKS=" STAT_HOOKS "%llu%c",
		 (unsigned long long)stat_run.run, stat_run.in_range ? ';' : ')');
	return mark;
}

/* Of a file without a header, its name tells the process: in its namespace, and others may have the number now. */
static bool is_alive(const char *path)
{
	const char *end = strstr(base_name(path), ".part"), *at = end;

	while (at > path && at[-1] >= '0' && at[-1] <= '9')
		at--;
	return at < end && process_may_have((uint32_t)strtoul(at, NULL, 10), run_mark());
}

/* Whether the file was made since the program started; the system's clock has steps. */
static bool is_new(const char *path)
{
	struct stat status;

	return !stat(path, &status) && (uint64_t)status.st_mtim.tv_sec + 1 >= stat_run.run / 1000000;
}

/* Processes with a file without a header: in its first call, killed in it, or without room. */
struct empty {
	size_t alive, ended;
};

/* Reads what there is of this run. */
static int load(struct merge *merge, struct empty *empty)
{
	DIR *entries = opendir(stat_run.directory);
	const struct dirent *entry;
	int error = entries ? 0 : errno;

	while (entries && (entry = readdir(entries))) {
		const char *fault;
		char *path;

		if (!is_saved(entry))
			continue;
		path = exec_join(stat_run.directory, "/", entry->d_name);
		fault = merge_add(merge, path, stat_run.run);
		if (fault && load_kind(path) == LOAD_EMPTY && is_new(path))
			++*(is_alive(path) ? &empty->alive : &empty->ended);
		else if (fault && load_kind(path) == LOAD_RECORDS)
			tool_complain("%s: %s", path, fault);
		free(path);
	}
	if (entries)
		closedir(entries);
	if (error)
		tool_complain("cannot read the statistics in %s: %s; the report is incomplete",
			      stat_run.directory, strerror(error));
	return error;
}

static int write_metrics(const struct merge *merge, struct out *out)
{
	struct metrics metrics = { .processes = NULL };
	int error = merge_metrics(merge, &metrics);

	if (!error)
		metrics_text(&metrics, stat_run.format == OPENMETRICS ?
			     METRICS_OPENMETRICS : METRICS_PROMETHEUS, out);
	metrics_free(&metrics);
	return error;
}

/* While the program runs, signals for it wait as well. */
static int patience(void)
{
	return stat_run.child.ended ? IO_FOREVER : IO_REPORT;
}

/* Metrics take the place of those before. 0, or -1 after a message. */
static int replace_report(struct out *out)
{
	struct atomic_file file;
	int error;

	if (atomic_file_begin(&file, stat_run.target, ATOMIC_FILE))
		return -1;
	error = out_write(out, file.fd, patience());
	if (!error)
		return atomic_file_end(&file) ? -1 : 0;
	atomic_file_drop(&file);
	tool_complain("cannot write the report to %s: %s", stat_run.target, strerror(-error));
	return -1;
}

/* Other reports follow those before. */
static int append_report(struct out *out)
{
	bool made = !stat_run.written && access(stat_run.target, F_OK);
	/* Another run may write there at the same time: its report is before this one, or behind it. */
	int fd = io_open(stat_run.target, O_WRONLY | O_CREAT | O_APPEND | (stat_run.written ? 0 : O_TRUNC),
			 stat_run.child.ended ? IO_REPORT : IO_MESSAGE);
	int error = fd < 0 ? fd : out_write(out, fd, patience());

	stat_run.written = true;
	if (fd >= 0 && !error)
		error = io_close(fd);
	else if (fd >= 0)
		io_close(fd);
	if (error && fd >= 0 && made)
		unlink(stat_run.target);
	if (error)
		tool_complain("cannot write the report to %s: %s", stat_run.target,
			      error == -EPIPE ? "nobody reads from it" :
			      error == -PLANTED ? io_remedy(error) : strerror(-error));
	return error ? -1 : 0;
}

/* The standard stream that the target is another name of, with the program's output in it; or -1. */
static int same_stream(void)
{
	struct stat target, stream;

	if (stat(stat_run.target, &target))
		return -1;
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (!fstat(fd, &stream) && stream.st_dev == target.st_dev &&
		    stream.st_ino == target.st_ino)
			return fd;
	return -1;
}

/* No pipe or device, which are written to as they are. */
static bool is_file(void)
{
	struct stat status;

	return stat(stat_run.target, &status) || S_ISREG(status.st_mode);
}

/* Where the file cannot be, the last report is not lost. */
static void write_report(struct out *out)
{
	int error = 0, last = stat_run.child.ended, stream = *stat_run.target ? same_stream() : -1;

	/* What was written is forgotten by it. */
	struct out copy = { 0 };

	out_bytes(&copy, out->data, out->used);
	if (stream >= 0)
		error = out_write(out, stream, patience());
	else if (*stat_run.target)
		error = stat_run.format >= PROMETHEUS && is_file() ? replace_report(out) :
								     append_report(out);
	if (!*stat_run.target || (error && last))
		out_write(&copy, STDERR_FILENO, patience());
	out_free(&copy);
}

static void print(struct merge *merge)
{
	const char *fault;
	struct out out = { 0 };
	int error = merge_build(merge, stat_run.name, THREADS, &stat_run.child, &fault);

	if (!error && fault)
		tool_complain("the statistics in %s are %s", stat_run.directory, fault);
	if (!error && !merge->report.nprocesses)
		return;
	if (!error && stat_run.format == TEXT)
		report_text(&merge->report, &out);
	else if (!error && stat_run.format == JSON)
		report_json(&merge->report, &out);
	else if (!error)
		error = write_metrics(merge, &out);
	if (error)
		tool_complain("no report: %s", strerror(-error));
	else
		write_report(&out);
	out_free(&out);
}

/* Who reads the file takes nothing that was there before for what this run did. */
static void empty_earlier(void)
{
	struct stat status;
	int fd;

	if (!*stat_run.target || stat(stat_run.target, &status) || !S_ISREG(status.st_mode) ||
	    !status.st_size || same_stream() >= 0 || status.st_ino != stat_run.earlier.st_ino ||
	    status.st_size != stat_run.earlier.st_size ||
	    status.st_mtim.tv_sec != stat_run.earlier.st_mtim.tv_sec ||
	    status.st_mtim.tv_nsec != stat_run.earlier.st_mtim.tv_nsec)
		return;
	fd = io_open(stat_run.target, O_WRONLY | O_TRUNC, IO_REPORT);
	if (fd >= 0)
		io_close(fd);
	tool_complain(fd < 0 ? "there is no report of this run, and what is in %s is of another: %s" :
			       "there is no report of this run; %s is empty now",
		      stat_run.target, fd == -PLANTED ? io_remedy(fd) : strerror(fd < 0 ? -fd : 0));
}

static void tick(void *unused)
{
	struct merge merge = { .count = 0 };
	struct empty empty = { 0 };

	(void)unused;
	if (!load(&merge, &empty) && merge.count)
		print(&merge);
	merge_free(&merge);
}

/* Processes of this run that have not ended, whether they have called the driver yet or not. */
static size_t count_running(void)
{
	return process_count(run_mark());
}

/*
 * Reads what there is of this run, and returns how many of its processes still
 * run. One that ends meanwhile may have saved its statistics behind our back,
 * so they are read when none runs any more, or are said to be incomplete.
 */
static size_t load_last(struct merge *merge, struct empty *empty, int *error)
{
	size_t running = count_running();
	const char *fault;

	*error = load(merge, empty);
	if (running && !count_running()) {
		merge_free(merge);
		*empty = (struct empty){ 0 };
		*error = load(merge, empty);
		running = 0;
	}
	/* Finds out how they ended. */
	if (merge->count)
		merge_build(merge, stat_run.name, 0, &stat_run.child, &fault);
	/* Others' environments may be unreadable. */
	if (running < merge_running(merge) + empty->alive)
		running = merge_running(merge) + empty->alive;
	return running;
}

/* Nothing was counted: of what, by the variables that say whose calls are. */
static void complain_nothing(void)
{
	static const char *const variables[] = {
		"CUAUDIT_DOMAINS", "CUAUDIT_EXCLUDE", "CUAUDIT_FUNCTIONS", "CUAUDIT_INCLUDE", "CUAUDIT_LIBC",
		"CUAUDIT_PROVIDERS",
	};
	const char *domains = getenv("CUAUDIT_DOMAINS"), *providers = getenv("CUAUDIT_PROVIDERS");
	bool driver = (!domains || !strcmp(domains, "driver")) && (!providers || !*providers);
	struct out set = { 0 };

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *value = getenv(variables[i]);

		if (!value || !*value)
			continue;
		out_text(&set, set.used ? " " : ", with ");
		out_text(&set, variables[i]);
		out_text(&set, "=");
		out_text(&set, value);
	}
	out_bytes(&set, "", 1);
	tool_complain("no call of %s was counted in any process of %s%s; see cuaudit doctor",
		      driver ? "the CUDA driver" : "what is watched",
		      stat_run.name, set.error ? "" : set.data);
	out_free(&set);
}

/* All that is to be known is in memory before the directory goes, and before anything can block. */
static void finish(void)
{
	struct merge merge = { .count = 0 };
	struct empty empty = { 0 };
	int error;
	size_t running = load_last(&merge, &empty, &error);
	bool known = trace_processes_known();

	report_free(&merge.report);
	if (!stat_run.keep && !running && known)
		scratch_remove(stat_run.directory, is_saved);
	supervise_end();
	if (merge.count)
		print(&merge);
	if (!merge.report.nprocesses)
		empty_earlier();
	if (empty.ended) {
		tool_complain("%zu process%s of %s left no statistics: killed in the first call, or no "
			      "room to save them", empty.ended, empty.ended == 1 ? "" : "es",
			      stat_run.name);
	} else if (!error && !merge.report.nprocesses && !running && !supervise_failed()) {
		complain_nothing();
		unloaded_complain(stat_run.name);
	}
	if (running)
		tool_complain("%zu process%s of %s still run%s; later calls are not in this report; for "
			      "these: cuaudit report %s", running, running == 1 ? "" : "es",
			      stat_run.name, running == 1 ? "s" : "", stat_run.directory);
	else if (!known)
		tool_complain("whether processes of %s still run is not known: /proc is not there; for calls "
			      "of these: cuaudit report %s", stat_run.name, stat_run.directory);
	merge_free(&merge);
}

/* Where processes save what they counted. */
static char *stat_output(const char *directory)
{
	return exec_join(exec_path_template(directory), "/", STAT_NAME);
}

static int supervise(const struct launch *launch, const char *program)
{
	char *pattern;
	pid_t pid;

	(void)launch;
	stat_run.name = base_name(program);
	if (check_target(program))
		return TOOL_FAILED;
	/* A signal ends us when the directory has been removed. */
	supervise_begin();
	pattern = scratch_pattern("stat");
	if (scratch_make(pattern, stat_run.keep, "statistics", stat_run.directory))
		return TOOL_FAILED;
	free(pattern);
	setenv("CUAUDIT_OUTPUT", stat_output(stat_run.directory), 1);
	pid = supervise_fork();
	if (!pid)
		return LAUNCH_GO;
	if (pid < 0) {
		tool_complain("cannot start a process: %s", strerror(-pid));
		if (!stat_run.keep)
			scratch_remove(stat_run.directory, is_saved);
		return TOOL_FAILED;
	}
	stat_run.child.pid = pid;
	fill_target();
	if (stat_run.output && strstr(stat_run.output, "%p"))
		stat(stat_run.target, &stat_run.earlier);
	stat_run.child.status = supervise_wait(pid, stat_run.interval_ns, tick, NULL);
	stat_run.child.ended = true;
	finish();
	return supervise_status(stat_run.child.status);
}

/* Microseconds: a number that all readers of JSON keep. */
static uint64_t run_number(void)
{
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	return (uint64_t)time.tv_sec * 1000000u + (uint64_t)time.tv_nsec / 1000;
}

int tool_stat(int argc, char **argv)
{
	struct launch launch = { .supervise = supervise };
	char number[32];
	int option;

	while ((option = options_next(argc, argv)) > 0) {
		int result = exec_take(&launch, option);

		if (result == LAUNCH_OTHER)
			result = take(option);
		if (result)
			return TOOL_FAILED;
	}
	if (option == OPTIONS_END)
		option = options_program(argc, argv);
	if (option)
		return options_status(option);
	stat_run.output = launch.output ? launch.output : exec_inherited_output();
	/* The directory has its name later: nothing but the trial has this one. */
	launch.output = stat_output(stat_run.keep ? stat_run.keep : scratch_pattern("stat"));
	if (stat_run.output && template_fault(stat_run.output)) {
		tool_complain("CUAUDIT_OUTPUT: '%.2s' is none of %%p %%h %%e %%r %%t %%%%",
			      template_fault(stat_run.output));
		return TOOL_FAILED;
	}
	launch.directory = stat_run.keep;
	launch.directory_option = "--keep";
	stat_run.run = run_number();
	snprintf(number, sizeof(number), "%llu", (unsigned long long)stat_run.run);
	launch.hooks = exec_join(STAT_HOOKS, "", number);
	if (stat_run.in_range)
		launch.hooks = exec_join(launch.hooks, ";", stat_run.in_range);
	launch.hooks = exec_join(launch.hooks, "", ")");
	return exec_start(&launch, argv + optind);
}
