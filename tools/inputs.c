/* SPDX-License-Identifier: Apache-2.0 */
/* The files a subcommand is given to read. */
#include "tools/inputs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cuaudit/stat.h>
#include <cuaudit/trace.h>

#include "tools/hook_report.h"
#include "tools/tool.h"
#include "tracefile/tracefile.h"

enum { MAGIC = 8 };

static int refuse(const char *path, const char *fault)
{
	tool_complain("%s: %s", path, fault);
	return TOOL_FAILED;
}

/* The first bytes of a file, zeros where it is shorter. NULL, or what is wrong. */
static const char *read_magic(const char *path, char *magic)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	const char *fault = NULL;
	ssize_t got;

	if (fd < 0)
		return strerror(errno);
	memset(magic, 0, MAGIC);
	got = pread(fd, magic, MAGIC, 0);
	if (got < 0)
		fault = strerror(errno);
	else if (!got)
		fault = "empty";
	close(fd);
	return fault;
}

static const char *foreign(unsigned int kinds)
{
	switch (kinds) {
	case INPUT_TRACE:
		return "not a trace file";
	case INPUT_STAT:
		return "not a stat record file";
	case INPUT_TRACE | INPUT_STAT:
		return "neither a trace nor a stat record file";
	default:
		return "neither a trace nor a stat record file, nor a JSON report of a hook";
	}
}

static const char *judge(const char *path, unsigned int kinds, enum input_kind *kind)
{
	char magic[MAGIC];
	const char *fault = read_magic(path, magic);

	if (fault)
		return fault;
	if (!memcmp(magic, CUAUDIT_TRACE_MAGIC, MAGIC))
		*kind = INPUT_TRACE;
	else if (!memcmp(magic, CUAUDIT_STAT_MAGIC, MAGIC))
		*kind = INPUT_STAT;
	else if (!memcmp(magic, HOOK_REPORT_BEGIN, MAGIC) && kinds & INPUT_LEAK)
		*kind = INPUT_LEAK;
	else
		return foreign(kinds);
	if (*kind & kinds)
		return NULL;
	return *kind == INPUT_STAT ? "a record file of the stat hook, for cuaudit report" :
				     foreign(kinds);
}

static int add(struct inputs *inputs, const char *path, enum input_kind kind,
	       const struct stat *status)
{
	struct input *file;

	/* At each power of two there is no more room. */
	if (!(inputs->count & (inputs->count - 1))) {
		size_t room = inputs->count ? 2 * inputs->count : 1;

		file = reallocarray(inputs->files, room, sizeof(*file));
		if (!file)
			return refuse(path, strerror(ENOMEM));
		inputs->files = file;
	}
	file = &inputs->files[inputs->count];
	file->kind = kind;
	file->directory = 0;
	file->device = status->st_dev;
	file->inode = status->st_ino;
	file->path = strdup(path);
	if (!file->path)
		return refuse(path, strerror(ENOMEM));
	inputs->count++;
	return TOOL_OK;
}

static int take_file(struct inputs *inputs, const char *path, unsigned int kinds)
{
	enum input_kind kind;
	struct stat status;
	const char *fault = NULL;

	if (stat(path, &status))
		fault = strerror(errno);
	else if (S_ISDIR(status.st_mode))
		fault = strerror(EISDIR);
	else if (S_ISFIFO(status.st_mode))
		fault = "a pipe cannot be read twice; save it to a file";
	else if (!S_ISREG(status.st_mode))
		fault = "not a file";
	if (!fault)
		fault = judge(path, kinds, &kind);
	return fault ? refuse(path, fault) : add(inputs, path, kind, &status);
}

/* NAME.SUFFIX, NAME.SUFFIX.N */
static int ends_in(const struct dirent *entry, const char *suffix)
{
	const char *at = entry->d_name, *found = NULL;

	while ((at = strstr(at, suffix)))
		found = at = at + strlen(suffix);
	if (!found || !*found)
		return !!found;
	return *found == '.' && found[1] && found[1 + strspn(found + 1, "0123456789")] == '\0';
}

static int is_trace(const struct dirent *entry)
{
	return ends_in(entry, TRACE_SUFFIX);
}

static int is_stat(const struct dirent *entry)
{
	return ends_in(entry, ".part");
}

static int is_either(const struct dirent *entry)
{
	return is_trace(entry) || is_stat(entry);
}

