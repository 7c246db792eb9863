/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a command beside many children that are older, and wait. usage: crowd COUNT COMMAND [ARGUMENT...] */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STACK = 4096 };

static int wait_for_ever(void *unused)
{
	(void)unused;
	while (pause())
		;
	return 0;
}

/* They share this one's memory, so that they need little of their own. */
static int start_all(int *pids, int count)
{
	for (int i = 0; i < count; i++) {
		char *stack = malloc(STACK);

		pids[i] = stack ? clone(wait_for_ever, stack + STACK, CLONE_VM | SIGCHLD, NULL) : -1;
		if (pids[i] < 0)
			return i;
	}
	return count;
}

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[1]) : 0, started, status = 0;
	int *pids = calloc((size_t)count + 1, sizeof(*pids));
	pid_t child;

	if (!count || !pids)
		return 99;
	started = start_all(pids, count);
	child = started == count ? fork() : -1;
	if (!child) {
		execv(argv[2], argv + 2);
		_exit(99);
	}
	if (child > 0)
		waitpid(child, &status, 0);
	else
		fprintf(stderr, "no more than %d processes\n", started);
	for (int i = 0; i < started; i++)
		kill(pids[i], SIGKILL);
	for (int i = 0; i < started; i++)
		waitpid(pids[i], NULL, 0);
	return child < 0 ? 99 : WEXITSTATUS(status);
}
