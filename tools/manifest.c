/* SPDX-License-Identifier: Apache-2.0 */
/* cuaudit manifest: what programs ask of the driver, of traces or of a program that is run. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/manifest.h"
#include "tools/atomic_file.h"
#include "tools/conflicts.h"
#include "tools/inputs.h"
#include "tools/manifest_run.h"
#include "tools/options.h"
#include "tools/program.h"
#include "tools/tool.h"

static struct {
	const char *output;	/* NULL: none given */
	bool json;
	bool runs;		/* a program */
	struct out page;
} settings;

/* Files that could not be read, and what is missing of others: a line each. */
static int complain(const struct manifest *manifest)
{
	int status = TOOL_OK;

	for (size_t i = 0; i < manifest->nprocesses; i++) {
		const struct manifest_process *process = &manifest->processes[i];
		char text[512] = "";
		struct buffer out = { text, sizeof(text), 0 };

		if (process->fault) {
			tool_complain("%s: %s", process->path, process->fault);
		} else if (trace_losses_any(&process->losses)) {
			trace_losses_print(&out, &process->losses);
			tool_complain("%s: %s", process->path, text);
		} else {
			continue;
		}
		status = TOOL_FAILED;
	}
	return status;
}

/* TOOL_OK, where there is none, too. */
static int write_page(void)
{
	struct out *out = &settings.page;
	bool stream = !settings.output && settings.runs;
	struct atomic_file file = { .fd = STDERR_FILENO };
	int error = out->error;

	if (!out->used && !error)
		return TOOL_OK;
	if (!error && !stream && atomic_file_begin(&file, settings.output, ATOMIC_FILE))
		return TOOL_FAILED;
	if (!error)
		error = out_write(out, file.fd, IO_FOREVER);
	if (!error)
		return stream ? TOOL_OK : atomic_file_end(&file);
	if (!stream && file.target)
		atomic_file_drop(&file);
	tool_complain("cannot write the manifest: %s", strerror(-error));
	return TOOL_FAILED;
}

static bool may_run(enum trace_ending ending)
{
	return ending == TRACE_RUNS || ending == TRACE_NOT_ENDED;
}

static int make_page(const struct inputs *inputs, bool *living)
{
	char **paths = calloc(inputs->count + 1, sizeof(*paths));
	struct manifest manifest = { .nprocesses = 0 };
	int status = TOOL_FAILED, error = -ENOMEM;

	for (size_t i = 0; paths && i < inputs->count; i++)
		paths[i] = inputs->files[i].path;
	if (paths)
		error = manifest_read(&manifest, paths, inputs->count) ?: manifest_finish(&manifest);
	if (error) {
		tool_complain("manifest: %s", strerror(-error));
	} else if (manifest.nfaults < manifest.nprocesses) {
		(settings.json ? manifest_json : manifest_text)(&manifest, &settings.page);
		status = TOOL_OK;
	}
	if (!error && complain(&manifest))
		status = TOOL_FAILED;
	for (size_t i = 0; !error && i < manifest.nprocesses; i++)
		*living |= !manifest.processes[i].fault && may_run(manifest.processes[i].ending);
	manifest_free(&manifest);
	free(paths);
	return status;
}

static int read_files(char **files, size_t count, bool *living)
{
	struct inputs inputs;
	int status = inputs_take(&inputs, files, count, INPUT_TRACE);

	if (inputs.count && (inputs_spare(&inputs, settings.output) || make_page(&inputs, living)))
		status = TOOL_FAILED;
	inputs_free(&inputs);
	return status;
}

static int read_directory(const char *directory, bool *living)
{
	char *files[] = { (char *)(uintptr_t)directory };

	return read_files(files, 1, living);
}

static int take(struct launch *launch, int option)
{
	switch (option) {
	case 'J':
		settings.json = true;
		return 0;
	case 'm':
		if (options_among("text|json", optarg)) {
			settings.json = *optarg == 'j';
			return 0;
		}
		tool_complain("--format takes text|json, not '%s'", optarg);
		return -1;
	case 'o':
		settings.output = optarg;
		return 0;
	default:
		return exec_take(launch, option);
	}
}

/* Before the program starts, for it may take days. 0, or -1 after a message. */
static int check_output(const char *program)
{
	char path[PATH_MAX];

	if (!settings.output || !strcmp(settings.output, "-"))
		return 0;
	program_find(program, path);
	return atomic_file_check_run(settings.output, "the manifest", path);
}

/* How many words are behind the first --, while words are as they were given; -1: there is none. */
static int words_behind(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--"))
			return argc - i - 1;
	return -1;
}

/* A program comes behind a -- that is no option's value, without traces before it. 0, or -1. */
static int choose(int argc, char **argv, int behind, const char *value)
{
	settings.runs = optind < argc && !strcmp(argv[optind - 1], "--") && argv[optind - 1] != value;
	if (!settings.runs || argc - optind == behind)
		return 0;
	tool_complain("manifest: traces and a program; give one of them");
	return -1;
}

int tool_manifest(int argc, char **argv)
{
	struct launch launch = { .driver = NULL };
	int option, behind = words_behind(argc, argv);
	const char *value = NULL;
	bool living = false;

	while ((option = options_next(argc, argv)) > 0) {
		value = optarg;
		if (take(&launch, option))
			return TOOL_FAILED;
	}
	if (option != OPTIONS_END)
		return options_status(option);
	if (choose(argc, argv, behind, value))
		return TOOL_FAILED;
	if (settings.runs && check_output(argv[optind]))
		return TOOL_FAILED;
	if (settings.runs)
		return manifest_run(&launch, argv + optind, read_directory, write_page);
	if (conflicts_any("manifest", ":traces"))
		return TOOL_FAILED;
	if (optind < argc) {
		int status = read_files(argv + optind, (size_t)(argc - optind), &living);

		return write_page() ?: status;
	}
	tool_complain("manifest: no trace and no program given; see cuaudit manifest --help");
	return TOOL_FAILED;
}
