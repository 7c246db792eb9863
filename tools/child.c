/* SPDX-License-Identifier: Apache-2.0 */
/* Another program, run to hear what it says. */
#include "tools/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 10, LARGEST = 1 << 20 };

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

static _Noreturn void become(char *const argv[], const int files[2],
			     void (*prepare)(const void *data), const void *data)
{
	int null = open("/dev/null", O_RDONLY);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(files[0], STDOUT_FILENO) < 0 ||
	    dup2(files[1], STDERR_FILENO) < 0)
		_exit(127);
	prepare(data);
	alarm(SECONDS);
	execv(argv[0], argv);
	_exit(127);
}

int child_run(struct child *child, char *const argv[], void (*prepare)(const void *data),
	      const void *data)
{
	int files[2] = { memfd_create("out", MFD_CLOEXEC), memfd_create("err", MFD_CLOEXEC) };
	int error = 0;
	pid_t pid;

	*child = (struct child){ NULL, NULL, 0 };
	if (files[0] < 0 || files[1] < 0) {
		error = -errno;
		goto out;
	}
	fflush(NULL);
	pid = fork();
	if (!pid)
		become(argv, files, prepare, data);
	if (pid < 0) {
		error = -errno;
		goto out;
	}
	while (waitpid(pid, &child->status, 0) < 0 && errno == EINTR)
		;
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
