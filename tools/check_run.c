/* SPDX-License-Identifier: Apache-2.0 */
/* A run of the command of cuaudit check, and what its processes left. */
#include "tools/check_run.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/check_file.h"
#include "tools/check_files.h"
#include "tools/exec.h"
#include "tools/scratch.h"
#include "tools/supervise.h"
#include "tools/tool.h"
#include "tools/unwatched.h"

/*
 * How long a process that has begun may lack the marks that were reached before; and how long one
 * that is not checked may run before it is seen.
 */
enum { MARK_NS = 50000000, LOOK_NS = 100000000, UNWATCHED_SHOWN = 16 };

/*
 * All of an array's elements, for copies of several parts; no texts, which no fact is of. What
 * is seen at the beginning of calls is for those that hang.
 */
#define TRACE_HOOK "trace(elements=100;strings=0;error-text=no;open=no"

static struct check_run *current;	/* for signals */

static char *file_option(const struct check_run *run, const char *name, const char *directory,
			 const char *file)
{
	return exec_hook_option_of(run->keep ? "--keep" : "TMPDIR", name,
				   exec_join(exec_path_template(directory), "/", file));
}

char *check_run_hooks(const struct check_run *run, const char *directory)
{
	char *file = run->rules ? exec_hook_option_of("--rules", "file", run->rules) : NULL;
	char *save = file_option(run, "save", directory, CHECK_NAME);
	char *trace = save && run->traced ? file_option(run, "file", directory, CHECK_TRACE_NAME) : NULL;
	char *hooks;

	if (!save || (run->rules && !file))
		return NULL;
	hooks = exec_join(exec_join("rules(", "", exec_join(file, ";", save)), "", ")");
	if (trace) {
		trace = exec_join(TRACE_HOOK, ";", trace);
		trace = run->size ? exec_join(trace, ";", run->size) : trace;
		hooks = exec_join(hooks, ",", exec_join(trace, "", ")"));
	}
	return run->hooks ? exec_join(hooks, ",", run->hooks) : hooks;
}

/* What processes of this run have in their environment, and no others. */
static char *mark(const struct check_run *run)
{
	return exec_join("save=", "", exec_join(exec_path_template(run->directory), "/", CHECK_NAME));
}

const char *check_run_begin(struct check_run *run)
{
	char *hooks;

	run->marks = run->rules ? check_files_signals(run->rules) : 0;
	run->input = lseek(STDIN_FILENO, 0, SEEK_CUR);
	if (scratch_make(run->pattern, run->keep, "findings", run->directory))
		return "no directory could be made for findings";
	hooks = check_run_hooks(run, run->directory);
	if (!hooks)
		return "the directory for findings has a name that no setting can hold";
	exec_tell_replaced(hooks);
	setenv("CUAUDIT_HOOKS", hooks, 1);
	setenv("CUAUDIT_CHECK", mark(run) + sizeof("save=") - 1, 1);
	return NULL;
}

/* Signals of marks are for us: the program knows nothing of them. */
static bool take_signal(int number)
{
	unsigned int bit = number < 32 ? 1u << number : 0;

	current->marked |= current->marks & bit;
	if (current->marks & bit)
		check_files_mark(current->directory, current->marked);
	return current->marks & bit;
}

/* Of processes that have their files only now, too. */
static void tick(void *unused)
{
	(void)unused;
	unwatched_look();
	if (current->marked)
		check_files_mark(current->directory, current->marked);
}

int check_run_once(struct check_run *run, int *status)
{
	char *auditor = exec_join("LD_AUDIT=", "", getenv("LD_AUDIT")), *hooks = mark(run);
	pid_t pid;

	current = run;
	unwatched_begin(auditor, hooks);
	if (run->input >= 0)
		lseek(STDIN_FILENO, run->input, SEEK_SET);
	pid = supervise_fork();
	if (!pid)
		return LAUNCH_GO;
	if (pid < 0) {
		tool_complain("cannot start a process: %s", strerror(-pid));
		return TOOL_NOT_MADE;
	}
	supervise_filter(take_signal);
	*status = supervise_wait(pid, run->marks ? MARK_NS : LOOK_NS, tick, NULL);
	free(auditor);
	free(hooks);
	return 0;
}

