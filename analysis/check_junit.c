/* SPDX-License-Identifier: Apache-2.0 */
/* The result of cuaudit check as JUnit's XML: a test case for each rule and the lock file. */
#include <string.h>

#include "analysis/check_report.h"
#include "util/text.h"

/* Printed text, in which lines may end. What XML has no character for is none that is printed. */
static void escaped(struct out *out, const char *text, size_t length)
{
	for (size_t at = 0; at < length;) {
		struct text_character next = text_next(text + at, length - at);
		const char *entity = text[at] == '&' ? "&amp;" : text[at] == '<' ? "&lt;" :
				     text[at] == '>' ? "&gt;" : text[at] == '"' ? "&quot;" :
				     text[at] == '\n' ? "&#10;" : NULL;

		if (entity)
			out_text(out, entity);
		else if (next.point == 0xfffe || next.point == 0xffff)
			out_text(out, TEXT_REPLACEMENT);
		else
			out_printed(out, text + at, next.length);
		at += next.length;
	}
}

static void text(struct out *out, const char *value)
{
	escaped(out, value, strlen(value));
}

static void attribute(struct out *out, const char *name, const char *value)
{
	out_text(out, " ");
	out_text(out, name);
	out_text(out, "=\"");
	text(out, value);
	out_text(out, "\"");
}

static void number(struct out *out, const char *name, uint64_t value)
{
	attribute(out, name, out_count(value).text);
}

/* An element that holds what was printed. */
static void content(struct out *out, const char *element, const struct out *printed)
{
	if (printed->used)
		escaped(out, printed->data, printed->used);
	out->error = out->error ?: printed->error;
	out_text(out, "</");
	out_text(out, element);
	out_text(out, ">\n");
}

static void rule_case(const struct check_result *result, const struct check_sum *sum,
		      struct out *out)
{
	struct out why = { 0 }, findings = { 0 };

	out_text(out, "<testcase");
	attribute(out, "classname", "cuaudit.check");
	attribute(out, "name", sum->rule->text);
	attribute(out, "file", check_path(result->rules));
	number(out, "line", sum->rule->line);
	if (sum->verdict == CHECK_HOLDS) {
		out_text(out, " time=\"0\"/>\n");
		return;
	}
	out_text(out, " time=\"0\">\n<failure");
	attribute(out, "type", sum->verdict == CHECK_BROKEN ? "broken" : "never reached");
	check_why_text(result, sum, &why);
	out_bytes(&why, "", 1);
	attribute(out, "message", why.error ? "" : why.data);
	out_text(out, ">");
	check_findings_text(result, sum, "", &findings);
	content(out, "failure", &findings);
	out_text(out, "</testcase>\n");
	out_free(&why);
	out_free(&findings);
}

static void lock_case(const struct check_result *result, struct out *out)
{
	struct out facts = { 0 }, differences = { 0 };
	const char *element = result->lock == CHECK_LOCK_SKIPPED ? "skipped" : "failure";

	out_text(out, "<testcase");
	attribute(out, "classname", "cuaudit.check");
	attribute(out, "name", check_path(result->baseline));
	attribute(out, "file", check_path(result->baseline));
	if (result->lock == CHECK_LOCK_COMPARED && !result->differences.count) {
		out_text(out, " time=\"0\"/>\n");
		return;
	}
	out_text(out, " time=\"0\">\n<");
	out_text(out, element);
	check_facts_text(result, &facts);
	out_bytes(&facts, "", 1);
	if (result->lock == CHECK_LOCK_COMPARED)
		attribute(out, "type", "differs");
	attribute(out, "message", facts.error ? "" : facts.data);
	out_text(out, ">");
	check_lock_text(result, "", &differences);
	content(out, element, &differences);
	out_text(out, "</testcase>\n");
	out_free(&facts);
	out_free(&differences);
}

static void problem_case(const struct check_result *result, struct out *out)
{
	out_text(out, "<testcase");
	attribute(out, "classname", "cuaudit.check");
	attribute(out, "name", "the check is made");
	out_text(out, " time=\"0\">\n<error");
	attribute(out, "type", "not made");
	attribute(out, "message", result->problems[0]);
	out_text(out, ">");
	for (size_t i = 0; i < result->nproblems; i++) {
		text(out, result->problems[i]);
		out_text(out, "&#10;");
	}
	out_text(out, "</error>\n</testcase>\n");
}

static void counts(const struct check_result *result, struct out *out)
{
	number(out, "tests", result->nsums + (result->lock >= CHECK_LOCK_SKIPPED) +
			     (result->nproblems != 0));
	number(out, "failures", result->nbroken + result->nunreached +
				(result->differences.count != 0));
	number(out, "errors", result->nproblems != 0);
}

static void warnings(const struct check_result *result, struct out *out)
{
	struct check_warning warning;
	uint32_t at = 0;

	out_text(out, "<system-out>");
	while (check_warning_next(result, &at, &warning)) {
		text(out, check_path(result->rules));
		out_text(out, ":");
		out_u64(out, warning.line);
		out_text(out, ": ");
		text(out, warning.what);
		out_text(out, ": ");
		text(out, warning.text);
		out_text(out, "&#10;");
	}
	out_text(out, "</system-out>\n");
}

void check_junit(const struct check_result *result, struct out *out)
{
	out_text(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"cuaudit check\"");
	counts(result, out);
	out_text(out, ">\n<testsuite");
	attribute(out, "name", check_path(check_file_name(result)));
	counts(result, out);
	number(out, "skipped", result->lock == CHECK_LOCK_SKIPPED);
	out_text(out, " time=\"0\">\n");
	for (uint32_t i = 0; i < result->nsums; i++)
		rule_case(result, &result->sums[i], out);
	if (result->lock >= CHECK_LOCK_SKIPPED)
		lock_case(result, out);
	if (result->nproblems)
		problem_case(result, out);
	warnings(result, out);
	out_text(out, "</testsuite>\n</testsuites>\n");
}
