/* SPDX-License-Identifier: Apache-2.0 */
/* The result of cuaudit check as one JSON object, with all findings. */
#include <string.h>
#include <sys/wait.h>

#include "analysis/check_file.h"
#include "analysis/check_report.h"
#include "util/writer.h"

enum { JSON_VERSION = 1 };

static const char *const verdicts[] = {
	[CHECK_HOLDS] = "holds", [CHECK_BROKEN] = "broken", [CHECK_UNREACHED] = "never reached",
};

static void processes(struct writer *json, const struct check_result *result)
{
	WRITER_OBJECTS(json, "processes", i, result->nprocesses) {
		const struct check_process *process = &result->processes[i];
		const struct check_header *header = &process->file->header;

		writer_number(json, "pid", header->pid);
		writer_number(json, "parent", header->parent);
		writer_text(json, "command", header->command);
		writer_number(json, "calls", header->calls);
		writer_flag(json, "ended", header->ended);
		writer_flag(json, "runs", process->runs);
	}
}

static void place(struct writer *json, const struct check_line *user)
{
	if (!user) {
		writer_null(json, "place");
		return;
	}
	writer_begin(json, "place", '{');
	writer_text(json, "file", user->file);
	writer_number(json, "line", user->line);
	writer_end(json, '}');
}

static void stack(struct writer *json, const struct check_stack *stack)
{
	WRITER_OBJECTS(json, "stack", i, stack->count) {
		const struct check_line *line = &stack->lines[i];

		writer_text(json, "language", line->python ? "python" : "native");
		writer_text(json, "function", line->function);
		writer_text(json, "file", line->file);
		writer_known(json, "line", line->line, line->line);
		if (line->python)
			continue;
		writer_text(json, "library", line->library);
		writer_hex(json, line->library ? "offset" : "address", line->offset);
		writer_known(json, "distance", line->distance, line->exported);
		writer_flag(json, "inlined", line->inlined);
	}
}

static void findings(struct writer *json, const struct check_result *result,
		     const struct check_sum *sum)
{
	WRITER_OBJECTS(json, "findings", i, sum->count) {
		const struct check_group *group = &result->groups[sum->first + i];
		const struct check_finding *finding = group->finding;

		writer_number(json, "count", group->count);
		writer_number(json, "first_ns", finding->time_ns);
		writer_number(json, "pid", group->file->header.pid);
		writer_number(json, "tid", finding->thread);
		writer_text(json, "thread", check_finding_text(finding, finding->name));
		writer_text(json, "function", check_finding_text(finding, finding->function));
		writer_text(json, "call", check_finding_text(finding, finding->call));
		writer_text(json, "kernel", group->kernel);
		writer_text(json, "range", check_finding_text(finding, finding->range));
		writer_text(json, "note", check_finding_text(finding, finding->note));
		place(json, group->stack.user);
		stack(json, &group->stack);
	}
}

static void missing(struct writer *json, const struct check_result *result,
		    const struct check_sum *sum)
{
	struct out text = { 0 };

	check_missing_text(result, sum, &text);
	out_bytes(&text, "", 1);
	writer_text(json, "never_reached", sum->missing && !text.error ? text.data : NULL);
	json->out->error = json->out->error ?: text.error;
	out_free(&text);
}

static void rules(struct writer *json, const struct check_result *result)
{
	static const char *const kinds[] = { "never", "count", "budget", "at end" };
	static const char *const units[] = { "calls", "bytes", "ns", "kernels" };

	WRITER_OBJECTS(json, "rules", i, result->nsums) {
		const struct check_sum *sum = &result->sums[i];
		const struct check_rule *rule = sum->rule;

		writer_number(json, "line", rule->line);
		writer_text(json, "text", rule->text);
		writer_text(json, "verdict", verdicts[sum->verdict]);
		writer_text(json, "kind", kinds[rule->kind]);
		writer_flag(json, "optional", rule->optional);
		writer_text(json, "unit", units[rule->unit]);
		writer_number(json, "least", rule->least);
		writer_known(json, "most", rule->most, rule->most != UINT64_MAX);
		writer_number(json, "value", sum->value);
		writer_number(json, "broken", sum->broken);
		writer_number(json, "allowed", sum->allowed);
		missing(json, result, sum);
		findings(json, result, sum);
	}
}

static void allows(struct writer *json, const struct check_result *result)
{
	const struct check_file *file = check_rules(result);

	WRITER_OBJECTS(json, "allows", i, file ? file->header.nallows : 0) {
		uint32_t number = (uint32_t)i;

		writer_number(json, "line", file->allows[i].line);
		writer_text(json, "text", file->allows[i].text);
		writer_number(json, "used", result->used[i]);
		writer_flag(json, "optional", file->allows[i].optional);
		writer_text(json, "note", check_unused(result, number) ? "in no call stack" : NULL);
	}
}

static void baseline(struct writer *json, const struct check_result *result)
{
	if (!result->baseline) {
		writer_null(json, "baseline");
		return;
	}
	writer_begin(json, "baseline", '{');
	writer_text(json, "file", result->baseline);
	writer_flag(json, "compared", result->lock == CHECK_LOCK_COMPARED);
	writer_number(json, "facts", result->nfacts);
	writer_text(json, "note", result->driver_note);
	WRITER_OBJECTS(json, "differences", i, result->differences.count) {
		const struct baseline_difference *difference = &result->differences.items[i];

		writer_number(json, "line", difference->line);
		writer_text(json, "kind", difference->kind);
		writer_text(json, "fact", difference->fact);
		writer_text(json, "expected", difference->expected);
		writer_text(json, "seen", difference->seen);
	}
	writer_end(json, '}');
}

static const char *verdict(const struct check_result *result)
{
	if (check_status(result) == CHECK_BROKEN_STATUS)
		return "broken";
	return check_status(result) || result->lock == CHECK_LOCK_SKIPPED ? "not made" : "holds";
}

void check_json(const struct check_result *result, struct out *out)
{
	struct writer json = { .out = out };
	bool exited = result->ended && WIFEXITED(result->status);
	bool killed = result->ended && WIFSIGNALED(result->status);

	writer_begin(&json, NULL, '{');
	writer_number(&json, "version", JSON_VERSION);
	writer_text(&json, "verdict", verdict(result));
	writer_flag(&json, "complete", !result->nproblems && result->lock != CHECK_LOCK_SKIPPED);
	writer_text(&json, "command", result->command);
	writer_known(&json, "command_status",
		     (uint64_t)(exited ? WEXITSTATUS(result->status) : 0), exited);
	writer_known(&json, "command_signal",
		     (uint64_t)(killed ? WTERMSIG(result->status) : 0), killed);
	writer_text(&json, "rules_file", result->rules);
	WRITER_ARRAY(&json, "problems", i, result->nproblems)
		writer_text(&json, NULL, result->problems[i]);
	rules(&json, result);
	allows(&json, result);
	baseline(&json, result);
	processes(&json, result);
	writer_end(&json, '}');
	out_text(out, "\n");
}
