/* SPDX-License-Identifier: Apache-2.0 */
/* The result of cuaudit check as TAP, version 13: a point for each rule and the lock file. */
#include <string.h>

#include "analysis/check_report.h"

/* '#' begins a directive, and '\' escapes. */
static void description(struct out *out, const char *text)
{
	for (size_t length; *text; text += length) {
		length = strcspn(text, "#\\");
		out_printed(out, text, length);
		if (!text[length])
			break;
		out_text(out, text[length] == '#' ? "\\#" : "\\\\");
		length++;
	}
}

static void lock_point(const struct check_result *result, uint64_t number, struct out *out)
{
	out_text(out, result->differences.count ? "not ok " : "ok ");
	out_u64(out, number);
	out_text(out, " - ");
	description(out, check_path(result->baseline));
	out_text(out, result->lock == CHECK_LOCK_SKIPPED ? " # SKIP the command failed\n" : "\n");
	check_lock_text(result, "# ", out);
}

void check_tap(const struct check_result *result, struct out *out)
{
	uint64_t points = result->nsums + (result->lock >= CHECK_LOCK_SKIPPED);
	bool idle = !points && !check_status(result);

	out_text(out, "TAP version 13\n");
	if (points || idle) {
		out_text(out, "1..");
		out_u64(out, points);
		out_text(out, idle ? " # SKIP no process called the CUDA driver\n" : "\n");
	}
	for (uint32_t i = 0; i < result->nsums; i++) {
		const struct check_sum *sum = &result->sums[i];

		out_text(out, sum->verdict == CHECK_HOLDS ? "ok " : "not ok ");
		out_u64(out, i + 1);
		out_text(out, " - ");
		description(out, sum->rule->text);
		out_text(out, "\n");
		if (sum->verdict != CHECK_HOLDS)
			check_findings_text(result, sum, "# ", out);
	}
	if (result->lock >= CHECK_LOCK_SKIPPED)
		lock_point(result, points, out);
	if (!result->nproblems)
		return;
	out_text(out, "Bail out! ");
	out_printed(out, result->problems[0], strlen(result->problems[0]));
	out_text(out, "\n");
}
