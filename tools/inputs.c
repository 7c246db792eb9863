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
#include "util/hash_table.h"

enum { MAGIC = 8 };

/* How a file begins: what it is, and which recording. */
union beginning {
	char magic[CUAUDIT_TRACE_HEADER];
	struct cuaudit_trace_header trace;
	struct cuaudit_stat_header stat;
};

static int refuse(const char *path, const char *fault)
{
	tool_complain("%s: %s", path, fault);
	return TOOL_FAILED;
}

/* The first bytes of a file, zeros where it is shorter. NULL, or what is wrong. */
static const char *read_beginning(const char *path, union beginning *beginning)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	const char *fault = NULL;
	ssize_t got;

	if (fd < 0)
		return strerror(errno);
	memset(beginning, 0, sizeof(*beginning));
	got = pread(fd, beginning, sizeof(*beginning), 0);
	if (got < 0)
		fault = strerror(errno);
	else if (!got)
		fault = "empty";
	/* Of a header that is cut short, or is no header, nothing else is known. */
	if (got < (ssize_t)sizeof(*beginning))
		memset(beginning->magic + MAGIC, 0, sizeof(*beginning) - MAGIC);
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

/* Of either kind of header. */
#define RECORDING(file, header, clock_) do { \
	struct input_recording *it_ = &(file)->recording; \
	it_->start = (header)->start_ns; \
	it_->clock = (clock_); \
	it_->pid = (header)->pid; \
	it_->kind = (file)->kind; \
	memcpy(it_->host, (header)->host, strnlen((header)->host, sizeof(it_->host))); \
} while (0)

/* Finds out which kind and recording it is. NULL, or what is wrong. */
static const char *judge(struct input *file, const char *path, unsigned int kinds)
{
	union beginning beginning;
	const char *fault = read_beginning(path, &beginning);

	if (fault)
		return fault;
	if (!memcmp(beginning.magic, CUAUDIT_TRACE_MAGIC, MAGIC)) {
		file->kind = INPUT_TRACE;
		RECORDING(file, &beginning.trace, beginning.trace.start_ticks);
	} else if (!memcmp(beginning.magic, CUAUDIT_STAT_MAGIC, MAGIC)) {
		file->kind = INPUT_STAT;
		RECORDING(file, &beginning.stat, beginning.stat.process_start);
	} else if (!memcmp(beginning.magic, HOOK_REPORT_BEGIN, MAGIC) && kinds & INPUT_LEAK) {
		file->kind = INPUT_LEAK;
	} else {
		return foreign(kinds);
	}
	if (file->kind & kinds)
		return NULL;
	return file->kind == INPUT_STAT ? "a record file of the stat hook, for cuaudit report" :
					  foreign(kinds);
}

static int add(struct inputs *inputs, const char *path, const struct input *input)
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
	*file = *input;
	file->path = strdup(path);
	if (!file->path)
		return refuse(path, strerror(ENOMEM));
	inputs->count++;
	return TOOL_OK;
}

static int take_file(struct inputs *inputs, const char *path, unsigned int kinds)
{
	struct input file;
	struct stat status;
	const char *fault = NULL;

	memset(&file, 0, sizeof(file));
	if (stat(path, &status))
		fault = strerror(errno);
	else if (S_ISDIR(status.st_mode))
		fault = strerror(EISDIR);
	else if (S_ISFIFO(status.st_mode))
		fault = "a pipe cannot be read twice; save it to a file";
	else if (!S_ISREG(status.st_mode))
		fault = "not a file";
	if (!fault)
		fault = judge(&file, path, kinds);
	if (fault)
		return refuse(path, fault);
	file.device = status.st_dev;
	file.inode = status.st_ino;
	return add(inputs, path, &file);
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

/* The number of the file that came with that key first, from 1: its own, if none did. 0: no memory. */
static size_t first_of(struct table *table, const void *key, size_t size, size_t number)
{
	uint32_t row = table_find(table, key, size);
	size_t *first;

	if (row == TABLE_NONE)
		return 0;
	first = table_row(table, row);
	if (!*first)
		*first = number;
	return *first;
}

/*
 * Leaves each file in its first place, and refuses a copy of one, by which each of its calls
 * would count again: paths of the others become NULL, then go. Without memory none is left.
 */
static int unite(struct inputs *inputs)
{
	struct table files = { .row = sizeof(size_t) }, recordings = { .row = sizeof(size_t) };
	int status = TOOL_OK;
	size_t kept = 0;

	for (size_t i = 0; i < inputs->count; i++) {
		struct input *file = &inputs->files[i];
		const uint64_t key[] = { file->device, file->inode };
		size_t same = first_of(&files, key, sizeof(key), i + 1), copied = i + 1;

		if (same == i + 1 && file->recording.start)
			copied = first_of(&recordings, &file->recording, sizeof(file->recording), i + 1);
		if (same == i + 1 && copied == i + 1)
			continue;
		if (!same || !copied) {
			status = refuse(file->path, strerror(ENOMEM));
			inputs_free(inputs);
			break;
		}
		if (copied != i + 1) {
			tool_complain("%s: of the same recording as %s, which counts once", file->path,
				      inputs->files[copied - 1].path);
			inputs->refused += !file->directory;
			status = TOOL_FAILED;
		}
		free(file->path);
		file->path = NULL;
	}
	table_free(&files);
	table_free(&recordings);
	for (size_t i = 0; i < inputs->count; i++)
		if (inputs->files[i].path)
			inputs->files[kept++] = inputs->files[i];
	inputs->count = kept;
	return status;
}

int inputs_take(struct inputs *inputs, char *const *arguments, size_t count, unsigned int kinds)
{
	int status = TOOL_OK;

	*inputs = (struct inputs){ .count = 0 };
	for (size_t i = 0; i < count; i++) {
		size_t before = inputs->count;
		int result;

		if (!*arguments[i])
			result = refuse("''", strerror(ENOENT));
		else if (!strcmp(arguments[i], "-"))
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
	return unite(inputs) == TOOL_OK ? status : TOOL_FAILED;
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
