/* SPDX-License-Identifier: Apache-2.0 */
/* The result of cuaudit check as SARIF 2.1.0, OASIS' format of findings of analyses. */
#include <config.h>

#include <string.h>
#include <sys/wait.h>

#include "analysis/check_file.h"
#include "analysis/check_report.h"
#include "util/writer.h"

/* Makes a JSON text of what is printed, and begins anew. */
static void take_text(struct writer *json, const char *key, struct out *text)
{
	out_bytes(text, "", 1);
	writer_text(json, key, text->error ? "" : text->data);
	json->out->error = json->out->error ?: text->error;
	out_free(text);
}

static void message(struct writer *json, const char *text)
{
	writer_begin(json, "message", '{');
	writer_text(json, "text", text);
	writer_end(json, '}');
}

/* A path as a URI, RFC 3986: relative from the current directory, or file://. */
static void uri(struct out *out, const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/";
	static const char digits[] = "0123456789ABCDEF";

	path = check_path(path);
	if (*path == '/')
		out_text(out, "file://");
	for (; *path; path++) {
		char number[] = { '%', digits[(uint8_t)*path >> 4], digits[*path & 15] };

		if (strchr(plain, *path))
			out_bytes(out, path, 1);
		else
			out_bytes(out, number, sizeof(number));
	}
}

/* Lines are from 1; 0 is not known. */
static void physical_location(struct writer *json, const char *file, uint32_t line)
{
	struct out text = { 0 };

	writer_begin(json, "physicalLocation", '{');
	writer_begin(json, "artifactLocation", '{');
	uri(&text, file);
	take_text(json, "uri", &text);
	writer_end(json, '}');
	if (line) {
		writer_begin(json, "region", '{');
		writer_number(json, "startLine", line);
		writer_end(json, '}');
	}
	writer_end(json, '}');
}

static void locations(struct writer *json, const char *file, uint32_t line)
{
	WRITER_OBJECTS(json, "locations", i, 1)
		physical_location(json, file, line);
}

static void frame(struct writer *json, const struct check_line *line)
{
	struct out text = { 0 };

	writer_begin(json, "location", '{');
	if (line->file)
		physical_location(json, line->file, line->line);
	check_line_text(&text, line);
	writer_begin(json, "message", '{');
	take_text(json, "text", &text);
	writer_end(json, '}');
	writer_end(json, '}');
	if (line->library)
		writer_text(json, "module", line->library);
}

static void stacks(struct writer *json, const struct check_stack *stack)
{
	if (!stack->count)
		return;
	WRITER_OBJECTS(json, "stacks", i, 1) {
		WRITER_OBJECTS(json, "frames", j, stack->count)
			frame(json, &stack->lines[j]);
	}
}

/* What rules of SARIF are called by: as it stands in the file, for lines move. */
static void begin_result(struct writer *json, const struct check_sum *sum, size_t number)
{
	writer_begin(json, NULL, '{');
	writer_text(json, "ruleId", sum->rule->text);
	writer_number(json, "ruleIndex", number);
	writer_text(json, "level", "error");
}

static void finding_result(struct writer *json, const struct check_result *result,
			   const struct check_sum *sum, const struct check_group *group)
{
	const struct check_line *user = group->stack.user;
	struct out text = { 0 };

	begin_result(json, sum, (size_t)(sum - result->sums));
	out_printed(&text, sum->rule->text, strlen(sum->rule->text));
	out_text(&text, "\n");
	check_group_text(group, "", &text);
	writer_begin(json, "message", '{');
	take_text(json, "text", &text);
	writer_end(json, '}');
	locations(json, user ? user->file : result->rules, user ? user->line : sum->rule->line);
	writer_number(json, "occurrenceCount", group->count);
	stacks(json, &group->stack);
	writer_end(json, '}');
}

/* Of a rule that has no finding. */
static void rule_result(struct writer *json, const struct check_result *result,
			const struct check_sum *sum)
{
	struct out text = { 0 };

	begin_result(json, sum, (size_t)(sum - result->sums));
	check_why_text(result, sum, &text);
	writer_begin(json, "message", '{');
	take_text(json, "text", &text);
	writer_end(json, '}');
	locations(json, result->rules, sum->rule->line);
	writer_end(json, '}');
}

