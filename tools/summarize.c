/* SPDX-License-Identifier: Apache-2.0 */
/* Traces, added up and printed. */
#include "tools/summarize.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/progress.h"
#include "tools/tool.h"

enum { ARENAS = 2 };

static void tell(void *data, uint64_t done, uint64_t all)
{
	progress_tell(data, done, all);
}

/* What could not be read, a line each. */
static int complain(const struct summary *summary)
{
	for (size_t i = 0; i < summary->nprocesses; i++)
		if (summary->processes[i].fault)
			tool_complain("%s: %s", summary->processes[i].path,
				      summary->processes[i].fault);
	return summary->faults ? TOOL_FAILED : TOOL_OK;
}

/* Adds up the traces among the inputs. A status; summary_free in all cases. */
static int build(struct summary *summary, const struct summarize *how, const struct inputs *inputs)
{
	char **paths = calloc(inputs->count + 1, sizeof(*paths));
	struct summary_options options = how->options;
	struct progress progress;
	size_t count = 0;
	int error = -ENOMEM;

	*summary = (struct summary){ .store = NULL };
	for (size_t i = 0; paths && i < inputs->count; i++)
		if (inputs->files[i].kind == INPUT_TRACE)
			paths[count++] = inputs->files[i].path;
	/* One for each thread is much address space, which may be limited. */
	mallopt(M_ARENA_MAX, ARENAS);
	progress_begin(&progress, "report");
	options.progress = tell;
	options.data = &progress;
	if (paths)
		error = summary_build(summary, paths, count, &options);
	free(paths);
	progress_clear(&progress);
	if (!error)
		return complain(summary);
	tool_complain("report: %s", strerror(-error));
	return TOOL_FAILED;
}

static int finish(struct out *out, int error)
{
	if (!error)
		error = out_write(out, STDOUT_FILENO);
	out_free(out);
	if (!error)
		return TOOL_OK;
	tool_complain("cannot write: %s", strerror(-error));
	return TOOL_FAILED;
}

int summarize(const struct summarize *how, const struct inputs *inputs)
{
	struct summary summary;
	struct out out = { 0 };
	int status = build(&summary, how, inputs);

	if (summary.faults < summary.nprocesses) {
		if (how->json)
			summary_json(&summary, &how->print, &out);
		else
			summary_text(&summary, &how->print, &out);
	}
	if (finish(&out, 0))
		status = TOOL_FAILED;
	summary_free(&summary);
	return status;
}

int summarize_diff(const struct summarize *how, const struct inputs *a, const struct inputs *b)
{
	struct summary before, after;
	struct out out = { 0 };
	int status = build(&before, how, a), error = 0;

	if (build(&after, how, b))
		status = TOOL_FAILED;
	/* Half of a job is not compared with all of it. */
	if (status == TOOL_OK) {
		error = how->json ? summary_diff_json(&before, &after, &how->print, &out) :
				    summary_diff_text(&before, &after, &how->print, &out);
		status = finish(&out, error);
	}
	summary_free(&before);
	summary_free(&after);
	return status;
}
