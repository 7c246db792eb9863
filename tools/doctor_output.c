/* SPDX-License-Identifier: Apache-2.0 */
/* Whether what CUAUDIT_OUTPUT names can be written: the trial does not show it, since it writes elsewhere. */
#include "tools/doctor_output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tools/finding.h"
#include "util/io.h"
#include "util/planted.h"
#include "util/template.h"

/* What hooks append is as long or longer. */
static const char suffix[] = ".test";

static void find_directory(const char *output, char directory[PATH_MAX])
{
	size_t length = strrchr(output, '/') ? (size_t)(strrchr(output, '/') - output) : 0;

	snprintf(directory, PATH_MAX, "%.*s", (int)length, output);
	if (!length)
		strcpy(directory, *output == '/' ? "/" : ".");
}

static int fill(const char *output, char *path, size_t size)
{
	const struct template_values values = {
		.process = getpid(), .program = "cuaudit", .rank = "0", .time = time(NULL),
	};
	int length = template_path(output, &values, path, size);

	return length < 0 ? length : 0;
}

/* Devices may do something when they are opened; a descriptor is the program's own. */
static int try_device(const char *path)
{
	int error = io_descriptor(path) < 0 ? planted_name(path) : 0;

	if (!error && io_descriptor(path) < 0 && access(path, W_OK))
		error = -errno;
	return error;
}

/* Makes and removes what is not there. 0 or -errno. */
static int try_new(const char *path)
{
	int fd = io_open(path, O_WRONLY | O_CREAT | O_EXCL, IO_NOW);

	if (fd < 0)
		return fd;
	unlink(path);
	return io_close(fd);
}

/* What is there keeps its content and its times. */
static int try_file(const char *path)
{
	int error = try_new(path), fd;

	if (error != -EEXIST)
		return error;
	fd = io_open(path, O_WRONLY | O_APPEND, IO_NOW);
	return fd < 0 ? fd : io_close(fd);
}

/* The name itself. */
static void judge(const char *path)
{
	mode_t type = io_type(path);
	int error;

	/* A reader of a FIFO comes to its end when we close it. */
	if (S_ISFIFO(type) && !planted_name(path)) {
		finding_print(FINDING_OUTPUT_FIFO, path, NULL);
		return;
	}
	error = S_ISCHR(type) || S_ISBLK(type) ? try_device(path) : try_file(path);
	if (error == -ENAMETOOLONG)
		finding_print(FINDING_OUTPUT_LONG, NULL, NULL);
	else if (error)
		finding_print(FINDING_OUTPUT_FILE, path, io_remedy(error));
}

/* A name beside it. */
static void judge_beside(char *path, const char *directory)
{
	int error = try_new(strcat(path, suffix));

	if (error == -ENAMETOOLONG)
		finding_print(FINDING_OUTPUT_LONG, NULL, NULL);
	else if (error && error != -EEXIST)
		finding_print(FINDING_OUTPUT_DIRECTORY, directory, strerror(-error));
}

void doctor_output(bool of_that_name)
{
	const char *output = getenv("CUAUDIT_OUTPUT");
	char path[PATH_MAX], directory[PATH_MAX];

	if (!output || !*output || template_fault(output))
		return;
	find_directory(output, directory);
	/* It may be there when the program runs. */
	if (strchr(directory, '%'))
		return;
	if (access(directory, W_OK | X_OK))
		finding_print(FINDING_OUTPUT_DIRECTORY, directory, strerror(errno));
	else if (template_is_directory(output))
		return;
	else if (fill(output, path, sizeof(path) - sizeof(suffix)))
		finding_print(FINDING_OUTPUT_LONG, NULL, NULL);
	else if (of_that_name || io_type(path) == S_IFCHR)
		judge(path);
	else
		judge_beside(path, directory);
}
