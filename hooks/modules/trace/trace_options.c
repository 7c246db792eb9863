/* SPDX-License-Identifier: Apache-2.0 */
/* The options of the trace hook. */
#include "hooks/modules/trace/trace_options.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include <cuaudit/range.h>

#include "util/globs.h"
#include "util/size.h"

enum { LIST = 4096 };

const struct cuaudit_option trace_option_table[] = {
	{ "file", NULL, "TEMPLATE", "where to, with the fields of CUAUDIT_OUTPUT" },
	{ "size", "1GiB", "SIZE", "the most the file takes" },
	{ "when-full", "stop", "stop|ring", "ring: the newest calls replace the oldest" },
	{ "args", "yes", "yes|no|kernel", "whether arguments are recorded; kernel: those of kernels, too" },
	{ "strings", "64", "N", "bytes recorded of a string, at most 1000" },
	{ "elements", "8", "N", "elements recorded of an array, at most 100" },
	{ "functions", NULL, "SELECTOR...", "the functions whose calls are recorded" },
	{ "library", NULL, "GLOBS", "the calling libraries, as in CUAUDIT_INCLUDE" },
	{ "thread", NULL, "GLOB", "the threads, by their names at the first call, or a number" },
	{ "in-range", NULL, "GLOB", "only calls in NVTX ranges of such a name" },
	{ "min-duration", "0", "TIME", "shorter calls are only counted" },
	{ "failed", "no", "yes|no", "calls alone whose result is an error; others are only counted" },
	{ "error-text", "yes", "yes|no", "whether what the driver says of errors is recorded" },
	{ "start", NULL, "WHEN", "where to start: SELECTOR[:N], a time such as 5s, or marker" },
	{ "stop", NULL, "WHEN", "where to stop" },
	{ "open", "%sync", "SELECTOR", "calls that are seen before they have ended; no: none" },
	{ "backtrace", NULL, "SELECTOR", "calls recorded with a backtrace" },
	{ "frames", "32", "N", "the longest backtrace, at most 100" },
	{ "python", NULL, "SELECTOR", "calls recorded with the Python frames that they come from" },
	{ "ranges", "yes", "yes|no", "whether the program's NVTX ranges are recorded" },
	{ "text", "no", "yes|no", "a line of text for each call, and no file" },
	{ "print", "no", "yes|no", "where the file is, and how many calls, when it ends" },
	{ NULL, NULL, NULL, NULL }
};

enum { NANO = 1000000000 };

/* Digits, up to what follows them. */
static int begin_number(const char **text, uint64_t *value)
{
	const char *at = *text;

	for (*value = 0; *at >= '0' && *at <= '9'; at++)
		if (__builtin_mul_overflow(*value, 10u, value) ||
		    __builtin_add_overflow(*value, (uint64_t)(*at - '0'), value))
			return -EINVAL;
	if (at == *text)
		return -EINVAL;
	*text = at;
	return 0;
}

/* ".25" of a unit; more digits than nanoseconds need are nothing. */
static int read_fraction(const char **text, uint64_t *billionths)
{
	const char *at = *text + 1;
	uint64_t one = NANO;

	*billionths = 0;
	if (**text != '.')
		return 0;
	if (*at < '0' || *at > '9')
		return -EINVAL;
	for (; *at >= '0' && *at <= '9'; at++) {
		one /= 10;
		*billionths += one * (uint64_t)(*at - '0');
	}
	*text = at;
	return 0;
}

int trace_options_time(const char *text, uint64_t *ns)
{
	uint64_t fraction;
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }
	};

	if (begin_number(&text, ns))
		return -EINVAL;
	if (!*ns && !*text)
		return 0;
	if (read_fraction(&text, &fraction))
		return -EINVAL;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(text, units[i].name))
			return __builtin_mul_overflow(*ns, units[i].ns, ns) ||
			       __builtin_add_overflow(*ns, fraction * units[i].ns / NANO, ns) ?
			       -EINVAL : 0;
	return -EINVAL;
}

static int refuse(const char *key, const char *takes, const char *text)
{
	cuaudit_log(CUAUDIT_ERROR, "trace: %s takes %s, not '%s'", key, takes, text);
	return -ECANCELED;
}

static int read_count(const struct cuaudit_options *given, const char *key, uint32_t most,
		      uint32_t *count)
{
	const char *text = cuaudit_option_get(given, key), *at = text;
	uint64_t value;

	if (begin_number(&at, &value) || *at || value > most)
		return refuse(key, most == 100 ? "a number from 0 to 100" :
			      "a number from 0 to 1000", text);
	*count = (uint32_t)value;
	return 0;
}

