/* SPDX-License-Identifier: Apache-2.0 */
/* A program as a child of this one, which stands in for it. */
#include "tools/supervise.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What somebody may send to end or to steer a program; those of real time as well. */
static const int forwarded[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM,
				 SIGVTALRM, SIGPROF, SIGPWR, SIGIO, SIGURG, SIGWINCH };

static sigset_t waited, saved;
static struct sigaction saved_child, saved_pipe;
static bool (*filter)(int number);
static volatile bool *failed;	/* shared with the child */

/* exec takes it away. */
static void note_failure(void)
{
	*failed = true;
}

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void restore(void)
{
	sigaction(SIGCHLD, &saved_child, NULL);
	sigprocmask(SIG_SETMASK, &saved, NULL);
}

/* Signals are waited for, not handled: what the program inherits is what we did. */
void supervise_begin(void)
{
	const struct sigaction standard = { .sa_handler = SIG_DFL };

	sigemptyset(&waited);
	sigaddset(&waited, SIGCHLD);
	for (size_t i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); i++)
		sigaddset(&waited, forwarded[i]);
	for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
		sigaddset(&waited, i);
	sigprocmask(SIG_BLOCK, &waited, &saved);
	/* Where it is ignored, there is nothing to wait for. */
	sigaction(SIGCHLD, &standard, &saved_child);
	sigaction(SIGPIPE, NULL, &saved_pipe);
}

pid_t supervise_fork(void)
{
	pid_t parent = getpid(), pid;

	failed = mmap(NULL, sizeof(*failed), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (failed == MAP_FAILED)
		failed = NULL;
	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		int error = errno;

		restore();
		return -error;
	}
	/* Nobody may read our report any more, which is nothing to the program. */
	if (pid)
		signal(SIGPIPE, SIG_IGN);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(128 + SIGKILL);
		/* An earlier program may have run before it. */
		sigaction(SIGPIPE, &saved_pipe, NULL);
		restore();
		if (failed)
			atexit(note_failure);
	}
	return pid;
}

bool supervise_failed(void)
{
	return failed && *failed;
}

/* 0 when the time has come. */
static int wait_signal(siginfo_t *info, uint64_t until)
{
	uint64_t time = now(), left = until > time ? until - time : 0;
	const struct timespec timeout = { (time_t)(left / 1000000000u), (long)(left % 1000000000u) };
	int number;

	do
		number = until ? sigtimedwait(&waited, info, &timeout) : sigwaitinfo(&waited, info);
	while (number < 0 && errno == EINTR && !until);
	return number < 0 ? 0 : number;
}

/*
 * Whether the program has not got the signal itself. The kernel sends those of a terminal to it
 * as well, but not that of a timer set before exec, which a child does not have.
 */
static bool is_ours(const siginfo_t *info)
{
	return info->si_signo != SIGCHLD &&
	       (info->si_code != SI_KERNEL || info->si_signo == SIGALRM ||
		info->si_signo == SIGVTALRM || info->si_signo == SIGPROF);
}

void supervise_filter(bool (*take)(int number))
{
	filter = take;
}

int supervise_wait(pid_t pid, uint64_t interval_ns, void (*tick)(void *data), void *data)
{
	uint64_t next = tick && interval_ns ? now() + interval_ns : 0;
	int status = 0;

	for (;;) {
		siginfo_t info;
		int number = wait_signal(&info, next);

		if (waitpid(pid, &status, WNOHANG) == pid)
			break;
		if (number && is_ours(&info) && !(filter && filter(number)))
			kill(pid, number);
		if (next && now() >= next) {
			tick(data);
			next = now() + interval_ns;
		}
	}
	return status;
}

void supervise_end(void)
{
	const struct timespec none = { 0, 0 };
	int number;

	do
		number = sigtimedwait(&waited, NULL, &none);
	while (number > 0 || errno == EINTR);
	restore();
}

int supervise_status(int status)
{
	const struct rlimit none = { 0, 0 };
	int number;
	sigset_t mask;

	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	number = WTERMSIG(status);
	fflush(NULL);
	/* A core of ours is of no use, and might be written over the program's. */
	setrlimit(RLIMIT_CORE, &none);
	signal(number, SIG_DFL);
	sigemptyset(&mask);
	sigaddset(&mask, number);
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
	raise(number);
	return 128 + number;
}
