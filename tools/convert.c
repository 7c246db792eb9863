/* SPDX-License-Identifier: Apache-2.0 */
/* cuaudit convert: turns traces into what other tools read. */
#include "export/convert.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/atomic_file.h"
#include "tools/catalogue.h"
#include "tools/inputs.h"
#include "tools/options.h"
#include "tools/progress.h"
#include "tools/tool.h"
#include "util/selector.h"

struct settings {
	const struct convert_format *format;
	const char *output;	/* NULL or "-": standard output */
	char *selector;		/* all --functions there are, as one */
	struct selector *functions;
	struct convert_choice choice;
};

static struct progress progress;

static void complain(const char *path, const char *text)
{
	progress_clear(&progress);
	tool_complain("%s: %s", path, text);
}

static int choose_format(struct settings *settings, const char *name)
{
	const char *names[64];
	size_t count = 0;

	for (; convert_formats[count] && count < 63; count++) {
		names[count] = convert_formats[count]->name;
		if (!strcmp(names[count], name))
			settings->format = convert_formats[count];
	}
	names[count] = NULL;
	if (settings->format && !strcmp(settings->format->name, name))
		return 0;
	options_unknown("format", name, names, "convert");
	return -1;
}

static int choose_functions(struct settings *settings, const char *text)
{
	char *before = settings->selector, *all;

	if (options_selector("--functions: ", text))
		return -1;
	if (asprintf(&all, "%s%s%s", before ? before : "", before ? "," : "", text) < 0)
		all = NULL;
	free(before);
	settings->selector = all;
	if (all)
		return 0;
	tool_complain("no memory");
	return -1;
}

static int choose_time(const char *option, uint64_t *ns, const char *text)
{
	char *end;
	double seconds = strtod(text, &end);

	if (end != text && !text[strspn(text, "0123456789.")] && !*end && seconds < 1e9) {
		*ns = (uint64_t)(seconds * 1e9 + 0.5);
		return 0;
	}
	tool_complain("--%s takes seconds, not '%s'", option, text);
	return -1;
}

static int choose_weight(struct settings *settings, const char *text)
{
	if (options_among("ns|calls", text)) {
		settings->choice.count = !strcmp(text, "calls");
		return 0;
	}
	tool_complain("--weight takes ns or calls, not '%s'", text);
	return -1;
}

static int choose(struct settings *settings, int option, const char *value)
{
	switch (option) {
	case 'N':
		settings->choice.no_arguments = true;
		return 0;
	case 'X':
		settings->choice.failed = true;
		return 0;
	case 'D':
		return options_names(value, &settings->choice.names);
	case 'f':
		return choose_functions(settings, value);
	case 'I':
		return options_range(value, &settings->choice.in_range);
	case 'o':
		settings->output = value;
		return 0;
	case 'U':
		return choose_time("from", &settings->choice.from, value);
	case 't':
		return choose_format(settings, value);
	case 'Y':
		settings->choice.no_symbols = *value == 'n';
		if (options_among("yes|no", value))
			return 0;
		tool_complain("--symbols takes yes|no, not '%s'", value);
		return -1;
	case 'W':
		return choose_weight(settings, value);
	default:
		return choose_time("until", &settings->choice.until, value);
	}
}

static bool to_stdout(const struct settings *settings)
{
	return !settings->output || !strcmp(settings->output, "-");
}

static bool compressed(const struct settings *settings)
{
	size_t length = settings->output ? strlen(settings->output) : 0;

	return length > 4 && !strcmp(settings->output + length - 4, ".zst");
}

/* What does not go together, in one line. */
static int check(const struct settings *settings, int files)
{
	const struct convert_format *format = settings->format;

	if (!format)
		tool_complain("convert: --to says which format; see cuaudit convert --help");
	else if (!files)
		tool_complain("convert: no file given; see cuaudit convert --help");
	else if (format->library)
		tool_complain("this cuaudit was built without %s, which %s needs", format->library,
			      format->name);
	else if (to_stdout(settings) && format->target != CONVERT_STREAM)
		tool_complain("%s needs --output, and a name", format->name);
	else if (settings->choice.until < settings->choice.from)
		tool_complain("--until is before --from, so that no call is between them");
	else if (to_stdout(settings) && format->binary && isatty(STDOUT_FILENO))
		tool_complain("%s is not for terminals; see --output", format->name);
	else if (compressed(settings) && format->target != CONVERT_STREAM)
		tool_complain("%s cannot be compressed", format->name);
	else
		return 0;
	return OPTIONS_WRONG;
}

/* 0, or OPTIONS_WRONG and OPTIONS_ENOUGH. */
static int parse(int argc, char **argv, struct settings *settings)
{
	int option;

	while ((option = options_next(argc, argv)) > 0)
		if (choose(settings, option, optarg))
			return OPTIONS_WRONG;
	return option == OPTIONS_END ? check(settings, argc - optind) : option;
}

static void tell(void *data, uint64_t done, uint64_t all)
{
	progress_tell(data, done, all);
}

