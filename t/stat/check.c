/* SPDX-License-Identifier: Apache-2.0 */
/* Scenarios in processes of their own, and reports looked into. */
#include "t/stat/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hooks/modules/stat/stat_coverage.h"
#include "hooks/modules/stat/stat_store.h"

int check_wait(int pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		return -1;
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	printf("# process ended by signal %d\n", WTERMSIG(status));
	return -1;
}

int check_scenario(int (*scenario)(void))
{
	int pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		int failed;

		alarm(600);
		failed = scenario();
		fflush(stdout);
		_exit(failed > 100 ? 100 : failed);
	}
	return check_wait(pid);
}

int check_u64(const char *what, uint64_t got, uint64_t want)
{
	if (got == want)
		return 0;
	printf("# %s: got %" PRIu64 ", want %" PRIu64 "\n", what, got, want);
	return 1;
}

void check_report(struct report *report)
{
	const struct segment *segments;
	sigset_t saved;
	size_t count;

	stat_lock(&saved);
	stat_coverage_update();
	count = stat_store_segments(&segments);
	report_build(report, segments, count, 1000);
	stat_unlock(&saved);
}

const struct report_row *check_row(const struct report_row *rows, size_t count,
				   const char *name)
{
	static const struct report_row none;

	for (size_t i = 0; i < count; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return &none;
}