static void load_traces(const struct check_run *run, struct check_result *result,
			struct baseline_run *facts)
{
	DIR *entries = opendir(run->directory);
	const struct dirent *entry;

	while (entries && (entry = readdir(entries))) {
		char fault[BASELINE_FAULT], *path;

		if (!check_files_is_trace(entry))
			continue;
		path = exec_join(run->directory, "/", entry->d_name);
		if (!baseline_run_add(facts, path, fault))
			check_problem(result, "the trace %s: %s", entry->d_name, fault);
		free(path);
	}
	if (entries)
		closedir(entries);
}

static bool take_trace(struct baseline_run *facts, uint32_t pid)
{
	uint32_t number = table_find(&facts->traces, &pid, sizeof(pid)), *left;

	if (number == TABLE_NONE)
		return false;
	left = table_row(&facts->traces, number);
	if (!*left)
		return false;
	--*left;
	return true;
}

/* Each program that called the driver has one; a process may become another program. */
static void find_untraced(struct check_result *result, struct baseline_run *facts)
{
	for (size_t i = 0; i < result->nprocesses; i++) {
		const struct check_header *header = &result->processes[i].file->header;

		if (header->calls && !take_trace(facts, header->pid))
			check_problem(result, "process %u of %s has no trace: what it called is not "
				      "known", header->pid, header->command);
	}
}

/* A trace grows while its process runs. */
static bool is_over(const struct check_result *result)
{
	for (size_t i = 0; i < result->nprocesses; i++)
		if (result->processes[i].runs)
			return false;
	return !result->nproblems;
}

static void report_unwatched(struct check_result *result)
{
	const struct unwatched *process;
	size_t i = 0, more = 0;

	for (; i < UNWATCHED_SHOWN && (process = unwatched_get(i)); i++)
		check_problem(result, "process %u, %s, has the driver and is not checked: its "
			      "environment is not the command's, or the loader left the auditor "
			      "out, as for other privileges and in another root directory; let it "
			      "keep LD_AUDIT and CUAUDIT_HOOKS, and set no CUAUDIT_FOLLOW=0", process->pid,
			      process->name);
	while (unwatched_get(i + more))
		more++;
	if (more)
		check_problem(result, "%zu more processes have the driver and are not checked", more);
	if (!unwatched_is_whole())
		check_problem(result, "memory was out: not all processes of the command were looked at, "
			      "and one of them may have the driver and not be checked");
}

/* Of calls that such a process leaves out no rule tells. */
static void report_scopes(struct check_result *result)
{
	uint64_t scope = check_scope(getenv("CUAUDIT_DOMAINS"), getenv("CUAUDIT_LIBC"), getenv("CUAUDIT_PROVIDERS"));

	for (size_t i = 0; i < result->nprocesses; i++) {
		const struct check_header *header = &result->processes[i].file->header;

		if (header->scope != scope)
			check_problem(result, "process %u of %s had other values of CUAUDIT_DOMAINS, "
				      "CUAUDIT_LIBC or CUAUDIT_PROVIDERS than the command: rules did not see all of its calls; "
				      "let it keep them", header->pid, header->command);
	}
}

void check_run_load(const struct check_run *run, struct check_result *result,
		    struct baseline_run *facts)
{
	check_files_load(result, run->directory, mark(run));
	report_unwatched(result);
	report_scopes(result);
	if (facts && is_over(result)) {
		load_traces(run, result, facts);
		find_untraced(result, facts);
	}
}

void check_run_end(const struct check_run *run)
{
	if (!run->keep)
		scratch_remove(run->directory, check_files_is_one);
}

void check_run_clear(const struct check_run *run)
{
	DIR *entries = opendir(run->directory);
	const struct dirent *entry;

	while (entries && (entry = readdir(entries)))
		if (check_files_is_one(entry))
			unlinkat(dirfd(entries), entry->d_name, 0);
	if (entries)
		closedir(entries);
}