static int run(struct convert *convert, struct atomic_file *file, const struct settings *settings)
{
	struct sink sink = { .fd = -1 };
	int error = 0, closed;

	if (!file->path && convert->format->target != CONVERT_STREAM) {
		tool_complain("%s: a descriptor; %s needs a file with a name", file->target,
			      convert->format->name);
		return -EINVAL;
	}
	convert->path = file->path;
	if (convert->format->target == CONVERT_STREAM) {
		error = sink_open(&sink, file->fd, compressed(settings));
		convert->sink = &sink;
	}
	if (!error)
		error = convert_run(convert);
	closed = convert->sink ? sink_close(&sink) : 0;
	progress_clear(&progress);
	if (error == -EINVAL && !*convert->fault)
		return error;
	if (!error)
		error = closed;
	if (error == -ENOTSUP)
		tool_complain("this cuaudit was built without zstd, which %s needs", file->target);
	else if (error)
		tool_complain("%s: %s", file->target,
			      *convert->fault ? convert->fault : strerror(-error));
	return error;
}

/* What was chosen, where it took nothing. */
static void report_choice(const struct convert *convert)
{
	const struct convert_choice *choice = &convert->choice;
	bool timed = choice->from || choice->until != UINT64_MAX;

	if (choice->functions)
		options_unmatched("--functions: ", choice->functions);
	if (choice->in_range && !convert->pushed)
		options_no_range(choice->in_range);
	if (timed && !convert->calls && !convert->opens)
		tool_complain("--from, --until: no call is between; the traces go from 0 to %.3f "
			      "seconds", (double)convert->length / 1e9);
}

static int convert_files(const struct settings *settings, const struct inputs *inputs)
{
	struct convert convert = {
		.format = settings->format,
		.npaths = inputs->count,
		.choice = settings->choice,
		.complain = complain,
		.progress = tell,
		.progress_data = &progress,
	};
	const char **paths = calloc(inputs->count + 1, sizeof(*paths));
	bool *named = calloc(inputs->count + 1, sizeof(*named));
	struct atomic_file file;
	int status = TOOL_FAILED;

	if (!paths || !named) {
		tool_complain("no memory");
		free(paths);
		free(named);
		return TOOL_FAILED;
	}
	for (size_t i = 0; i < inputs->count; i++) {
		paths[i] = inputs->files[i].path;
		named[i] = !inputs->files[i].directory;
	}
	convert.paths = paths;
	convert.named = named;
	progress_begin(&progress, "convert");
	if (atomic_file_begin(&file, settings->output,
			  settings->format->target == CONVERT_DIRECTORY ? ATOMIC_DIRECTORY
								      : ATOMIC_FILE) == TOOL_OK) {
		if (run(&convert, &file, settings)) {
			atomic_file_drop(&file);
		} else {
			status = atomic_file_end(&file);
			report_choice(&convert);
		}
		if (status == TOOL_OK && convert.incomplete)
			status = TOOL_FAILED;
	}
	free(paths);
	free(named);
	return status;
}

/*
 * What SQLite keeps beside a database that is in use, or whose program was ended in the middle, it applies to
 * whatever has that name next. 0, or -1 after a message.
 */
static int check_beside(const struct settings *settings)
{
	static const char *const suffixes[] = { "-journal", "-wal" };
	char path[PATH_MAX + 16], *real;
	struct stat status;

	if (settings->format->target != CONVERT_FILE || to_stdout(settings))
		return 0;
	real = realpath(settings->output, NULL);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		snprintf(path, sizeof(path), "%.*s%s", PATH_MAX, real ? real : settings->output, suffixes[i]);
		if (lstat(path, &status))
			continue;
		tool_complain("%s is there, of a database that is in use, or was when its program ended; "
			      "remove it, or give another output", path);
		free(real);
		return -1;
	}
	free(real);
	return 0;
}

static int open_selector(struct settings *settings)
{
	size_t unused;

	if (!settings->selector)
		return 0;
	if (!selector_unknown_name(settings->selector, &unused, catalogue_function) &&
	    selector_takes_none(settings->selector, catalogue_function)) {
		tool_complain("--functions: '%s' takes no function: its parts with ! take away those of the others",
			      settings->selector);
		return -1;
	}
	settings->functions = selector_open(settings->selector);
	settings->choice.functions = settings->functions;
	if (!settings->functions)
		tool_complain("no memory");
	return settings->functions ? 0 : -1;
}

int tool_convert(int argc, char **argv)
{
	struct settings settings = { .choice = { .until = UINT64_MAX, .names = DEMANGLE_SHORT } };
	int option = parse(argc, argv, &settings), status;
	struct inputs inputs;

	if (option) {
		status = options_status(option);
	} else if (open_selector(&settings) || check_beside(&settings)) {
		status = TOOL_FAILED;
	} else {
		status = inputs_take(&inputs, argv + optind, (size_t)(argc - optind), INPUT_TRACE);
		/* What was named by itself is needed; of a directory, what there is is taken. */
		if (inputs.count && !inputs.refused &&
		    (inputs_spare(&inputs, settings.output) || convert_files(&settings, &inputs)))
			status = TOOL_FAILED;
		inputs_free(&inputs);
	}
	if (settings.functions)
		selector_close(settings.functions);
	free(settings.selector);
	return status;
}
