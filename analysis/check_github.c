/* SPDX-License-Identifier: Apache-2.0 */
/* The result of cuaudit check as workflow commands of GitHub Actions, which become annotations. */
#include <string.h>

#include "analysis/check_report.h"

/* What would end a message, or a property of it, is written by number. */
static void escaped(struct out *out, const char *text, size_t length, const char *special)
{
	static const char digits[] = "0123456789ABCDEF";

	for (size_t i = 0; i < length; i++) {
		char number[] = { '%', digits[(uint8_t)text[i] >> 4], digits[text[i] & 15] };

		if (memchr(special, text[i], strlen(special)))
			out_bytes(out, number, sizeof(number));
		else
			out_bytes(out, text + i, 1);
	}
}

static void property(struct out *out, const char *text)
{
	struct out printed = { 0 };

	out_printed(&printed, text, strlen(text));
	if (printed.used)
		escaped(out, printed.data, printed.used, "%\r\n:,");
	out->error = out->error ?: printed.error;
	out_free(&printed);
}

static void begin(struct out *out, const char *level, const char *file, uint32_t line)
{
	out_text(out, "::");
	out_text(out, level);
	if (file) {
		out_text(out, " file=");
		property(out, check_path(file));
		out_text(out, ",line=");
		out_u64(out, line);
	}
	out_text(out, file ? ",title=" : " title=");
}

/* What is printed already. */
static void end(struct out *out, struct out *message)
{
	out_text(out, "::");
	while (message->used && message->data[message->used - 1] == '\n')
		message->used--;
	if (message->used)
		escaped(out, message->data, message->used, "%\r\n");
	out->error = out->error ?: message->error;
	out_text(out, "\n");
	out_free(message);
}

static void rule(const struct check_result *result, const struct check_sum *sum, struct out *out)
{
	size_t shown = sum->count < CHECK_SHOWN ? sum->count : CHECK_SHOWN;

	for (size_t i = 0; sum->verdict == CHECK_BROKEN && i < shown; i++) {
		const struct check_group *group = &result->groups[sum->first + i];
		const struct check_line *user = group->stack.user;
		struct out message = { 0 };

		begin(out, "error", user ? user->file : result->rules,
		      user ? user->line : sum->rule->line);
		property(out, sum->rule->text);
		check_group_text(group, "", &message);
		end(out, &message);
	}
	if (sum->verdict == CHECK_UNREACHED || !sum->count) {
		struct out message = { 0 };

		begin(out, "error", result->rules, sum->rule->line);
		property(out, sum->rule->text);
		check_why_text(result, sum, &message);
		end(out, &message);
	}
}

static void differences(const struct check_result *result, struct out *out)
{
	size_t count = result->differences.count, shown = count < CHECK_SHOWN ? count : CHECK_SHOWN;

	for (size_t i = 0; i < shown; i++) {
		const struct baseline_difference *difference = &result->differences.items[i];
		struct out message = { 0 };

		begin(out, "error", result->baseline, difference->line);
		out_text(out, difference->kind);
		check_difference_text(difference, &message);
		end(out, &message);
	}
}

void check_github(const struct check_result *result, struct out *out)
{
	struct check_warning warning;
	uint32_t at = 0;

	for (size_t i = 0; i < result->nproblems; i++) {
		struct out message = { 0 };

		begin(out, "error", NULL, 0);
		out_text(out, "check not made");
		out_printed(&message, result->problems[i], strlen(result->problems[i]));
		end(out, &message);
	}
	for (uint32_t i = 0; i < result->nsums; i++)
		if (result->sums[i].verdict != CHECK_HOLDS)
			rule(result, &result->sums[i], out);
	differences(result, out);
	while (check_warning_next(result, &at, &warning)) {
		struct out message = { 0 };

		begin(out, "warning", result->rules, warning.line);
		property(out, warning.text);
		out_text(&message, warning.what);
		out_text(&message, ": ");
		out_text(&message, warning.advice);
		end(out, &message);
	}
}
