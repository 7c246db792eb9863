/* SPDX-License-Identifier: Apache-2.0 */
/* A program run for its manifest: traced into a directory of our own. */
#include "tools/manifest_run.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/process.h"
#include "tools/supervise.h"
#include "tools/tool.h"
#include "tools/unloaded.h"
#include "tracefile/ending.h"

/* Names of functions are longer than strings are recorded by default. */
#define HOOKS "trace(args=yes;strings=256;ranges=no;error-text=no)"

static char directory[PATH_MAX];
static char *output;
static manifest_read_fn read_traces;
static int (*write_page)(void);

static int make_directory(void)
{
	const char *parent = getenv("TMPDIR");
	char *path;

	if (!parent || !*parent)
		parent = "/tmp";
	path = exec_join(parent, "/", "cuaudit-manifest-XXXXXX");
	if (mkdtemp(path) && realpath(path, directory)) {
		free(path);
		return 0;
	}
	tool_complain("cannot create a directory for traces in %s: %s; set TMPDIR to a directory that can "
		      "be written to", parent, strerror(errno));
	free(path);
	return -1;
}

static size_t remove_traces(void)
{
	DIR *entries = opendir(directory);
	const struct dirent *entry;
	size_t count = 0;

	while (entries && (entry = readdir(entries)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			count += !unlinkat(dirfd(entries), entry->d_name, 0);
	if (entries)
		closedir(entries);
	return count;
}

static void remove_directory(void)
{
	size_t count;

	/* A process that goes on may begin its file meanwhile. */
	do {
		count = remove_traces();
		if (!rmdir(directory))
			return;
	} while (errno == ENOTEMPTY && count);
	tool_complain("cannot remove %s: %s", directory, strerror(errno));
}

static bool is_empty(void)
{
	DIR *entries = opendir(directory);
	const struct dirent *entry;
	bool empty = true;

	while (entries && empty && (entry = readdir(entries)))
		empty = *entry->d_name == '.';
	if (entries)
		closedir(entries);
	return empty;
}

/* Whether a process of this run has not ended, be it that it has not called the driver yet. */
static bool any_runs(void)
{
	return process_count(exec_join("CUAUDIT_OUTPUT=", output, "")) > 0;
}

/* 0, or TOOL_FAILED where there is no manifest. */
static int finish(const char *program)
{
	/* Before traces are read: calls of one that ends meanwhile may be missing there. */
	bool living = any_runs();
	int status = TOOL_FAILED;

	if (!is_empty()) {
		status = read_traces(directory, &living);
	} else if (!supervise_failed() && !living) {
		tool_complain("no call of the CUDA driver was recorded in any process of %s; see cuaudit "
			      "doctor", program);
		unloaded_complain(program);
	} else {
		status = TOOL_OK;
	}
	if (!trace_processes_known())
		tool_complain("whether processes of %s still run is not known: /proc is not there; for calls of "
			      "these: cuaudit manifest %s", program, directory);
	else if (living)
		tool_complain("processes of %s still run; later calls are not in this manifest; for these: "
			      "cuaudit manifest %s", program, directory);
	else
		remove_directory();
	return status;
}

static int supervise(const struct launch *launch, const char *program)
{
	int status, result;
	pid_t pid;

	(void)launch;
	/* A signal ends us when the directory has been removed. */
	supervise_begin();
	if (make_directory())
		return TOOL_FAILED;
	output = exec_join(exec_path_template(directory), "/", TRACE_NAME);
	setenv("CUAUDIT_OUTPUT", output, 1);
	pid = supervise_fork();
	if (!pid)
		return LAUNCH_GO;
	if (pid < 0) {
		tool_complain("cannot start a process: %s", strerror(-pid));
		remove_directory();
		return TOOL_FAILED;
	}
	status = supervise_wait(pid, 0, NULL, NULL);
	result = finish(program);
	supervise_end();
	result = write_page() ?: result;
	return result ? result : supervise_status(status);
}

int manifest_run(struct launch *launch, char **argv, manifest_read_fn read, int (*write)(void))
{
	static char hooks[] = HOOKS, all[] = "";

	read_traces = read;
	write_page = write;
	launch->hooks = hooks;
	launch->functions = all;
	launch->supervise = supervise;
	return exec_start(launch, argv);
}
