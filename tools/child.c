/* SPDX-License-Identifier: Apache-2.0 */
/* Another program, run to hear what it says. */
#include "tools/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LARGEST = 1 << 20 };

/* The file's beginning, NUL-terminated, or NULL. */
static char *content(int fd)
{
	struct stat status;
	size_t size, used = 0;
	char *text;

	if (fstat(fd, &status))
		return NULL;
	size = status.st_size < LARGEST ? (size_t)status.st_size : LARGEST;
	text = malloc(size + 1);
	while (text && used < size) {
		ssize_t got = pread(fd, text + used, size - used, (off_t)used);

		if (got <= 0)
			break;
		used += (size_t)got;
	}
	if (text)
		text[used] = '\0';
	return text;
}

/* Behind the standard streams: one of ours may be closed, and its number free. */
static int make_file(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC), behind;

	if (fd < 0)
		return fd;
	behind = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	close(fd);
	return behind;
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

static _Noreturn void become(char *const argv[], const int files[2],
			     void (*prepare)(const void *data), const void *data)
{
	int null = open("/dev/null", O_RDONLY);

	/* In a root directory without it, a file of nothing is as good. */
	if (null < 0)
		null = memfd_create("in", MFD_CLOEXEC);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(files[0], STDOUT_FILENO) < 0 ||
	    dup2(files[1], STDERR_FILENO) < 0)
		_exit(127);
	prepare(data);
	bound_time();
	execv(argv[0], argv);
	_exit(127);
}

int child_run(struct child *child, char *const argv[], void (*prepare)(const void *data),
	      const void *data)
{
	int files[2] = { make_file("out"), make_file("err") };
	const struct sigaction standard = { .sa_handler = SIG_DFL };
	struct sigaction saved;
	int error = 0;
	pid_t pid;

	*child = (struct child){ NULL, NULL, 0 };
	if (files[0] < 0 || files[1] < 0) {
		error = -errno;
		goto out;
	}
	fflush(NULL);
	/* Where it is ignored, there is no status to wait for. */
	sigaction(SIGCHLD, &standard, &saved);
	pid = fork();
	if (!pid)
		become(argv, files, prepare, data);
	while (pid > 0 && waitpid(pid, &child->status, 0) < 0 && !error)
		error = errno == EINTR ? 0 : -errno;
	if (pid < 0)
		error = -errno;
	sigaction(SIGCHLD, &saved, NULL);
	if (error)
		goto out;
	child->out = content(files[0]);
	child->err = content(files[1]);
	if (!child->out || !child->err) {
		child_free(child);
		error = -ENOMEM;
	}
out:
	for (int i = 0; i < 2; i++)
		if (files[i] >= 0)
			close(files[i]);
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
