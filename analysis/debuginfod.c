/* SPDX-License-Identifier: Apache-2.0 */
/* Asks debuginfod servers for files, by libdebuginfod where it is installed; see debuginfod.h. */
#include "analysis/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "analysis/elf_symbols.h"

enum { SECONDS = 40 };

#define FILE_MOST (INT64_C(4) << 30)

struct debuginfod_client;
typedef struct debuginfod_client *begin_fn(void);
typedef int progress_fn(struct debuginfod_client *client, long done, long all);
typedef void set_progress_fn(struct debuginfod_client *client, progress_fn *progress);
typedef int find_fn(struct debuginfod_client *client, const unsigned char *id, int size,
		    char **path);

static struct {
	bool started, ended;
	struct debuginfod_client *client;
	find_fn *find[DEBUGINFOD_DEBUGINFO + 1];
	time_t deadline;
	int stopped;	/* why a download was stopped: -errno */
} debuginfod;

static time_t seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

void debuginfod_new_deadline(void)
{
	debuginfod.deadline = seconds() + SECONDS;
}

/* libdebuginfod calls it about every second, whether something comes or not. */
static int progress(struct debuginfod_client *client, long done, long all)
{
	(void)client;
	if (done > FILE_MOST || all > FILE_MOST)
		debuginfod.stopped = -EFBIG;
	else if (seconds() >= debuginfod.deadline)
		debuginfod.stopped = -ETIMEDOUT;
	return debuginfod.stopped != 0;
}

/* 0 or -ELIBACC. The library stays: it is in use until the process ends. */
static int start(void)
{
	static const char *const find[] = {
		[DEBUGINFOD_EXECUTABLE] = "debuginfod_find_executable",
		[DEBUGINFOD_DEBUGINFO] = "debuginfod_find_debuginfo",
	};
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	set_progress_fn *set;
	begin_fn *begin;

	debuginfod.started = true;
	if (!library)
		return -ELIBACC;
	for (size_t i = 0; i < sizeof(find) / sizeof(*find); i++) {
		debuginfod.find[i] = (find_fn *)dlsym(library, find[i]);
		if (!debuginfod.find[i])
			return -ELIBACC;
	}
	begin = (begin_fn *)dlsym(library, "debuginfod_begin");
	set = (set_progress_fn *)dlsym(library, "debuginfod_set_progressfn");
	if (!begin || !set)
		return -ELIBACC;
	debuginfod.client = begin();
	if (!debuginfod.client)
		return -ELIBACC;
	set(debuginfod.client, progress);
	return 0;
}

/* The file's path in the cache, which the caller frees. */
static int download(enum debuginfod_kind kind, const uint8_t *id, uint32_t size, char **path)
{
	int fd = debuginfod.started ? 0 : start();

	if (fd)
		return fd;
	debuginfod.stopped = 0;
	fd = debuginfod.find[kind](debuginfod.client, id, (int)size, path);
	if (fd >= 0)
		close(fd);
	if (fd < 0 && debuginfod.stopped)
		return debuginfod.stopped;
	return fd < 0 ? fd : 0;
}

bool debuginfod_goes_on(int error)
{
	return !error || error == -ENOENT || error == -EBADMSG || error == -EFBIG;
}

int debuginfod_open(enum debuginfod_kind kind, const uint8_t *id, uint32_t id_size, char *path,
		    size_t size)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	enum elf_match match = ELF_NONE;
	char *found = NULL;
	int fd = -1, error;

	if (!urls || !*urls || debuginfod.ended || !id_size)
		return -ENOSYS;
	error = download(kind, id, id_size, &found);
	/* What the server says of it is not believed. */
	if (!error)
		error = elf_open(found, id, id_size, &match, &fd);
	if (!error && fd < 0)
		error = -EBADMSG;
	if (!error)
		snprintf(path, size, "%s", found);
	debuginfod.ended = !debuginfod_goes_on(error);
	free(found);
	return error ?: fd;
}
