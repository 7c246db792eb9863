/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what the limit hook has counted. */
#include "hooks/modules/limit/limit.h"

#include <string.h>
#include <unistd.h>

#include <cuaudit/coverage.h>

#include "analysis/share_record.h"
#include "hooks/call_site.h"
#include "hooks/modules/limit/limit_gap.h"
#include "hooks/modules/limit/limit_lease.h"
#include "hooks/modules/limit/limit_own.h"
#include "hooks/modules/limit/limit_pool.h"
#include "hooks/modules/limit/limit_refusals.h"
#include "hooks/modules/limit/limit_shared.h"
#include "util/out.h"
#include "util/writer.h"

enum { NUMBER = 10, PATH_COLUMNS = 72 };

/* "1.50GiB", cut, not rounded. */
static void size(struct out *out, uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	char text[40] = "";
	uint64_t rest = 0;
	int unit = 0;

	if (bytes == ACCOUNT_NONE) {
		out_right(out, "none", NUMBER);
		return;
	}
	for (; bytes >= 1024 && unit < 4; unit++) {
		rest = bytes % 1024 * 100 / 1024;
		bytes /= 1024;
	}
	strcpy(text, out_count(bytes).text);
	if (unit) {
		strcat(text, rest < 10 ? ".0" : ".");
		strcat(text, out_count(rest).text);
	}
	strcat(text, units[unit]);
	out_right(out, text, NUMBER);
}

static void text_account(struct out *out, const char *name, const struct account *account,
			 uint64_t used)
{
	out_text(out, "\n");
	size(out, account->limit);
	size(out, account->peak);
	size(out, used);
	out_right(out, out_count(account->refused).text, NUMBER);
	out_text(out, "  ");
	out_text(out, name);
}

static uint64_t spare_of_all(void)
{
	uint64_t spare = 0;

	for (uint32_t i = 0; i < ACCOUNT_DEVICES; i++)
		spare += pool_spare(i);
	return spare;
}

/* A device that was of any interest. */
static bool shown(const struct account *account)
{
	return account->peak || account->refused || account->used;
}

static void text_libraries(struct out *out)
{
	bool any = false;

	for (uint32_t i = 0; i < ACCOUNT_LIBRARIES; i++) {
		const struct library_account *library = &account_libraries[i];

		if (!library->library)
			continue;
		if (!any)
			out_text(out, "\n\n      Peak     At end     Allocs    Refused  Library");
		any = true;
		out_text(out, "\n");
		size(out, library->peak);
		size(out, library->used);
		out_right(out, out_count(library->taken).text, NUMBER);
		out_right(out, out_count(library->refused).text, NUMBER);
		out_text(out, "  ");
		if (i == ACCOUNT_LIBRARIES - 1)
			out_text(out, "all others");
		else
			out_fit(out, library->library->path, PATH_COLUMNS);
	}
}

/* Who was refused, and how much, the first time. */
static void text_refusals(struct out *out)
{
	const struct refusal *refusal;
	char site[CALL_SITE_TEXT];
	uint32_t index = 0;
	uint64_t count;

	for (bool first = true; (refusal = refusals_get(&index, &count)); first = false) {
		out_text(out, first ? "\n\n   Refused      First  Call site" : "");
		out_text(out, "\n");
		out_right(out, out_count(count).text, NUMBER);
		size(out, refusal->bytes);
		out_text(out, "  ");
		out_text(out, refusal->function->name);
		out_text(out, " by ");
		call_site_text(site, refusal->caller, refusal->library);
		out_printed(out, site, strlen(site));
	}
	if (!refusals_others())
		return;
	out_text(out, "\n");
	out_right(out, out_count(refusals_others()).text, NUMBER);
	out_text(out, "             more call sites");
}

static void text_denied(struct out *out)
{
	const struct cuaudit_function *function;
	bool any = false;

	for (uint32_t slot = 0; (function = cuaudit_function_get(slot)); slot++) {
		if (!limit_denied[slot])
			continue;
		out_text(out, any ? "" : "\n\n    Denied  Function");
		any = true;
		out_text(out, "\n");
		out_right(out, out_count(limit_denied[slot]).text, NUMBER - 1);
		out_text(out, "  ");
		out_printed(out, function->name, strlen(function->name));
	}
}

/* A line below the table, behind an empty one. */
static void text_gap(struct out *out, bool *any, uint64_t times, const char *what)
{
	if (!times)
		return;
	out_text(out, *any ? "\n" : "\n\n");
	*any = true;
	out_right(out, out_count(times).text, NUMBER);
	out_text(out, what);
}

/* Of a message, behind which it would say more. */
static void text_without_colon(struct out *out, const char *text)
{
	size_t length = strlen(text);

	out_printed(out, text, length - (text[length - 1] == ':'));
}

