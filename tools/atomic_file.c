/* SPDX-License-Identifier: Apache-2.0 */
/* An output that is there as a whole or not at all. */
#include "tools/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/tool.h"
#include "util/io.h"
#include "util/planted.h"
#include "util/template.h"

enum { TRIES = 100 };

/* By default these end the process. */
static const int deadly[] = {
	SIGABRT, SIGALRM, SIGBUS, SIGFPE, SIGHUP, SIGILL, SIGINT, SIGPIPE, SIGQUIT, SIGSEGV,
	SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU
};

/* What was begun; read by the handler. */
static char temporary[PATH_MAX + 64];
static char final[PATH_MAX];
static volatile sig_atomic_t begun;	/* a pid: whose it is */
static enum atomic_file_kind begun_kind;

static const char *reason(int error)
{
	return error == EPIPE ? "nobody reads from it" :
	       error == PLANTED || error == EBADF || error == EISDIR ? io_remedy(error) :
	       error == ELOOP ? "a symbolic link that leads to no file" : strerror(error);
}

static int refuse(const char *target, int error)
{
	tool_complain("%s: %s", target, reason(error));
	return TOOL_FAILED;
}

/* 0, or why it cannot be written to. */
static int check_descriptor(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags < 0 || (flags & O_ACCMODE) == O_RDONLY ? EBADF : 0;
}

/* The error for a name that leads to nothing. */
static int check_link(const char *target)
{
	struct stat status;

	return lstat(target, &status) ? 0 : ELOOP;
}

/* The directory that a file of that name is in. 0, or why none can be made there. */
static int check_parent(const char *target)
{
	const char *slash = strrchr(target, '/');
	size_t length = slash ? (size_t)(slash - target) + (slash == target) : 1;
	char parent[PATH_MAX] = ".";

	if (length >= sizeof(parent))
		return ENAMETOOLONG;
	if (slash)
		memcpy(parent, target, length);
	parent[length] = '\0';
	return access(parent, W_OK | X_OK) ? errno : 0;
}

