/* SPDX-License-Identifier: Apache-2.0 */
/* What is judged when the process ends. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuaudit/coverage.h>

#include "hooks/export_table.h"
#include "hooks/modules/leak/leak_print.h"
#include "hooks/modules/rules/rules.h"
#include "hooks/provided.h"
#include "hooks/runtime_table.h"
#include "hooks/unseen.h"

static void unrouted(const struct rule *rule)
{
	const struct cuaudit_escape *escape;
	char note[256];

	for (uint32_t i = 0; (escape = cuaudit_escape_get(i)); i++) {
		snprintf(note, sizeof(note), "not intercepted: %s, asked for by %s", escape->name,
			 escape->library ? escape->library->name : "nobody known");
		rules_broken_at(rule, NULL, NULL, NULL, note);
	}
}

static void leaks(const struct rule *rule)
{
	struct leak_report report;
	char note[256];

	if (leak_report_make(&report))
		atomic_fetch_or(&rules_file->header.losses, CHECK_LOST_MEMORY);
	for (size_t i = 0; i < report.nleft; i++) {
		const struct leak_left *left = &report.left[i];

		if (left->kind == LEAK_KIND_PRIMARY)
			continue;
		snprintf(note, sizeof(note), "%s: %llu never freed, %llu byte%s",
			 leak_kind_text(left->kind), (unsigned long long)left->count,
			 (unsigned long long)left->bytes, left->bytes == 1 ? "" : "s");
		rules_broken_at(rule, left->site.caller, left->site.library,
				left->site.function->name, note);
	}
	leak_report_free(&report);
}

/* Whether something has no hooks that may be called by its name. Functions that are no exports have none ever. */
static bool has_escaped(void)
{
	const struct cuaudit_escape *escape;

	for (uint32_t i = 0; (escape = cuaudit_escape_get(i)); i++)
		if (escape->kind != CUAUDIT_ESCAPE_PROCADDR && escape->kind != CUAUDIT_ESCAPE_UNFIT)
			return true;
	return false;
}

/* Whether a rule or a mark takes functions by name or by a glob that were bound and have no hook. */
static bool looks_at_unfit(void)
{
	for (uint32_t i = 0; i < rules.nrules + rules.nmarks; i++) {
		const struct rule *rule = i < rules.nrules ? &rules.rules[i] : &rules.marks[i - rules.nrules].call;

		if (rule->provided && provided_unfit(rule->selector))
			return true;
	}
	return false;
}

static bool other_injection;	/* a library that uses NVTX loads none, or another one */

void rules_end_setup(void)
{
	const char *path = getenv("NVTX_INJECTION64_PATH"), *slash = path ? strrchr(path, '/') : NULL;

	other_injection = !path || strcmp(slash ? slash + 1 : path, "libcuaudit-nvtx.so") != 0;
	rules_losses();
}

/* Calls that no hook saw may have broken any rule. */
void rules_losses(void)
{
	if (looks_at_unfit())
		atomic_fetch_or(&rules_file->header.losses, CHECK_LOST_UNFIT);
	if (has_escaped() || export_table_unseen())
		atomic_fetch_or(&rules_file->header.losses, CHECK_LOST_ROUTES);
	if (rules.ranges && other_injection)
		atomic_fetch_or(&rules_file->header.losses, CHECK_LOST_NVTX);
	if (cuaudit_unwound_hooks() || cuaudit_unwound_calls() || cuaudit_unhooked_calls())
		atomic_fetch_or(&rules_file->header.losses, CHECK_LOST_CALLS);
	if (runtime_table_unseen())
		atomic_fetch_or(&rules_file->header.losses, CHECK_LOST_RUNTIME);
	if ((rules.memory || rules.leaks) && leak_counts.lost)
		atomic_fetch_or(&rules_file->header.losses, CHECK_LOST_MEMORY);
}

/* Nobody judges a call that ends the process. */
void rules_inside(void)
{
	if (unseen_inside())
		atomic_fetch_or(&rules_file->header.losses, CHECK_LOST_CALLS);
}

void rules_end(void)
{
	rules_libraries();
	for (uint32_t i = 0; i < rules.nrules; i++) {
		if (rules.rules[i].what == RULE_UNROUTED)
			unrouted(&rules.rules[i]);
		else if (rules.rules[i].what == RULE_LEAKS)
			leaks(&rules.rules[i]);
	}
	rules_losses();
	rules_inside();
	rules_marks();
	__atomic_store_n(&rules_file->header.ended, 1, __ATOMIC_RELEASE);
}