static void text_gaps(struct out *out)
{
	bool any = false;

	for (int gap = 0; gap < GAPS; gap++) {
		text_gap(out, &any, gap_count((enum gap)gap), "  times ");
		if (gap_count((enum gap)gap))
			text_without_colon(out, gap_text((enum gap)gap));
	}
	text_gap(out, &any, shared_repairs(),
		 "  times another program had written into the shared file");
	text_gap(out, &any, cuaudit_unhooked_calls(),
		 "  calls, of any function, were made while a hook ran and not held to the limit");
	text_gap(out, &any, cuaudit_unwound_calls() + cuaudit_unwound_hooks(),
		 "  calls, of any function, were left by longjmp or an exception");
}

/* Times in milliseconds. */
static void text_leases(struct out *out)
{
	struct lease_report report;
	char had[SHARE_HAD];
	bool any = false;

	for (uint32_t i = 0; i < LEASE_ORDINALS; i++) {
		if (!lease_report(i, &report))
			continue;
		out_text(out, any ? "" : "\n\n    Weight  Worked ms  Waited ms      Had %     Slices       Lent  "
				       "Time of");
		any = true;
		out_text(out, "\n");
		out_right(out, out_count(lease_options.weight).text, NUMBER);
		out_right(out, out_count(report.charged / 1000000).text, NUMBER + 1);
		out_right(out, out_count(report.waited / 1000000).text, NUMBER + 1);
		out_right(out, share_had(had, report.charged, report.waited, "-"), NUMBER + 1);
		out_right(out, out_count(report.slices).text, NUMBER + 1);
		out_right(out, out_count(report.lent).text, NUMBER + 1);
		out_text(out, "  device ");
		out_u64(out, i);
	}
}

/* What of it nobody allocated. */
static void text_own(struct out *out, uint32_t device)
{
	out_text(out, "\n");
	out_right(out, "", NUMBER);
	if (own_known(device)) {
		size(out, own_peak(device));
		size(out, own_bytes(device));
	} else {
		out_right(out, "-", NUMBER);
		out_right(out, "-", NUMBER);
	}
	out_right(out, "", NUMBER);
	out_text(out, "    contexts, code and the driver's own");
}

static void text(struct out *out)
{
	out_text(out, "cuaudit: limit, pid ");
	out_u64(out, (uint64_t)getpid());
	out_text(out, limit_options.dry_run ? ": nothing was refused, this is a dry run\n\n" :
					      "\n\n");
	out_text(out, "     Limit       Peak     At end    Refused  Device memory");
	out_text(out, limit_options.all ? " of" : ", without contexts and code, of");
	text_account(out, "the process", &account_process, account_process.used - spare_of_all());
	for (uint32_t i = 0; i < ACCOUNT_DEVICES; i++) {
		const struct account *account = &account_devices[i];

		if (!shown(account))
			continue;
		text_account(out, "device ", account, account->used - pool_spare(i));
		out_u64(out, i);
		if (limit_options.all)
			text_own(out, i);
	}
	if (limit_options.shared) {
		out_text(out, "\n");
		size(out, account_user.limit);
		out_right(out, "", NUMBER);
		out_right(out, "", NUMBER);
		out_right(out, out_count(account_user.refused).text, NUMBER);
		out_text(out, "  the user");
	}
	text_libraries(out);
	text_leases(out);
	text_refusals(out);
	text_denied(out);
	text_gaps(out);
	out_text(out, "\n");
}

/* A limit, null where there is none. */
static void json_limit(struct writer *json, const struct account *account)
{
	writer_known(json, "limit", account->limit, account->limit != ACCOUNT_NONE);
}

static void json_account(struct writer *json, const struct account *account, uint64_t used)
{
	json_limit(json, account);
	writer_number(json, "peak", account->peak);
	writer_number(json, "used", used);
	writer_number(json, "refused", account->refused);
	writer_end(json, '}');
}

static void json_libraries(struct writer *json)
{
	writer_begin(json, "libraries", '[');
	for (uint32_t i = 0; i < ACCOUNT_LIBRARIES; i++) {
		const struct library_account *library = &account_libraries[i];

		if (!library->library)
			continue;
		writer_begin(json, NULL, '{');
		writer_text(json, "path", i < ACCOUNT_LIBRARIES - 1 ? library->library->path : NULL);
		writer_number(json, "peak", library->peak);
		writer_number(json, "used", library->used);
		writer_number(json, "allocations", library->taken);
		writer_number(json, "refused", library->refused);
		writer_end(json, '}');
	}
	writer_end(json, ']');
}

