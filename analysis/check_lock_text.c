/* SPDX-License-Identifier: Apache-2.0 */
/* How a run differs from the lock file, for people. */
#include <string.h>
#include <sys/wait.h>

#include "analysis/check_report.h"

static void printed(struct out *out, const char *text)
{
	out_printed(out, text, strlen(text));
}

void check_facts_text(const struct check_result *result, struct out *out)
{
	size_t count = result->differences.count, all = result->nfacts;

	if (result->lock == CHECK_LOCK_SKIPPED) {
		out_text(out, "not compared");
		return;
	}
	if (!count)
		out_text(out, "all ");
	out_u64(out, count ? count : all);
	out_text(out, (count ? count : all) == 1 ? " fact" : " facts");
	out_text(out, count == 1 ? " differs" : count ? " differ" : all == 1 ? " holds" : " hold");
}

void check_difference_text(const struct baseline_difference *difference, struct out *out)
{
	out_text(out, difference->kind);
	out_text(out, ": ");
	out_text(out, difference->fact);
	out_text(out, ": expected ");
	out_text(out, difference->expected);
	out_text(out, ", seen ");
	out_text(out, difference->seen);
}

static void skipped_text(const struct check_result *result, struct out *out)
{
	bool killed = WIFSIGNALED(result->status);

	out_text(out, " is not compared: the command ended by ");
	out_text(out, killed ? "signal " : "status ");
	out_u64(out, (uint64_t)(killed ? WTERMSIG(result->status) : WEXITSTATUS(result->status)));
	out_text(out, "\n");
}

static void begin(struct out *out, const char *prefix, const struct check_result *result)
{
	out_text(out, prefix);
	printed(out, check_path(result->baseline));
}

void check_lock_text(const struct check_result *result, const char *prefix, struct out *out)
{
	if (result->lock == CHECK_LOCK_SKIPPED) {
		begin(out, prefix, result);
		skipped_text(result, out);
	}
	for (size_t i = 0; i < result->differences.count; i++) {
		begin(out, prefix, result);
		out_text(out, ":");
		out_u64(out, result->differences.items[i].line);
		out_text(out, ": ");
		check_difference_text(&result->differences.items[i], out);
		out_text(out, "\n");
	}
	if (!result->differences.count)
		return;
	out_text(out, prefix);
	out_text(out, "  if that is meant, cuaudit check --update changes the file\n");
	if (result->driver_note) {
		out_text(out, prefix);
		out_text(out, "  ");
		printed(out, result->driver_note);
		out_text(out, "\n");
	}
}
