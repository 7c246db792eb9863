/* SPDX-License-Identifier: Apache-2.0 */
/* Another program, run to hear what it says. */
#include "tools/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGEST = 1 << 20 };

/* What a child writes. By a pipe: a memfd is a file, and under the limit on the size of files. */
struct stream {
	int ends[2];	/* to read, without waiting, and to write; -1 */
	char *text;	/* LARGEST bytes of it at most */
	size_t used;
	bool open;
};

/* Behind the standard streams: one of ours may be closed, and its number free. */
static int behind(int fd)
{
	int other = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), error = errno;

	close(fd);
	errno = error;
	return other;
}

/* 0 or -errno; stream_close in both cases. */
static int stream_open(struct stream *stream)
{
	int ends[2];

	*stream = (struct stream){ .ends = { -1, -1 }, .open = true };
	stream->text = malloc(LARGEST + 1);
	if (!stream->text)
		return -ENOMEM;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	for (int i = 0; i < 2; i++)
		stream->ends[i] = behind(ends[i]);
	if (stream->ends[0] < 0 || stream->ends[1] < 0)
		return -errno;
	return fcntl(stream->ends[0], F_SETFL, O_NONBLOCK) ? -errno : 0;
}

static void close_end(struct stream *stream, int end)
{
	if (stream->ends[end] >= 0)
		close(stream->ends[end]);
	stream->ends[end] = -1;
}

static void stream_close(struct stream *stream)
{
	close_end(stream, 0);
	close_end(stream, 1);
	free(stream->text);
}

/* What there is, LARGEST at a time: what is too much is read and dropped. */
static void stream_read(struct stream *stream)
{
	char rest[4096];
	ssize_t got;

	for (int i = 0; i < LARGEST / (int)sizeof(rest) && stream->open; i++) {
		size_t room = LARGEST - stream->used;

		got = read(stream->ends[0], room ? stream->text + stream->used : rest,
			   room && room < sizeof(rest) ? room : sizeof(rest));
		if (got < 0 && errno != EINTR)
			return;
		stream->open = got != 0;
		if (room && got > 0)
			stream->used += (size_t)got;
	}
}

/* All that the process writes until it ends: a child of its own may hold the pipes for longer. */
static int collect(struct stream streams[2], pid_t pid, int *status)
{
	enum { LOOK_MS = 20 };	/* how long that may go unseen */
	pid_t ended = 0;

	while (!ended) {
		struct pollfd polled[] = {
			{ .fd = streams[0].open ? streams[0].ends[0] : -1, .events = POLLIN },
			{ .fd = streams[1].open ? streams[1].ends[0] : -1, .events = POLLIN },
		};
		bool open = streams[0].open || streams[1].open;

		if (open)
			poll(polled, 2, LOOK_MS);
		ended = waitpid(pid, status, open ? WNOHANG : 0);
		if (ended < 0 && errno != EINTR)
			return -errno;
		ended = ended < 0 ? 0 : ended;
		stream_read(&streams[0]);
		stream_read(&streams[1]);
	}
	return 0;
}

/* The time ends it, whatever our caller ignores or blocks. */
static void bound_time(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	signal(SIGALRM, SIG_DFL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	alarm(CHILD_SECONDS);
}

static _Noreturn void become(char *const argv[], const struct stream streams[2],
			     void (*prepare)(const void *data), const void *data)
{
	int null = open("/dev/null", O_RDONLY);

	/* In a root directory without it, a file of nothing is as good. */
	if (null < 0)
		null = memfd_create("in", MFD_CLOEXEC);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(streams[0].ends[1], STDOUT_FILENO) < 0 ||
	    dup2(streams[1].ends[1], STDERR_FILENO) < 0)
		_exit(127);
	prepare(data);
	bound_time();
	execv(argv[0], argv);
	_exit(127);
}

static char *take_text(struct stream *stream)
{
	char *text = stream->text;

	text[stream->used] = '\0';
	stream->text = NULL;
	return text;
}

int child_run(struct child *child, char *const argv[], void (*prepare)(const void *data),
	      const void *data)
{
	struct stream streams[2];
	const struct sigaction standard = { .sa_handler = SIG_DFL };
	struct sigaction saved;
	int error = stream_open(&streams[0]), other = stream_open(&streams[1]);
	pid_t pid;

	*child = (struct child){ NULL, NULL, 0 };
	if (error || other) {
		error = error ? error : other;
		goto out;
	}
	fflush(NULL);
	/* Where it is ignored, there is no status to wait for. */
	sigaction(SIGCHLD, &standard, &saved);
	pid = fork();
	if (!pid)
		become(argv, streams, prepare, data);
	error = pid < 0 ? -errno : 0;
	close_end(&streams[0], 1);
	close_end(&streams[1], 1);
	if (!error)
		error = collect(streams, pid, &child->status);
	sigaction(SIGCHLD, &saved, NULL);
	if (error)
		goto out;
	child->out = take_text(&streams[0]);
	child->err = take_text(&streams[1]);
out:
	stream_close(&streams[0]);
	stream_close(&streams[1]);
	return error;
}

void child_free(struct child *child)
{
	free(child->out);
	free(child->err);
	child->out = child->err = NULL;
}

const char *child_self(void)
{
	return access("/proc/self/exe", X_OK) ? (const char *)getauxval(AT_EXECFN) : "/proc/self/exe";
}
