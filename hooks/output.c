/* SPDX-License-Identifier: Apache-2.0 */
/* Where hooks write: CUAUDIT_OUTPUT, filled in. */
#include "hooks/output.h"

#include <cuaudit/hook.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "hooks/core_link.h"
#include "util/io.h"
#include "util/rank.h"
#include "util/template.h"

static time_t started;
static char rank[32] = "0";
static bool ranked;
static char program[NAME_MAX + 1];

/* The environment as it was when the process started. */
static const char *started_with(const char *name)
{
	size_t length = strlen(name);

	for (char **entry = cuaudit_core_link->envp; *entry; entry++)
		if (!strncmp(*entry, name, length) && (*entry)[length] == '=')
			return *entry + length + 1;
	return NULL;
}

/* The number of this process in its job; "0" outside of one. */
static void take_rank(void)
{
	for (const char *const *name = rank_variables; *name; name++) {
		const char *value = started_with(*name);

		if (value && *value) {
			snprintf(rank, sizeof(rank), "%s", value);
			ranked = true;
			return;
		}
	}
}

static void take_program(void)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/thread-self/exe", path, sizeof(path) - 1);
	const char *slash;

	if (length < 0)
		return;
	path[length] = '\0';
	slash = strrchr(path, '/');
	slash = slash ? slash + 1 : path;
	memcpy(program, slash, strnlen(slash, NAME_MAX));
}

void output_setup(void)
{
	struct timespec now;

	/* As time(2), which reads no counter: whether the program may is not known yet. */
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	started = now.tv_sec;
	take_rank();
	take_program();
}

/* strtol has another name in each libc, see old_libc.h. */
int cuaudit_rank(void)
{
	int value = 0;

	for (const char *at = rank; *at; at++)
		if (*at < '0' || *at > '9' || __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, *at - '0', &value))
			return -1;
	return ranked ? value : -1;
}

int cuaudit_path(const char *template, const char *suffix, char *path, size_t size)
{
	const struct template_values values = {
		.process = getpid(), .program = *program ? program : "program",
		.rank = rank, .time = started,
	};
	int used;

	if (template_fault(template))
		return -EINVAL;
	used = template_path(template, &values, path, size);
	if (used < 0)
		return used;
	if (strlen(suffix) >= size - (size_t)used)
		return -ENAMETOOLONG;
	strcpy(path + used, suffix);
	return 0;
}

const char *cuaudit_directory(void)
{
	return cuaudit_core_link->environment.directory;
}

int cuaudit_output_path(const char *suffix, char *path, size_t size)
{
	const char *template = cuaudit_core_link->environment.output;
	int error = *template ? cuaudit_path(template, "", path, size) : -ENOENT;

	/* Nobody wants files beside a device. */
	return error || !*suffix || io_type(path) == S_IFCHR ? error :
	       cuaudit_path(template, suffix, path, size);
}

int cuaudit_output(const char *suffix)
{
	char path[PATH_MAX];
	int result = cuaudit_output_path(suffix, path, sizeof(path));

	if (result == -ENOENT) {
		if (!cuaudit_core_link->stderr_usable())
			return -EBADF;
		result = io_copy(STDERR_FILENO);
		if (result >= 0)
			return result;
		strcpy(path, "to stderr");
		goto failed;
	}
	if (!result) {
		/* Of what processes write there at once, nothing is in the middle of something else. */
		result = io_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, IO_REPORT);
		if (result >= 0)
			return result;
	}
failed:
	cuaudit_log(CUAUDIT_ERROR, "cannot write %s: %s", path, io_remedy(result));
	return result;
}