int atomic_file_check(const char *target, const char *what)
{
	int error, descriptor = io_descriptor(target);
	struct stat status;

	if (descriptor >= 0)
		error = check_descriptor(descriptor);
	else if (template_is_directory(target))
		error = EISDIR;
	else if (!stat(target, &status))
		error = S_ISDIR(status.st_mode) ? EISDIR : access(target, W_OK) ? errno : 0;
	else
		error = errno == ENOENT && *target ? check_link(target) ?: check_parent(target) : errno;
	if (!error && planted_name(target))
		error = PLANTED;
	if (error)
		tool_complain("cannot write %s to %s: %s", what, target, reason(error));
	return error ? -1 : 0;
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool directory_of(const char *path, struct stat *status)
{
	char directory[PATH_MAX];
	int length = (int)(last_component(path) - path);

	if (length >= PATH_MAX)
		return false;
	snprintf(directory, sizeof(directory), "%.*s.", length, path);
	return !stat(directory, status);
}

bool atomic_file_same(const char *target, const char *other)
{
	struct stat a, b;

	if (!strcmp(target, other))
		return true;
	if (stat(target, &a) || stat(other, &b))
		return !strcmp(last_component(target), last_component(other)) &&
		       directory_of(target, &a) && directory_of(other, &b) &&
		       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
	return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool atomic_file_is_program(const char *target)
{
	int fd = open(target, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat status;
	char begin[4];
	bool is;

	if (fd < 0)
		return false;
	is = !fstat(fd, &status) && S_ISREG(status.st_mode) &&
	     pread(fd, begin, sizeof(begin), 0) == (ssize_t)sizeof(begin) &&
	     (!memcmp(begin, "\177ELF", 4) || !memcmp(begin, "#!", 2));
	close(fd);
	return is;
}

int atomic_file_check_run(const char *target, const char *what, const char *program)
{
	const char *is = atomic_file_same(target, program) ? "the" : atomic_file_is_program(target) ? "a" : NULL;

	if (!is)
		return atomic_file_check(target, what);
	tool_complain("%s is %s program, and is no output", target, is);
	return -1;
}

/* An entry of getdents64(2): opendir may not be called in a signal handler. */
struct entry {
	uint64_t inode;
	uint64_t next;
	uint16_t size;
	uint8_t type;
	char name[];
};

enum { LEVELS = 2 };	/* of directories: CTF has one for each process within its own */

static bool remove_directory(int parent, const char *name, int levels);

static bool is_self(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

/* Whether anything was removed. */
static bool remove_entries(int fd, int levels)
{
	char buffer[4096] __attribute__((aligned(8)));
	bool removed = false;
	long got;

	lseek(fd, 0, SEEK_SET);
	while ((got = syscall(SYS_getdents64, fd, buffer, sizeof(buffer))) > 0) {
		for (long at = 0; at < got;) {
			const struct entry *entry = (const void *)(buffer + at);

			at += entry->size;
			if (is_self(entry->name))
				continue;
			if (!unlinkat(fd, entry->name, 0) ||
			    (levels && remove_directory(fd, entry->name, levels)))
				removed = true;
		}
	}
	return removed;
}

/* With the directories in it; a link is not followed. Whether it is removed. */
static bool remove_directory(int parent, const char *name, int levels)
{
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0) {
		while (remove_entries(fd, levels - 1))
			;
		close(fd);
	}
	return !unlinkat(parent, name, AT_REMOVEDIR);
}

/* At exit, and in signal handlers. */
static void remove_begun(void)
{
	if (begun != getpid())
		return;
	if (begun_kind == ATOMIC_DIRECTORY)
		remove_directory(AT_FDCWD, temporary, LEVELS);
	else
		unlink(temporary);
	begun = 0;
}

/* The signal is at its default again. */
static void end_by(int signal)
{
	remove_begun();
	raise(signal);
}

/* What the parent ignored stays so; a file too large is an error of write. */
static void catch_signals(void)
{
	static bool done;

	if (done)
		return;
	done = true;
	atexit(remove_begun);
	signal(SIGXFSZ, SIG_IGN);
	for (size_t i = 0; i < sizeof(deadly) / sizeof(deadly[0]); i++) {
		struct sigaction action = { .sa_handler = end_by,
					    .sa_flags = (int)SA_RESETHAND | SA_NODEFER };
		struct sigaction old;

		if (!sigaction(deadly[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(deadly[i], &action, NULL);
	}
}

/* In the directory of `final`. The descriptor, 0 for a directory, or -errno. */
static int make_temporary(enum atomic_file_kind kind)
{
	const char *slash = strrchr(final, '/');
	int length = slash ? (int)(slash + 1 - final) : 0, result = -1;

	for (int i = 0; i < TRIES; i++) {
		snprintf(temporary, sizeof(temporary), "%.*s.cuaudit-%d-%d", length, final,
			 (int)getpid(), i);
		if (kind == ATOMIC_DIRECTORY)
			result = mkdir(temporary, 0777);
		else
			result = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (result >= 0 || errno != EEXIST)
			break;
	}
	return result < 0 ? -errno : result;
}

/* mode: that of a file to be replaced, 0 for none. */
static int begin_temporary(struct atomic_file *file, enum atomic_file_kind kind, mode_t mode)
{
	sigset_t all, saved;
	int result;

	catch_signals();
	/* Else one that comes now leaves the file. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &saved);
	result = make_temporary(kind);
	if (result >= 0) {
		begun_kind = kind;
		begun = getpid();
	}
	sigprocmask(SIG_SETMASK, &saved, NULL);
	if (result < 0)
		return refuse(file->target, -result);
	file->fd = kind == ATOMIC_DIRECTORY ? -1 : result;
	if (mode)
		fchmod(result, mode & 0777);
	file->path = temporary;
	return TOOL_OK;
}

/* What is no file cannot be replaced. */
static int begin_device(struct atomic_file *file)
{
	int fd = io_open(file->target, O_WRONLY, IO_REPORT);

	if (fd < 0)
		return refuse(file->target, -fd);
	file->fd = fd;
	file->path = file->target;
	return TOOL_OK;
}

/* As standard output: what is written follows what was written there before. */
static int begin_descriptor(struct atomic_file *file, int fd, enum atomic_file_kind kind)
{
	int error = kind == ATOMIC_FILE ? check_descriptor(fd) : ENOTDIR;

	if (error)
		return refuse(file->target, error);
	file->fd = fd;
	return TOOL_OK;
}

/* The target's name in `final`, its links followed; a directory's without slashes behind. */
static int find_final(const char *target, enum atomic_file_kind kind, bool exists)
{
	size_t length = strlen(target);

	if (exists)
		return realpath(target, final) ? 0 : errno;
	while (kind == ATOMIC_DIRECTORY && length > 1 && target[length - 1] == '/')
		length--;
	if (length >= sizeof(final))
		return ENAMETOOLONG;
	memcpy(final, target, length);
	final[length] = '\0';
	return length ? 0 : ENOENT;
}

/* 0, or why a directory of that name cannot be replaced. */
static int check_directory(const char *target)
{
	DIR *directory = opendir(target);
	const struct dirent *entry;
	int error = 0;

	if (!directory)
		return errno;
	while (!error && (entry = readdir(directory)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			error = ENOTEMPTY;
	closedir(directory);
	return error;
}

int atomic_file_begin(struct atomic_file *file, const char *target, enum atomic_file_kind kind)
{
	struct stat status;
	int error = 0, descriptor;
	bool exists;

	*file = (struct atomic_file){ .fd = STDOUT_FILENO, .target = "standard output" };
	if (!target || !strcmp(target, "-"))
		return kind == ATOMIC_FILE ? TOOL_OK : refuse("-", ENOTDIR);
	file->target = target;
	file->fd = -1;
	if (planted_name(target))
		return refuse(target, PLANTED);
	descriptor = io_descriptor(target);
	if (descriptor >= 0)
		return begin_descriptor(file, descriptor, kind);
	exists = !stat(target, &status);
	if (kind == ATOMIC_FILE && template_is_directory(target))
		error = EISDIR;
	else if (!exists)
		error = errno == ENOENT ? check_link(target) : errno;
	if (error)
		return refuse(target, error);
	if (exists && kind == ATOMIC_DIRECTORY)
		error = check_directory(target);
	else if (exists && S_ISDIR(status.st_mode))
		error = EISDIR;
	else if (exists && !S_ISREG(status.st_mode))
		return begin_device(file);
	if (!error)
		error = find_final(target, kind, exists);
	/* Behind a link of the user's own, too. */
	if (!error && planted_name(final))
		error = PLANTED;
	if (error)
		return refuse(target, error);
	return begin_temporary(file, kind, exists && kind == ATOMIC_FILE ? status.st_mode : 0);
}

int atomic_file_end(struct atomic_file *file)
{
	bool direct = file->path != temporary;
	int error = 0;

	if (file->fd >= 0 && file->path && close(file->fd))
		error = errno;
	file->fd = -1;
	if (!error && !direct) {
		if (rename(temporary, final))
			error = errno;
		else
			begun = 0;
	}
	if (!error)
		return TOOL_OK;
	remove_begun();
	return refuse(file->target, error);
}

void atomic_file_drop(struct atomic_file *file)
{
	if (file->fd >= 0 && file->path)
		close(file->fd);
	file->fd = -1;
	remove_begun();
}
