/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outlet WHAT FD COMMAND...: runs the command with a descriptor that takes nothing: "broken",
 * a pipe that nobody reads any more; "full", a pipe that nobody drains; "hangup" and "stuffed",
 * sockets of the same kinds. With "limit", FD is the most bytes a file may have.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static int fill(int fd)
{
	static const char zeros[4096];
	int flags = fcntl(fd, F_GETFL);

	if (fcntl(fd, F_SETFL, flags | O_NONBLOCK))
		return 1;
	while (write(fd, zeros, sizeof(zeros)) > 0 || write(fd, zeros, 1) > 0)
		;
	return errno != EAGAIN || fcntl(fd, F_SETFL, flags);
}

static int set_up(const char *what, int fd)
{
	int socket = !strcmp(what, "hangup") || !strcmp(what, "stuffed"), ends[2], reader;

	if (socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends))
		return 1;
	reader = fcntl(ends[0], F_DUPFD, 100);
	close(ends[0]);
	if (dup2(ends[1], fd) < 0 || (ends[1] != fd && close(ends[1])))
		return 1;
	if (!strcmp(what, "broken") || !strcmp(what, "hangup"))
		return close(reader);
	/* The reader is the command itself, which never reads. */
	return fill(fd);
}

int main(int argc, char **argv)
{
	sigset_t none;

	if (argc < 4)
		return 99;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (!strcmp(argv[1], "limit")) {
		struct rlimit limit = { (rlim_t)atol(argv[2]), (rlim_t)atol(argv[2]) };

		if (setrlimit(RLIMIT_FSIZE, &limit))
			return 99;
	} else if (set_up(argv[1], atoi(argv[2]))) {
		perror("outlet");
		return 99;
	}
	execvp(argv[3], argv + 3);
	return 99;
}