/* No rule is called so. */
static const char lock_rule[] = "baseline";

static void difference_result(struct writer *json, const struct check_result *result,
			      const struct baseline_difference *difference)
{
	struct out text = { 0 };

	writer_begin(json, NULL, '{');
	writer_text(json, "ruleId", lock_rule);
	writer_number(json, "ruleIndex", result->nsums);
	writer_text(json, "level", "error");
	check_difference_text(difference, &text);
	writer_begin(json, "message", '{');
	take_text(json, "text", &text);
	writer_end(json, '}');
	locations(json, result->baseline, difference->line);
	writer_end(json, '}');
}

static void results(struct writer *json, const struct check_result *result)
{
	writer_begin(json, "results", '[');
	for (uint32_t i = 0; i < result->nsums; i++) {
		const struct check_sum *sum = &result->sums[i];

		for (size_t j = 0; sum->verdict == CHECK_BROKEN && j < sum->count; j++)
			finding_result(json, result, sum, &result->groups[sum->first + j]);
		if (sum->verdict == CHECK_UNREACHED || (sum->verdict == CHECK_BROKEN && !sum->count))
			rule_result(json, result, sum);
	}
	for (size_t i = 0; i < result->differences.count; i++)
		difference_result(json, result, &result->differences.items[i]);
	writer_end(json, ']');
}

static void rule_object(struct writer *json, const char *id, const char *description)
{
	writer_begin(json, NULL, '{');
	writer_text(json, "id", id);
	writer_begin(json, "shortDescription", '{');
	writer_text(json, "text", description);
	writer_end(json, '}');
	writer_end(json, '}');
}

static void tool(struct writer *json, const struct check_result *result)
{
	writer_begin(json, "tool", '{');
	writer_begin(json, "driver", '{');
	writer_text(json, "name", PACKAGE_NAME);
	writer_text(json, "version", PACKAGE_VERSION);
	writer_begin(json, "rules", '[');
	for (uint32_t i = 0; i < result->nsums; i++)
		rule_object(json, result->sums[i].rule->text, result->sums[i].rule->text);
	if (result->baseline)
		rule_object(json, lock_rule, "the driver calls are those of the lock file");
	writer_end(json, ']');
	writer_end(json, '}');
	writer_end(json, '}');
}

static void notification(struct writer *json, const char *level, const char *text)
{
	writer_begin(json, NULL, '{');
	writer_text(json, "level", level);
	message(json, text);
	writer_end(json, '}');
}

static void warnings(struct writer *json, const struct check_result *result)
{
	struct check_warning warning;
	uint32_t at = 0;

	while (check_warning_next(result, &at, &warning)) {
		struct out text = { 0 };

		out_text(&text, warning.what);
		out_text(&text, ": ");
		out_text(&text, warning.text);
		out_bytes(&text, "", 1);
		notification(json, "note", text.error ? "" : text.data);
		out_free(&text);
	}
}

/* What is to be known of the run itself: why the check was not made. */
static void invocation(struct writer *json, const struct check_result *result)
{
	int status = check_status(result);

	WRITER_OBJECTS(json, "invocations", i, 1) {
		writer_flag(json, "executionSuccessful", !result->nproblems);
		if (status || (result->ended && WIFEXITED(result->status)))
			writer_number(json, "exitCode", (uint64_t)(status ?: WEXITSTATUS(result->status)));
		else if (result->ended && WIFSIGNALED(result->status))
			writer_number(json, "exitSignalNumber", (uint64_t)WTERMSIG(result->status));
		writer_begin(json, "toolExecutionNotifications", '[');
		for (size_t j = 0; j < result->nproblems; j++)
			notification(json, "error", result->problems[j]);
		warnings(json, result);
		if (result->lock == CHECK_LOCK_SKIPPED)
			notification(json, "warning", "the lock file is not compared: the command failed");
		writer_end(json, ']');
	}
}

void check_sarif(const struct check_result *result, struct out *out)
{
	struct writer json = { .out = out };

	writer_begin(&json, NULL, '{');
	writer_text(&json, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	writer_text(&json, "version", "2.1.0");
	WRITER_OBJECTS(&json, "runs", i, 1) {
		tool(&json, result);
		invocation(&json, result);
		results(&json, result);
	}
	writer_end(&json, '}');
	out_text(out, "\n");
}
