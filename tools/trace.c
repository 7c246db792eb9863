/* SPDX-License-Identifier: Apache-2.0 */
/* cuaudit trace: runs a program and records each of its driver calls. */
#include <dirent.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cuaudit/trace.h>

#include "tools/exec.h"
#include "tools/options.h"
#include "tools/tool.h"
#include "tracefile/tracefile.h"
#include "util/rank.h"
#include "util/selector.h"
#include "util/size.h"

enum { NUMBERS = 10000 };

struct trace_options {
	char *hook;		/* its options, as CUAUDIT_HOOKS has them */
	const char *directory;	/* NULL: none given */
	bool text;
	bool add;		/* to an earlier run's */
};

/* Digits, with units perhaps a fraction, then one of these. */
static bool is_measure(const char *value, const char *units)
{
	size_t digits = strspn(value, "0123456789"), more;

	if (digits && *units && value[digits] == '.') {
		more = strspn(value + digits + 1, "0123456789");
		digits = more ? digits + 1 + more : 0;
	}
	return digits && options_among(units, value + digits);
}

static bool is_selector(const char *value)
{
	size_t length;

	return !selector_fault(value, &length);
}

/* By what the table of options says that it takes. */
static bool is_right(const struct option_row *row, const char *value)
{
	uint64_t size;

	if (!strcmp(row->value, "N"))
		return is_measure(value, "");
	if (!strcmp(row->value, "SIZE"))
		return size_parse(value, &size);
	if (!strcmp(row->value, "TIME"))
		return is_measure(value, "ns|us|ms|s");
	if (!strcmp(row->value, "SELECTOR"))
		return is_selector(value);
	return *row->value < 'a' || options_among(row->value, value);
}

static const struct option_row *find_row(int option)
{
	const struct option_row *row = option_rows;

	while (row->letter != option || !option_belongs(row, "trace"))
		row++;
	return row;
}

static int add_hook(struct trace_options *trace, const char *name, const char *value)
{
	char *option = exec_hook_option(name, value);

	if (!option)
		return -1;
	trace->hook = exec_join(trace->hook, ";", option);
	return 0;
}

/* An option of the hook's own: it has the same name there. */
static int take_hook(struct trace_options *trace, int option)
{
	const struct option_row *row = find_row(option);

	if (!is_right(row, optarg)) {
		tool_complain("--%s takes %s, not '%s'", row->name, row->value, optarg);
		return -1;
	}
	return add_hook(trace, row->name, optarg);
}

/*
 * What is written, not what is hooked: the hook asks other functions for the names of kernels,
 * and may start and stop with others.
 */
static int choose_functions(struct launch *launch, struct trace_options *trace)
{
	static char all[] = "";

	if (!launch->functions)
		return 0;
	if (add_hook(trace, "functions", launch->functions))
		return -1;
	launch->functions = all;
	return 0;
}

static int take(struct launch *launch, struct trace_options *trace, int option)
{
	int result;

	switch (option) {
	case 'A':
		trace->add = true;
		return 0;
	case 'o':
		trace->directory = optarg;
		if (strcmp(optarg, "-") != 0)
			return 0;
		tool_complain("--output takes the path of a directory, not '-'; --text prints to standard "
			      "error");
		return -1;
	case 'X':
		return add_hook(trace, "failed", "yes");
	case 'T':
		trace->text = true;
		return 0;
	}
	result = exec_take(launch, option);
	return result == LAUNCH_OTHER ? take_hook(trace, option) : result;
}

/* As the hook writes it into a trace. */
static int32_t own_rank(void)
{
	const char *value = NULL;

	for (const char *const *name = rank_variables; *name && !(value && *value); name++)
		value = getenv(*name);
	return value && *value ? (int32_t)strtol(value, NULL, 10) : -1;
}

static bool is_of_rank(int directory, const char *name, int32_t rank)
{
	struct cuaudit_trace_header header = { .magic = "" };
	int fd = openat(directory, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : pread(fd, &header, offsetof(struct cuaudit_trace_header, host), 0);

	if (fd >= 0)
		close(fd);
	return got > 0 && !memcmp(header.magic, CUAUDIT_TRACE_MAGIC, sizeof(header.magic)) &&
	       header.rank == rank;
}

/*
 * Other ranks' traces may be of this run, those of the same rank are of an earlier one. Text does
 * not say whose it is.
 */
static bool has_earlier(const char *path, bool text)
{
	int32_t rank = own_rank();
	DIR *directory = opendir(path);
	const struct dirent *entry;
	bool found = false;

	while (directory && !found && (entry = readdir(directory)))
		found = text ? rank < 0 && !fnmatch("*.trace", entry->d_name, 0) :
			strstr(entry->d_name, TRACE_SUFFIX) &&
			is_of_rank(dirfd(directory), entry->d_name, rank);
	if (directory)
		closedir(directory);
	return found;
}

/* Without a rank it is one run's alone, which may have no trace yet. */
static bool is_alone(const struct trace_options *trace)
{
	return !trace->add && own_rank() < 0;
}

static bool exists(const char *path)
{
	struct stat status;

	return !lstat(path, &status);
}

/* The first of cuaudit-trace, cuaudit-trace.1, ... that an earlier run has not used. */
static const char *unused_directory(const struct trace_options *trace)
{
	char *name = exec_join(NULL, "", "cuaudit-trace");
	bool alone = is_alone(trace);
	char number[16];

	for (int i = 1; !trace->add && i < NUMBERS &&
			(alone ? exists(name) : has_earlier(name, false)); i++) {
		snprintf(number, sizeof(number), "%d", i);
		free(name);
		name = exec_join("cuaudit-trace", ".", number);
	}
	return name;
}

/* A file for each process; by way of the variable, whose values may hold anything. */
static int choose_output(struct launch *launch, const struct trace_options *trace)
{
	launch->directory = trace->directory;
	launch->directory_option = "--output";
	if (!trace->directory && !trace->text)
		launch->directory = unused_directory(trace);
	if (!launch->directory)
		return 0;
	if (!trace->add && has_earlier(launch->directory, trace->text))
		return exec_refuse_earlier(launch->directory);
	launch->directory_new = is_alone(trace) && !exists(launch->directory);
	launch->output = exec_join(exec_path_template(launch->directory), "/", TRACE_NAME);
	launch->room = trace->text ? 0 : CUAUDIT_TRACE_CHUNK;
	return 0;
}

int tool_trace(int argc, char **argv)
{
	struct trace_options trace = { .hook = NULL };
	struct launch launch = { .driver = NULL };
	int option;

	while ((option = options_next(argc, argv)) > 0)
		if (take(&launch, &trace, option))
			return TOOL_FAILED;
	if (option == OPTIONS_END)
		option = options_program(argc, argv);
	if (option)
		return options_status(option);
	if (choose_functions(&launch, &trace))
		return TOOL_FAILED;
	trace.hook = exec_join(trace.hook, ";", trace.text ? "text=yes" : "print=yes");
	launch.hooks = exec_join("trace(", trace.hook, ")");
	if (choose_output(&launch, &trace))
		return TOOL_FAILED;
	return exec_start(&launch, argv + optind);
}
