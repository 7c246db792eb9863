/* SPDX-License-Identifier: Apache-2.0 */
/* cuaudit baseline: compares the driver calls of a program with a lock file, or writes that. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/baseline.h"
#include "tools/atomic_file.h"
#include "tools/exec.h"
#include "tools/options.h"
#include "tools/supervise.h"
#include "tools/tool.h"
#include "tracefile/tracefile.h"
#include "util/io.h"
#include "util/planted.h"
#include "util/size.h"

enum { RUNS = 5, RUNS_MOST = 1000, LARGEST = 64 << 20 };

/* Exit statuses beside those of tool.h. */
enum { DIFFERENT = 88, NOT_CHECKED = 89 };

/*
 * All of an array's elements, for copies of several parts; no texts, which no fact is of. What
 * is seen at the beginning of calls is for those that hang.
 */
#define HOOK "trace(elements=100;strings=0;error-text=no;open=no"

enum purpose { COMPARE, WRITE, UPDATE };

static struct {
	enum purpose purpose;
	const char *path;	/* of the lock file */
	uint32_t runs;		/* 0: not given */
	char *hook;
	char **program;		/* with its arguments */
	char *text;		/* of the lock file, as it was read */
	struct baseline_lock lock;
	enum demangle names;	/* of kernels */
	char directory[PATH_MAX];	/* for traces */
	off_t input;		/* where standard input began; -1: it cannot be read again */
} baseline;

static int choose_lock(enum purpose purpose, const char *path)
{
	if (baseline.path) {
		tool_complain("baseline: --write and --update are not for one run");
		return -1;
	}
	if (!*path) {
		tool_complain("--%s takes the path of a lock file, not ''",
			      purpose == WRITE ? "write" : "update");
		return -1;
	}
	baseline.purpose = purpose;
	baseline.path = path;
	return 0;
}

static int choose_runs(const char *text)
{
	char *end;
	unsigned long runs = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || !runs || runs > RUNS_MOST) {
		tool_complain("--runs takes a number from 1 to %d, not '%s'", RUNS_MOST, text);
		return -1;
	}
	baseline.runs = (uint32_t)runs;
	return 0;
}

static int choose_size(const char *text)
{
	uint64_t size;
	char *option;

	if (!size_parse(text, &size)) {
		tool_complain("--size takes SIZE, not '%s'", text);
		return -1;
	}
	option = exec_hook_option("size", text);
	if (!option)
		return -1;
	baseline.hook = option;
	return 0;
}

static int take(int option)
{
	switch (option) {
	case '0':
		return choose_lock(UPDATE, optarg);
	case 'Q':
		return choose_lock(WRITE, optarg);
	case 'z':
		return choose_runs(optarg);
	default:
		return choose_size(optarg);
	}
}

/* All of a file, with no end of a text behind it; NULL after a message. */
static char *read_file(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), error = 0;
	char *text = NULL;
	struct stat status;

	*size = 0;
	if (fd < 0 || fstat(fd, &status)) {
		error = errno;
	} else if (!S_ISREG(status.st_mode)) {
		error = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
	} else if (status.st_size > LARGEST) {
		error = EFBIG;
	} else {
		text = malloc((size_t)status.st_size + 1);
		error = text ? 0 : ENOMEM;
	}
	while (!error && *size < (size_t)status.st_size) {
		ssize_t got = read(fd, text + *size, (size_t)status.st_size - *size);

		if (got <= 0)
			error = got ? errno : EIO;
		else
			*size += (size_t)got;
	}
	if (fd >= 0)
		close(fd);
	if (!error)
		return text;
	tool_complain("%s: %s%s", path, strerror(error), error == ENOENT ?
		      "; cuaudit baseline --write writes a lock file" : "");
	free(text);
	return NULL;
}

static int read_lock(void)
{
	struct baseline_fault fault;
	size_t size;

	baseline.text = read_file(baseline.path, &size);
	if (!baseline.text)
		return -1;
	if (!baseline_read(&baseline.lock, baseline.text, size, &fault)) {
		if (fault.line)
			tool_complain("%s:%u: %s", baseline.path, fault.line, fault.text);
		else
			tool_complain("%s: %s", baseline.path, fault.text);
		return -1;
	}
	if (!strcmp(baseline.lock.headers[BASELINE_KERNELS], BASELINE_MANGLED))
		return 0;
	baseline.names = DEMANGLE_FULL;
	if (demangle_is_there())
		return 0;
	tool_complain("%s: its kernels are " BASELINE_DEMANGLED ", and this cuaudit was built "
		      "without libsupc++", baseline.path);
	return -1;
}

