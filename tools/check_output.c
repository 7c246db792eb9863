/* SPDX-License-Identifier: Apache-2.0 */
/* Where cuaudit check writes its result. */
#include "tools/check_output.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/check_report.h"
#include "tools/atomic_file.h"
#include "tools/tool.h"
#include "util/io.h"

static struct {
	int option;
	bool to_stdout;		/* it takes no value */
	void (*print)(const struct check_result *result, struct out *out);
	const char *target;	/* NULL: not asked for */
} outputs[] = {
	{ '2', false, check_sarif, NULL },
	{ '3', true, check_tap, NULL },
	{ '4', false, check_junit, NULL },
	{ '@', true, check_github, NULL },
	{ 'J', false, check_json, NULL },
};

enum { OUTPUTS = sizeof(outputs) / sizeof(outputs[0]) };

bool check_output_take(int option)
{
	for (size_t i = 0; i < OUTPUTS; i++) {
		if (outputs[i].option != option)
			continue;
		outputs[i].target = outputs[i].to_stdout ? "-" : optarg;
		return true;
	}
	return false;
}

bool check_output_any(void)
{
	for (size_t i = 0; i < OUTPUTS; i++)
		if (outputs[i].target)
			return true;
	return false;
}

/* By any of its names; what nobody reads, /dev/null, may be several. */
static bool is_stdout(const char *target)
{
	struct stat its, own;

	if (!strcmp(target, "-"))
		return true;
	return !stat(target, &its) && !fstat(STDOUT_FILENO, &own) && its.st_dev == own.st_dev &&
	       its.st_ino == own.st_ino && (!S_ISCHR(its.st_mode) || isatty(STDOUT_FILENO));
}

/* What else would be in a document on standard output. */
static bool is_shared(size_t number)
{
	for (size_t i = 0; i < OUTPUTS; i++)
		if (i != number && outputs[i].target && is_stdout(outputs[i].target))
			return true;
	return false;
}

static int check_one(size_t number, const char *rules, const char *lock, const char *program)
{
	const char *target = outputs[number].target;

	if (!target || outputs[number].to_stdout)
		return 0;
	if (is_stdout(target) && is_shared(number)) {
		tool_complain("standard output would be two outputs; give one a file");
		return -1;
	}
	if (!strcmp(target, "-"))
		return 0;
	if (rules && atomic_file_same(target, rules)) {
		tool_complain("%s has the rules, and is no output", target);
		return -1;
	}
	if (lock && atomic_file_same(target, lock)) {
		tool_complain("%s is the lock file, and is no output", target);
		return -1;
	}
	for (size_t i = 0; i < number; i++) {
		if (!outputs[i].target || !atomic_file_same(target, outputs[i].target))
			continue;
		tool_complain("%s would be two outputs", target);
		return -1;
	}
	return atomic_file_check_run(target, "the result", program);
}

/* A check that is killed leaves no result of an earlier run. */
static int empty_one(const char *target)
{
	char path[PATH_MAX];
	struct stat status;
	int fd;

	if (is_stdout(target) || io_descriptor(target) >= 0 || stat(target, &status) ||
	    !S_ISREG(status.st_mode) || !status.st_size || !realpath(target, path))
		return 0;
	fd = io_open(path, O_WRONLY | O_TRUNC, IO_REPORT);
	if (fd >= 0 && !io_close(fd))
		return 0;
	tool_complain("cannot write the result to %s: %s", target, io_remedy(fd < 0 ? fd : -EIO));
	return -1;
}

int check_output_begin(const char *rules, const char *lock, const char *program)
{
	for (size_t i = 0; i < OUTPUTS; i++)
		if (check_one(i, rules, lock, program))
			return -1;
	for (size_t i = 0; i < OUTPUTS; i++)
		if (outputs[i].target && empty_one(outputs[i].target))
			return -1;
	return 0;
}

static int write_one(const char *target, struct out *out)
{
	struct atomic_file file;
	int error;

	if (atomic_file_begin(&file, target, ATOMIC_FILE))
		return -1;
	error = out_write(out, file.fd, IO_FOREVER);
	if (!error)
		return atomic_file_end(&file) ? -1 : 0;
	atomic_file_drop(&file);
	tool_complain("cannot write the result to %s: %s",
		      strcmp(target, "-") ? target : "standard output", strerror(-error));
	return -1;
}

int check_output_write(const struct check_result *result)
{
	int status = 0;

	for (size_t i = 0; i < OUTPUTS; i++) {
		struct out out = { 0 };
		size_t begun;

		if (!outputs[i].target)
			continue;
		/* The command may have ended in the middle of a line. */
		if (outputs[i].to_stdout)
			out_text(&out, "\n");
		begun = out.used;
		outputs[i].print(result, &out);
		if (out.used == begun)
			out.used = 0;
		if (write_one(outputs[i].target, &out))
			status = -1;
		out_free(&out);
	}
	return status;
}