static void json_refusals(struct writer *json)
{
	const struct refusal *refusal;
	char name[CALL_SITE_SYMBOL];
	uint32_t index = 0;
	uint64_t count;

	writer_begin(json, "refusals", '[');
	while ((refusal = refusals_get(&index, &count))) {
		writer_begin(json, NULL, '{');
		writer_text(json, "function", refusal->function->name);
		writer_number(json, "calls", count);
		writer_number(json, "first_bytes", refusal->bytes);
		call_site_json(json, refusal->caller, refusal->library, name, sizeof(name));
		writer_end(json, '}');
	}
	writer_end(json, ']');
	writer_number(json, "other_refusals", refusals_others());
}

static void json_denied(struct writer *json)
{
	const struct cuaudit_function *function;

	writer_begin(json, "denied", '[');
	for (uint32_t slot = 0; (function = cuaudit_function_get(slot)); slot++) {
		if (!limit_denied[slot])
			continue;
		writer_begin(json, NULL, '{');
		writer_text(json, "name", function->name);
		writer_number(json, "calls", limit_denied[slot]);
		writer_end(json, '}');
	}
	writer_end(json, ']');
}

static void json_gaps(struct writer *json)
{
	writer_begin(json, "uncounted", '{');
	for (int gap = 0; gap < GAPS; gap++)
		writer_number(json, gap_key((enum gap)gap), gap_count((enum gap)gap));
	writer_end(json, '}');
	writer_number(json, "unhooked_calls", cuaudit_unhooked_calls());
	writer_number(json, "unwound_calls", cuaudit_unwound_calls() + cuaudit_unwound_hooks());
	writer_number(json, "repairs", shared_repairs());
}

static void json_user(struct writer *json)
{
	if (!limit_options.shared) {
		writer_null(json, "user");
		return;
	}
	writer_begin(json, "user", '{');
	writer_text(json, "unit", "byte");
	json_limit(json, &account_user);
	writer_number(json, "refused", account_user.refused);
	writer_end(json, '}');
}

static void json_devices(struct writer *json)
{
	writer_begin(json, "devices", '[');
	for (uint32_t i = 0; i < ACCOUNT_DEVICES; i++) {
		const struct account *account = &account_devices[i];

		if (!shown(account))
			continue;
		writer_begin(json, NULL, '{');
		writer_number(json, "device", i);
		if (limit_options.all) {
			writer_known(json, "own", own_bytes(i), own_known(i));
			writer_known(json, "own_peak", own_peak(i), own_known(i));
		}
		json_account(json, account, account->used - pool_spare(i));
	}
	writer_end(json, ']');
}

static void json_leases(struct writer *json)
{
	struct lease_report report;
	char had[SHARE_HAD];
	const char *text;

	writer_begin(json, "shares", '[');
	for (uint32_t i = 0; i < LEASE_ORDINALS; i++) {
		if (!lease_report(i, &report))
			continue;
		writer_begin(json, NULL, '{');
		writer_number(json, "device", i);
		writer_number(json, "weight", lease_options.weight);
		writer_number(json, "worked_ns", report.charged);
		writer_number(json, "waited_ns", report.waited);
		text = share_had(had, report.charged, report.waited, "null");
		writer_raw(json, "had_percent", text, strlen(text));
		writer_number(json, "slices", report.slices);
		writer_number(json, "lent", report.lent);
		writer_end(json, '}');
	}
	writer_end(json, ']');
}

static void json_report(struct out *out)
{
	struct writer json = { .out = out };

	writer_begin(&json, NULL, '{');
	writer_number(&json, "version", 1);
	writer_number(&json, "pid", (uint64_t)getpid());
	writer_flag(&json, "dry_run", limit_options.dry_run);
	writer_text(&json, "count", limit_options.all ? "all" : "allocations");
	writer_number(&json, "lost", limit_lost);
	json_gaps(&json);
	writer_begin(&json, "process", '{');
	writer_text(&json, "unit", "byte");
	json_account(&json, &account_process, account_process.used - spare_of_all());
	json_devices(&json);
	json_user(&json);
	json_leases(&json);
	json_libraries(&json);
	json_refusals(&json);
	json_denied(&json);
	writer_end(&json, '}');
	out_text(out, "\n");
}

void limit_print(void)
{
	struct out out = { .used = 0 };
	int fd = cuaudit_output(".limit"), error;

	if (limit_lost)
		cuaudit_log(CUAUDIT_WARN, "limit: %llu allocations are counted for ever: no memory",
			    (unsigned long long)limit_lost);
	if (fd < 0)
		return;
	if (limit_options.json)
		json_report(&out);
	else
		text(&out);
	error = out_write(&out, fd, IO_REPORT);
	if (error)
		cuaudit_log(CUAUDIT_ERROR, "limit: no report: %s", io_remedy(error));
	io_close(fd);
	out_free(&out);
}
