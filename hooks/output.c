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
#include <time.h>
#include <unistd.h>

#include "hooks/core_link.h"
#include "util/io.h"
#include "util/rank.h"
#include "util/template.h"

enum { HOST = 256 };

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
	started = time(NULL);
	take_rank();
	take_program();
}

/* What stands for %field; buffer may be used for it. */
static const char *value(char field, char *buffer, size_t size)
{
	switch (field) {
	case 'p':
		snprintf(buffer, size, "%d", (int)getpid());
		return buffer;
	case 'h':
		if (gethostname(buffer, size))
			return "localhost";
		buffer[size - 1] = '\0';
		return buffer;
	case 'e':
		return *program ? program : "program";
	case 'r':
		return rank;
	case 't':
		snprintf(buffer, size, "%lld", (long long)started);
		return buffer;
	default:
		return "%";
	}
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
	char buffer[HOST];	/* in a hook of a call on a signal's stack, too */
	size_t used = 0;

	if (template_fault(template))
		return -EINVAL;
	path[0] = '\0';
	for (; *template; template++) {
		char plain[2] = { *template, '\0' };
		bool field = *template == '%';
		const char *text = field ? value(*++template, buffer, sizeof(buffer)) : plain;

		for (size_t i = 0; text[i]; i++) {
			if (used + 1 >= size)
				return -ENAMETOOLONG;
			path[used++] = field ? template_letter(text[i], !i) : text[i];
			path[used] = '\0';
		}
	}
	if (strlen(suffix) >= size - used)
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

	return *template ? cuaudit_path(template, suffix, path, size) : -ENOENT;
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
		result = io_open(path, O_WRONLY | O_CREAT | O_TRUNC, IO_REPORT);
		if (result >= 0)
			return result;
	}
failed:
	cuaudit_log(CUAUDIT_ERROR, "cannot write %s: %s", path, io_remedy(result));
	return result;
}
