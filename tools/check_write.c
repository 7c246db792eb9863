/* SPDX-License-Identifier: Apache-2.0 */
/* cuaudit check --write-baseline and --update: several runs become a lock file. */
#include "tools/check_write.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "tools/exec.h"
#include "tools/supervise.h"
#include "tools/tool.h"

/* What the runs came to so far. */
struct writing {
	struct check_run *run;
	const struct check_lock *lock;
	char **command;
	struct baseline_runs runs;
	uint32_t number;	/* of the run, from 1 */
	int ended;		/* a run that failed: its status, of wait(2) */
};

static int no_memory(void)
{
	tool_complain("check: %s", strerror(ENOMEM));
	return TOOL_NOT_MADE;
}

/* A run that failed is the last one. */
static int complain_ending(const struct writing *writing)
{
	bool killed = WIFSIGNALED(writing->ended);

	if (!supervise_failed())
		tool_complain("run %u of %s ended by %s %d; %s is not written", writing->number,
			      writing->command[0], killed ? "signal" : "status",
			      killed ? WTERMSIG(writing->ended) : WEXITSTATUS(writing->ended),
			      writing->lock->path);
	return TOOL_NOT_MADE;
}

/* What the run's processes left, which is gone then. */
static int take(struct writing *writing)
{
	struct check_result result = { .baseline = writing->lock->path };
	struct baseline_run facts = BASELINE_RUN;
	int status = 0;

	facts.names = writing->lock->names;
	check_run_load(writing->run, &result, &facts);
	check_run_clear(writing->run);
	check_judge(&result);
	for (size_t i = 0; i < result.nproblems; i++)
		tool_complain("run %u: %s", writing->number, result.problems[i]);
	if (result.nproblems)
		status = TOOL_NOT_MADE;
	else if (result.no_memory || baseline_runs_add(&writing->runs, &facts))
		status = no_memory();
	baseline_run_free(&facts);
	check_free(&result);
	return status;
}

static int run_once(struct writing *writing)
{
	int status = check_run_once(writing->run, &writing->ended);

	if (status)
		return status;
	return writing->ended ? complain_ending(writing) : take(writing);
}

int check_write(struct check_run *run, struct check_lock *lock, uint32_t runs, char **command)
{
	struct writing writing = { .run = run, .lock = lock, .command = command };
	int status = 0;

	writing.runs = BASELINE_RUNS;
	while (!status && writing.number < runs) {
		writing.number++;
		status = run_once(&writing);
	}
	if (status == LAUNCH_GO)
		return status;
	check_run_end(run);
	supervise_end();
	if (!status)
		status = check_lock_write(lock, &writing.runs, command);
	baseline_runs_free(&writing.runs);
	return writing.ended ? supervise_status(writing.ended) : status;
}