/* Whether it can be written is known before the program runs for hours. */
static int check_target(void)
{
	char *parent = strchr(baseline.path, '/') ? exec_join("", "", baseline.path) :
						    exec_join(".", "/", baseline.path);
	char *slash = strrchr(parent, '/');
	struct stat status;
	int error = 0;

	slash[slash == parent] = '\0';
	if (!stat(baseline.path, &status))
		error = S_ISDIR(status.st_mode) ? EISDIR : access(baseline.path, W_OK) ? errno : 0;
	else if (errno != ENOENT || access(parent, W_OK | X_OK))
		error = errno;
	free(parent);
	if (!error && planted_name(baseline.path))
		error = PLANTED;
	if (error)
		tool_complain("%s: %s", baseline.path, error == PLANTED ? io_remedy(error) :
								       strerror(error));
	return error ? -1 : 0;
}

/* The lock file as it is before the program runs. */
static int begin_lock(void)
{
	const char *names;

	if (baseline.purpose != COMPARE && check_target())
		return -1;
	if (baseline.purpose != WRITE)
		return read_lock();
	baseline.lock = BASELINE_LOCK;
	baseline.names = demangle_is_there() ? DEMANGLE_FULL : DEMANGLE_NO;
	names = baseline.names ? BASELINE_DEMANGLED : BASELINE_MANGLED;
	return baseline_header(&baseline.lock, BASELINE_KERNELS, &names, 1);
}

static int make_directory(void)
{
	const char *parent = getenv("TMPDIR");
	char *path;

	if (!parent || !*parent)
		parent = "/tmp";
	path = exec_join(parent, "/", "cuaudit-baseline-XXXXXX");
	if (mkdtemp(path) && realpath(path, baseline.directory))
		return 0;
	tool_complain("cannot create a directory for traces in %s: %s; set TMPDIR to a directory "
		      "that can be written to", parent, strerror(errno));
	return -1;
}

/* Adds the trace unless run is NULL, and removes it. */
static bool take_trace(struct baseline_run *run, const char *name, uint32_t number)
{
	char *path = exec_join(baseline.directory, "/", name), fault[BASELINE_FAULT];
	bool whole = !run || baseline_run_add(run, path, fault);

	if (!whole)
		tool_complain("run %u, the trace %s: %s", number, name, fault);
	unlink(path);
	free(path);
	return whole;
}

/* What the last run left, which is gone then; run is NULL where nobody wants it. */
static bool take_traces(struct baseline_run *run, uint32_t number)
{
	DIR *entries = opendir(baseline.directory);
	const struct dirent *entry;
	bool whole = entries;

	if (!entries)
		tool_complain("%s: %s", baseline.directory, strerror(errno));
	while (entries && (entry = readdir(entries)))
		if (strstr(entry->d_name, TRACE_SUFFIX) &&
		    !take_trace(whole ? run : NULL, entry->d_name, number))
			whole = false;
	if (entries)
		closedir(entries);
	if (whole && run && !run->calls)
		tool_complain("run %u: no process of %s called the CUDA driver; see cuaudit doctor",
			      number, baseline.program[0]);
	return whole && run && run->calls;
}

static void remove_directory(void)
{
	take_traces(NULL, 0);
	if (rmdir(baseline.directory))
		tool_complain("cannot remove %s: %s", baseline.directory, strerror(errno));
}

static void complain_ending(int status, uint32_t number)
{
	if (supervise_failed())
		return;
	tool_complain("run %u of %s ended by %s %d; %s is %s", number, baseline.program[0],
		      WIFSIGNALED(status) ? "signal" : "status",
		      WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), baseline.path,
		      baseline.purpose == COMPARE ? "not compared" : "not written");
}

/*
 * One run, and what its processes did: 0, LAUNCH_GO in the program, or a status; *ended: its end,
 * as of wait(2).
 */
static int run_once(struct baseline_run *run, uint32_t number, int *ended)
{
	pid_t pid;

	/* Each run reads the same. */
	if (baseline.input >= 0)
		lseek(STDIN_FILENO, baseline.input, SEEK_SET);
	pid = supervise_fork();
	if (!pid)
		return LAUNCH_GO;
	if (pid < 0) {
		tool_complain("cannot start a process: %s", strerror(-pid));
		return TOOL_FAILED;
	}
	*ended = supervise_wait(pid, 0, NULL, NULL);
	if (*ended) {
		complain_ending(*ended, number);
		return NOT_CHECKED;
	}
	*run = BASELINE_RUN;
	run->names = baseline.names;
	return take_traces(run, number) ? 0 : NOT_CHECKED;
}

static int no_memory(void)
{
	tool_complain("baseline: %s", strerror(ENOMEM));
	return TOOL_FAILED;
}