static int read_file(const struct cuaudit_options *given, struct trace_file_settings *file)
{
	const char *size = cuaudit_option_get(given, "size");
	const char *args = cuaudit_option_get(given, "args");

	char filled[PATH_MAX];

	file->name = cuaudit_option_get(given, "file");
	if (file->name && (!*file->name || cuaudit_path(file->name, "", filled, sizeof(filled))))
		return refuse("file", "a path with %p %h %e %r %t %% for fields", file->name);
	if (!size_parse(size, &file->size) || file->size < 1 << 20)
		return refuse("size", "1MiB or more, such as 512M or 4GiB", size);
	if (!strcmp(cuaudit_option_get(given, "when-full"), "ring"))
		file->flags |= CUAUDIT_TRACE_RING;
	file->incompatible = CUAUDIT_TRACE_HAS_AGAIN;
	if (strcmp(args, "no") != 0)
		file->flags |= CUAUDIT_TRACE_ARGUMENTS;
	if (!strcmp(args, "kernel"))
		file->incompatible |= CUAUDIT_TRACE_HAS_PARAMETERS;
	return 0;
}

/* All that were given, as one selector. */
static int join(const struct cuaudit_options *given, const char *key, const char **joined)
{
	static char list[LIST];
	const char *text;
	size_t used = 0;

	for (uint32_t i = 0; (text = cuaudit_option_at(given, key, i)); i++) {
		if (used + strlen(text) + 2 > sizeof(list))
			return refuse(key, "less than 4 KiB", text);
		if (i)
			list[used++] = ',';
		strcpy(list + used, text);
		used += strlen(text);
		*joined = list;
	}
	return 0;
}

static int check_selector(const char *key, const char *selector)
{
	char name[32] = "trace: ";

	return selector ? cuaudit_selector_check(strcat(name, key), selector) : 0;
}

static int read_range(const char *glob, int *selector)
{
	*selector = glob ? cuaudit_range_selector(glob) : -1;
	return glob && *selector < 0 ? refuse("in-range", "a glob over the names of ranges", glob) : 0;
}

/* Of what a line of text has no use for, nothing is taken without a word. */
static int check_text(const struct cuaudit_options *given)
{
	static const char *const others[] = {
		"file", "size", "when-full", "strings", "elements", "open", "backtrace", "python", "frames",
		"print", "ranges", NULL
	};
	const char *args = cuaudit_option_get(given, "args"), *const *other = others;

	while (*other && !cuaudit_option_at(given, *other, 0))
		other++;
	if (!*other && !strcmp(args, "yes"))
		return 0;
	cuaudit_log(CUAUDIT_ERROR, "trace: %s%s%s needs a file, which text=yes does not write",
		    *other ? *other : "args", *other ? "" : "=", *other ? "" : args);
	return -ECANCELED;
}

int trace_options_read(const struct cuaudit_options *given, struct trace_options *options)
{
	const char *least = cuaudit_option_get(given, "min-duration");
	int error;

	*options = (struct trace_options){
		.libraries = cuaudit_option_get(given, "library"),
		.threads = cuaudit_option_get(given, "thread"),
		.start = cuaudit_option_get(given, "start"),
		.stop = cuaudit_option_get(given, "stop"),
		.open = cuaudit_option_get(given, "open"),
		.backtrace = cuaudit_option_get(given, "backtrace"),
		.python = cuaudit_option_get(given, "python"),
		.text = !strcmp(cuaudit_option_get(given, "text"), "yes"),
		.failed = !strcmp(cuaudit_option_get(given, "failed"), "yes"),
		.error_text = !strcmp(cuaudit_option_get(given, "error-text"), "yes"),
		.print = !strcmp(cuaudit_option_get(given, "print"), "yes"),
		.ranges = !strcmp(cuaudit_option_get(given, "ranges"), "yes"),
	};
	if (options->text && check_text(given))
		return -ECANCELED;
	if (!strcmp(options->open, "no"))
		options->open = "";
	error = read_file(given, &options->file);
	if (options->backtrace || options->python)
		options->file.incompatible |= CUAUDIT_TRACE_HAS_PYTHON;
	if (!error)
		error = read_count(given, "strings", 1000, &options->strings);
	if (!error)
		error = read_count(given, "elements", 100, &options->elements);
	if (!error)
		error = read_count(given, "frames", 100, &options->frames);
	if (!error)
		error = read_range(cuaudit_option_get(given, "in-range"), &options->in_range);
	if (!error && options->threads && !glob_is_one(options->threads))
		error = refuse("thread", "a glob over the names of threads, or a tid", options->threads);
	if (!error && trace_options_time(least, &options->least_ns))
		error = refuse("min-duration", "a time such as 10us", least);
	if (!error)
		error = join(given, "functions", &options->functions);
	if (error)
		return error;
	if (options->libraries && cuaudit_libraries_check("trace: library", options->libraries))
		return -ECANCELED;
	return check_selector("functions", options->functions) ||
	       check_selector("open", options->open) ||
	       check_selector("backtrace", options->backtrace) ||
	       check_selector("python", options->python) ? -ECANCELED : 0;
}