/* NAME.N.cutrace as NAME.cutrace.N, which older writers made: it comes behind NAME.cutrace. */
static void sort_key(const char *name, char *key, size_t size)
{
	size_t length = strlen(name), suffix = sizeof(TRACE_SUFFIX) - 1, digits = 0;

	snprintf(key, size, "%s", name);
	if (length < suffix || strcmp(name + length - suffix, TRACE_SUFFIX) != 0)
		return;
	length -= suffix;
	while (digits < length && name[length - 1 - digits] >= '0' && name[length - 1 - digits] <= '9')
		digits++;
	if (digits && digits + 1 < length && name[length - 1 - digits] == '.')
		snprintf(key, size, "%.*s" TRACE_SUFFIX ".%.*s", (int)(length - 1 - digits), name,
			 (int)digits, name + length - digits);
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	char keys[2][sizeof((*a)->d_name)];

	sort_key((*a)->d_name, keys[0], sizeof(keys[0]));
	sort_key((*b)->d_name, keys[1], sizeof(keys[1]));
	return strverscmp(keys[0], keys[1]);
}

static int take_directory(struct inputs *inputs, const char *path, unsigned int kinds)
{
	struct dirent **entries;
	int count = scandir(path, &entries, kinds == INPUT_TRACE ? is_trace :
			    kinds == INPUT_STAT ? is_stat : is_either, compare_names);
	int status = TOOL_OK;

	if (count < 0)
		return refuse(path, strerror(errno));
	if (!count)
		status = refuse(path, kinds == INPUT_TRACE ?
				"no trace in this directory, that is no *.cutrace" :
				"no trace or saved statistics in this directory, that is no "
				"*.cutrace or *.part");
	for (int i = 0; i < count; i++) {
		char *name;

		if (asprintf(&name, "%s/%s", path, entries[i]->d_name) < 0) {
			status = refuse(path, strerror(ENOMEM));
		} else {
			if (take_file(inputs, name, kinds))
				status = TOOL_FAILED;
			free(name);
		}
		free(entries[i]);
	}
	free(entries);
	return status;
}

static bool is_directory(const char *path)
{
	struct stat status;

	return !stat(path, &status) && S_ISDIR(status.st_mode);
}

/* By file, then in the order in which they were given. */
static int by_file(const void *a, const void *b)
{
	const struct input *x = *(struct input *const *)a, *y = *(struct input *const *)b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->inode != y->inode)
		return x->inode < y->inode ? -1 : 1;
	return (x > y) - (x < y);
}

/* Leaves each file in its first place; paths of the others become NULL, then go. */
static int unite(struct inputs *inputs)
{
	struct input **sorted = calloc(inputs->count + 1, sizeof(*sorted));
	size_t kept = 0;

	if (!sorted)
		return refuse("files", strerror(ENOMEM));
	for (size_t i = 0; i < inputs->count; i++)
		sorted[i] = &inputs->files[i];
	qsort(sorted, inputs->count, sizeof(struct input *), by_file);
	for (size_t i = 1, first = 0; i < inputs->count; i++) {
		if (sorted[i]->device != sorted[first]->device ||
		    sorted[i]->inode != sorted[first]->inode) {
			first = i;
			continue;
		}
		free(sorted[i]->path);
		sorted[i]->path = NULL;
	}
	free(sorted);
	for (size_t i = 0; i < inputs->count; i++)
		if (inputs->files[i].path)
			inputs->files[kept++] = inputs->files[i];
	inputs->count = kept;
	return TOOL_OK;
}

int inputs_take(struct inputs *inputs, char *const *arguments, size_t count, unsigned int kinds)
{
	int status = TOOL_OK;

	*inputs = (struct inputs){ .count = 0 };
	for (size_t i = 0; i < count; i++) {
		size_t before = inputs->count;
		int result;

		if (!strcmp(arguments[i], "-"))
			result = refuse("-", "standard input cannot be read twice; give a file");
		else if (is_directory(arguments[i]))
			result = take_directory(inputs, arguments[i], kinds);
		else
			result = take_file(inputs, arguments[i], kinds);
		if (result)
			status = result;
		inputs->refused += result && !is_directory(arguments[i]);
		for (; before < inputs->count && is_directory(arguments[i]); before++)
			inputs->files[before].directory = i + 1;
	}
	if (unite(inputs) == TOOL_OK)
		return status;
	inputs_free(inputs);
	return TOOL_FAILED;
}

int inputs_spare(const struct inputs *inputs, const char *target)
{
	struct stat status;

	if (!target || !strcmp(target, "-") || stat(target, &status))
		return TOOL_OK;
	for (size_t i = 0; i < inputs->count; i++)
		if (inputs->files[i].device == status.st_dev && inputs->files[i].inode == status.st_ino)
			return refuse(target, "it is read, and would be written over; choose "
					      "another name");
	return TOOL_OK;
}

void inputs_free(struct inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		free(inputs->files[i].path);
	free(inputs->files);
	*inputs = (struct inputs){ .count = 0 };
}