static int compare(const struct baseline_run *run)
{
	const char *driver = baseline.lock.headers[BASELINE_DRIVER];
	struct out out = { 0 };
	ssize_t found = baseline_compare(&baseline.lock, run, baseline.path, &out);
	char version[16];

	if (found < 0) {
		out_free(&out);
		return no_memory();
	}
	out_write(&out, STDERR_FILENO, IO_FOREVER);
	out_free(&out);
	if (!found)
		return TOOL_OK;
	tool_complain("%zd fact%s differ%s from %s; if that is meant, change it with --update",
		      found, found == 1 ? "" : "s", found == 1 ? "s" : "", baseline.path);
	snprintf(version, sizeof(version), "%u", run->driver);
	if (driver && strcmp(driver, version) != 0)
		tool_complain("%s is of driver %s, this run of %s", baseline.path, driver, version);
	return DIFFERENT;
}

static int set_headers(const struct baseline_runs *runs)
{
	char version[16], count[16];
	const char *const driver = version, *const made = count;
	size_t words = 0;

	while (baseline.program[words])
		words++;
	snprintf(version, sizeof(version), "%u", runs->driver);
	snprintf(count, sizeof(count), "%u", runs->count);
	return baseline_header(&baseline.lock, BASELINE_COMMAND,
			       (const char *const *)baseline.program, words) ?:
	       baseline_header(&baseline.lock, BASELINE_DRIVER, &driver, 1) ?:
	       baseline_header(&baseline.lock, BASELINE_RUNS_MADE, &made, 1);
}

static int write_file(struct out *out)
{
	struct atomic_file file;
	int error;

	if (atomic_file_begin(&file, baseline.path, ATOMIC_FILE))
		return TOOL_FAILED;
	error = out_write(out, file.fd, IO_FOREVER);
	if (!error)
		return atomic_file_end(&file);
	atomic_file_drop(&file);
	tool_complain("%s: %s", baseline.path, strerror(-error));
	return TOOL_FAILED;
}

static int write_lock(const struct baseline_runs *runs)
{
	struct baseline_totals totals;
	struct out out = { 0 };
	int status;

	if (baseline_update(&baseline.lock, runs) || set_headers(runs))
		return no_memory();
	baseline_write(&baseline.lock, &out);
	status = out.error ? no_memory() : write_file(&out);
	out_free(&out);
	if (status)
		return status;
	totals = baseline_totals(&baseline.lock);
	tool_complain("%s: %zu facts of %u run%s: %zu exact, %zu with bounds, %zu any",
		      baseline.path, totals.facts, runs->count, runs->count == 1 ? "" : "s",
		      totals.exact, totals.facts - totals.exact - totals.any, totals.any);
	return TOOL_OK;
}

/* All runs; what the last one did is in *run. */
static int run_all(struct baseline_runs *runs, struct baseline_run *run, int *ended)
{
	int status = 0;

	for (uint32_t i = 1; !status && i <= baseline.runs; i++) {
		baseline_run_free(run);
		status = run_once(run, i, ended);
		if (!status && baseline_runs_add(runs, run))
			status = no_memory();
	}
	return status;
}

static int supervise(const struct launch *launch, const char *program)
{
	struct baseline_runs runs = BASELINE_RUNS;
	struct baseline_run run = BASELINE_RUN;
	int status, ended = 0;

	(void)launch;
	(void)program;
	baseline.input = lseek(STDIN_FILENO, 0, SEEK_CUR);
	/* A signal that comes between two runs is the next one's; none leaves the directory. */
	supervise_begin();
	if (make_directory())
		return TOOL_FAILED;
	setenv("CUAUDIT_OUTPUT", exec_join(exec_path_template(baseline.directory), "/", TRACE_NAME),
	       1);
	status = run_all(&runs, &run, &ended);
	if (status == LAUNCH_GO)
		return status;
	remove_directory();
	supervise_end();
	if (!status)
		status = baseline.purpose == COMPARE ? compare(&run) : write_lock(&runs);
	baseline_run_free(&run);
	baseline_runs_free(&runs);
	return ended ? supervise_status(ended) : status;
}

/* LOCK [--], where no option names it. */
static int take_lock(int argc, char **argv)
{
	if (baseline.path)
		return 0;
	if (baseline.runs) {
		tool_complain("baseline: --runs is for --write and --update");
		return -1;
	}
	if (!*argv[optind]) {
		tool_complain("baseline: a lock file has a name, not ''");
		return -1;
	}
	baseline.path = argv[optind++];
	if (optind < argc && !strcmp(argv[optind], "--"))
		optind++;
	return options_program(argc, argv);
}

int tool_baseline(int argc, char **argv)
{
	struct launch launch = { .supervise = supervise };
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
	if (take_lock(argc, argv) || begin_lock())
		return TOOL_FAILED;
	if (!baseline.runs)
		baseline.runs = baseline.purpose == COMPARE ? 1 : RUNS;
	baseline.program = argv + optind;
	if (baseline.hook)
		launch.hooks = exec_join(HOOK, ";", baseline.hook);
	launch.hooks = exec_join(launch.hooks ? launch.hooks : HOOK, "", ")");
	return exec_start(&launch, baseline.program);
}
