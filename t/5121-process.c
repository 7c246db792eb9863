/* SPDX-License-Identifier: Apache-2.0 */
/* Processes are found by their environment, whatever they do to it. */
#include "tools/process.h"

#include <limits.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "t/tap.h"
#include "tracefile/ending.h"

static char self[PATH_MAX], mark[64];

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

/* Starts this program again, to do as `how` says, with one variable beside the mark or alone. */
static pid_t start(const char *how, const char *variable, bool marked)
{
	pid_t pid = fork();

	if (!pid) {
		char *environment[] = { (char *)variable, marked ? mark : NULL, NULL };

		execle(self, self, how, NULL, environment);
		_exit(127);
	}
	pause_ms(100);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* How many of 500 looks saw that many processes. */
static int looks(size_t count)
{
	int right = 0;

	for (int i = 0; i < 500; i++)
		right += process_count(mark) == count;
	return right;
}

int main(int argc, char **argv)
{
	enum { LARGE = 200000 };
	char *large = malloc(LARGE);
	pid_t one, two;

	if (argc > 1) {
		if (!strcmp(argv[1], "exec"))
			execl("/proc/self/exe", argv[0], "exec", NULL);
		pause();
		return 0;
	}
	if (!large || readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
		bail_out("no path of its own");
	snprintf(mark, sizeof(mark), "CUAUDIT_PROCESS_TEST=%ld;", (long)getpid());
	memset(large, 'x', LARGE);
	memcpy(large, "X=", 2);
	/* At most 128 KiB a variable. */
	large[120000] = '\0';

	ok(trace_processes_known(), "/proc is there");
	is_int(process_count(mark), 0, "none has it");
	one = start("stay", "A=", true);
	is_int(process_count(mark), 1, "one that stays");
	two = start("stay", large, true);
	is_int(process_count(mark), 2, "... and one with the mark behind 120,000 bytes");
	end(two);
	two = start("stay", "A=", false);
	is_int(process_count(mark), 1, "... and one without it");
	end(two);
	end(one);
	one = start("exec", "A=", true);
	is_int(looks(1), 500, "one that executes itself again and again, of 500 looks");
	end(one);
	one = fork();
	if (!one)
		_exit(0);
	pause_ms(100);
	is_int(looks(0), 500, "a zombie beside has none");
	end(one);
	free(large);
	return done_testing();
}
