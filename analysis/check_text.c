/* SPDX-License-Identifier: Apache-2.0 */
/* The result of cuaudit check for people. */
#include <config.h>

#include <string.h>

#include "analysis/check_file.h"
#include "analysis/check_report.h"
#include "util/nearest.h"

enum { CALLERS = 64, PRINTED = 8 };	/* that are compared, and printed */

static void printed(struct out *out, const char *text)
{
	out_printed(out, text, strlen(text));
}

static void times(struct out *out, uint64_t count)
{
	if (count == 1) {
		out_text(out, "once");
		return;
	}
	out_u64(out, count);
	out_text(out, " times");
}

/* Whether the name is a word of the text. */
static bool names(const char *text, const char *name)
{
	static const char more[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
	size_t length = strlen(name);
	const char *at = text;

	if (!length)
		return false;
	while ((at = strstr(at, name))) {
		bool begins = at == text || !strchr(more, at[-1]);

		if (begins && (!at[length] || !strchr(more, at[length])))
			return true;
		at++;
	}
	return false;
}

static bool is_reached(const struct check_result *result, uint32_t mark)
{
	for (size_t i = 0; i < result->nprocesses; i++)
		if (result->processes[i].file->marks[mark].reached)
			return true;
	return false;
}

static void item(struct out *out, bool *any, const char *text)
{
	if (*any)
		out_text(out, ", ");
	*any = true;
	out_text(out, text);
}

/* The rule's text has the names of its marks. */
static bool missing_marks(const struct check_result *result, const struct check_sum *sum,
			  struct out *out, bool *any)
{
	const struct check_file *file = check_rules(result);
	bool found = false;

	for (uint32_t i = 0; i < file->header.nmarks; i++) {
		if (is_reached(result, i) || !names(sum->rule->text, file->marks[i].name))
			continue;
		item(out, any, "mark ");
		printed(out, file->marks[i].name);
		found = true;
	}
	return found;
}

static bool is_listed(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

/* The library of a rule: the word behind `in`, unless that is `range`. */
static const char *library_word(const char *text, size_t *length)
{
	bool in = false;

	for (text += strspn(text, " \t"); *text; text += *length, text += strspn(text, " \t")) {
		*length = strcspn(text, " \t");
		if (in && (*length != 5 || strncmp(text, "range", 5) != 0))
			return text;
		in = *length == 2 && !strncmp(text, "in", 2);
	}
	return NULL;
}

/* The libraries that called the driver, of all processes: what the rule may have meant. */
static void callers(const struct check_result *result, const struct check_sum *sum, struct out *out)
{
	const char *names[CALLERS + 1], *word, *near;
	size_t length = 0;
	size_t count = 0;

	for (size_t i = 0; i < result->nprocesses; i++) {
		const struct check_file *file = result->processes[i].file;

		for (uint32_t j = 0; j < file->header.ncallers && count < CALLERS; j++)
			if (!is_listed(names, count, file->callers[j].name))
				names[count++] = file->callers[j].name;
	}
	for (size_t i = 0; i < count && i < PRINTED; i++) {
		out_text(out, i ? ", " : ": calls are of ");
		printed(out, names[i]);
	}
	out_text(out, count > PRINTED ? " ..." : "");
	names[count] = NULL;
	word = library_word(sum->rule->text, &length);
	near = word ? nearest(word, length, names) : NULL;
	if (near) {
		out_text(out, "; did you mean ");
		printed(out, near);
		out_text(out, "?");
	}
}

void check_missing_text(const struct check_result *result, const struct check_sum *sum,
			struct out *out)
{
	bool any = false;

	if (sum->missing & (CHECK_REACH_MARK | CHECK_REACH_SECOND_MARK) &&
	    !missing_marks(result, sum, out, &any))
		item(out, &any, sum->missing & CHECK_REACH_MARK ? "its mark" : "its second mark");
	if (sum->missing & CHECK_REACH_RANGE)
		item(out, &any, "its range, of which none of that name was opened");
	else if (sum->missing & CHECK_REACH_RANGE_END)
		item(out, &any, "the end of its range, of which none of that name was popped");
	if (sum->missing & CHECK_REACH_LIBRARY) {
		item(out, &any, "its library, of which none of that name called the driver");
		callers(result, sum, out);
	}
	if (sum->missing & CHECK_REACH_PROVIDER)
		item(out, &any, "the library of its function, of which none of that name was loaded as one of "
		     "CUAUDIT_PROVIDERS, nor called by one of CUAUDIT_LIBC");
	if (sum->missing & CHECK_REACH_FRAME)
		item(out, &any, "the library of its frame, of which none of that name was loaded");
	if (sum->missing & CHECK_REACH_STACK)
		item(out, &any, check_no_frame);
	if (sum->missing & CHECK_REACH_KERNEL)
		item(out, &any, check_no_kernel);
}

static void amount(struct out *out, uint64_t value, uint8_t unit)
{
	static const struct {
		const char *one, *more;
	} units[] = {
		[CHECK_CALLS] = { " call", " calls" }, [CHECK_BYTES] = { " byte", " bytes" },
		[CHECK_NS] = { " ns", " ns" }, [CHECK_KERNELS] = { " kernel", " kernels" },
	};

	out_u64(out, value);
	out_text(out, value == 1 ? units[unit].one : units[unit].more);
}

static void bounds(struct out *out, const struct check_rule *rule)
{
	if (rule->most == UINT64_MAX) {
		out_text(out, "at least ");
		out_u64(out, rule->least);
	} else if (rule->least && rule->least == rule->most) {
		out_text(out, "exactly ");
		out_u64(out, rule->least);
	} else if (rule->least) {
		out_text(out, "from ");
		out_u64(out, rule->least);
		out_text(out, " to ");
		out_u64(out, rule->most);
	} else {
		out_text(out, "at most ");
		out_u64(out, rule->most);
	}
}

void check_why_text(const struct check_result *result, const struct check_sum *sum,
		    struct out *out)
{
	const struct check_rule *rule = sum->rule;

	if (sum->verdict == CHECK_UNREACHED) {
		out_text(out, "never reached: ");
		check_missing_text(result, sum, out);
		return;
	}
	out_text(out, "broken");
	if (sum->broken) {
		out_text(out, " ");
		times(out, sum->broken);
	}
	if (rule->kind == CHECK_COUNT || rule->kind == CHECK_BUDGET) {
		out_text(out, ": ");
		/* Of a range with too little its finding has how much it was. */
		if (sum->value < rule->least || sum->value > rule->most) {
			amount(out, sum->value, rule->unit);
			out_text(out, ", ");
		}
		bounds(out, rule);
		out_text(out, " allowed");
	}
	if (sum->allowed) {
		out_text(out, "; ");
		out_u64(out, sum->allowed);
		out_text(out, " more by stacks of allow lines");
	}
	/* `before` a mark that is misspelt is all of the run. */
	if (sum->missing & check_must_reach(rule) && !rule->optional) {
		out_text(out, "; never reached: ");
		check_missing_text(result, sum, out);
	}
}

/* What a finding has of one kind, if it has. */
static void part(struct out *out, const char *before, const char *text)
{
	if (!text)
		return;
	out_text(out, before);
	printed(out, text);
}

static const char *library_of(const struct check_stack *stack)
{
	for (uint32_t i = 0; i < stack->count; i++)
		if (stack->lines[i].library)
			return check_library_name(stack->lines[i].library);
	return NULL;
}

#ifdef HAVE_LIBDW
#define NO_LINE "build the program with -g"
#else
#define NO_LINE "this cuaudit was built without libdw, which reads lines"
#endif

/* What is to be looked at first: the line that annotations are at. */
static void user_line(const struct check_stack *stack, const char *prefix, struct out *out)
{
	const struct check_line *user = stack->user;

	if (!stack->count)
		return;
	if (!user) {
		out_text(out, prefix);
		out_text(out, "  at no line that is known; " NO_LINE "\n");
		return;
	}
	out_text(out, prefix);
	out_text(out, "  at ");
	printed(out, user->file);
	out_text(out, ":");
	out_u64(out, user->line);
	part(out, " in ", user->function);
	out_text(out, "\n");
}

static void where(const struct check_group *group, struct out *out)
{
	const struct check_finding *finding = group->finding;

	out_text(out, "process ");
	out_u64(out, group->file->header.pid);
	out_text(out, ", thread ");
	out_u64(out, finding->thread);
	part(out, " ", check_finding_text(finding, finding->name));
	part(out, ", library ", library_of(&group->stack));
	part(out, ", range ", check_finding_text(finding, finding->range));
	part(out, ", kernel ", group->kernel);
}

void check_group_text(const struct check_group *group, const char *prefix, struct out *out)
{
	const struct check_finding *finding = group->finding;
	const char *call = check_finding_text(finding, finding->call);
	const char *note = check_finding_text(finding, finding->note);

	if (!call)
		call = check_finding_text(finding, finding->function);
	out_text(out, prefix);
	times(out, group->count);
	part(out, ": ", call);
	part(out, call ? "; " : ": ", note);
	out_text(out, "\n");
	user_line(&group->stack, prefix, out);
	out_text(out, prefix);
	out_text(out, "  ");
	where(group, out);
	out_text(out, "\n");
	for (uint32_t i = 0; i < group->stack.count; i++) {
		out_text(out, prefix);
		out_text(out, "    ");
		check_line_text(out, &group->stack.lines[i]);
		out_text(out, "\n");
	}
}

void check_findings_text(const struct check_result *result, const struct check_sum *sum,
			 const char *prefix, struct out *out)
{
	size_t shown = sum->count < CHECK_SHOWN ? sum->count : CHECK_SHOWN;

	out_text(out, prefix);
	check_why_text(result, sum, out);
	out_text(out, "\n");
	if (sum->verdict != CHECK_BROKEN)
		return;
	for (size_t i = 0; i < shown; i++)
		check_group_text(&result->groups[sum->first + i], prefix, out);
	if (shown == sum->count)
		return;
	out_text(out, prefix);
	out_text(out, "... ");
	out_u64(out, sum->count - shown);
	out_text(out, " more call stacks; --json has them all\n");
}

static void of_rules(struct out *out, size_t count, size_t all)
{
	out_u64(out, count);
	out_text(out, " of ");
	out_u64(out, all);
	out_text(out, all == 1 ? " rule" : " rules");
}

static void broken_text(const struct check_result *result, struct out *out)
{
	if (result->nbroken) {
		of_rules(out, result->nbroken, result->nsums);
		out_text(out, result->nbroken == 1 ? " is broken" : " are broken");
	}
	if (result->nbroken && result->nunreached) {
		out_text(out, ", ");
		out_u64(out, result->nunreached);
	} else if (result->nunreached) {
		of_rules(out, result->nunreached, result->nsums);
	}
	if (result->nunreached)
		out_text(out, result->nunreached == 1 ? " was never reached" : " were never reached");
}

static void held_text(const struct check_result *result, struct out *out)
{
	if (!result->nsums) {
		out_text(out, "no process called the CUDA driver, which the rules allow");
	} else if (result->nsums == 1) {
		out_text(out, "the rule holds");
	} else {
		out_text(out, "all ");
		out_u64(out, result->nsums);
		out_text(out, " rules hold");
	}
}

void check_verdict_text(const struct check_result *result, struct out *out)
{
	bool broken = result->nbroken || result->nunreached;

	out_text(out, "check: ");
	if (!check_status(result) || broken || result->differences.count) {
		if (broken)
			broken_text(result, out);
		else if (result->rules)
			held_text(result, out);
		if (result->lock < CHECK_LOCK_SKIPPED)
			return;
		out_text(out, result->rules ? "; " : "");
		printed(out, check_path(result->baseline));
		out_text(out, ": ");
		check_facts_text(result, out);
		return;
	}
	out_text(out, "not made");
}

static void rule_text(const struct check_result *result, uint32_t line, const char *text,
		      struct out *out)
{
	printed(out, check_path(result->rules));
	out_text(out, ":");
	out_u64(out, line);
	out_text(out, ": ");
	printed(out, text);
	out_text(out, "\n");
}

static void warnings_text(const struct check_result *result, struct out *out)
{
	struct check_warning warning;
	uint32_t at = 0;

	while (check_warning_next(result, &at, &warning)) {
		rule_text(result, warning.line, warning.text, out);
		out_text(out, "  warning: ");
		out_text(out, warning.what);
		out_text(out, ": ");
		out_text(out, warning.advice);
		out_text(out, "\n");
	}
}

void check_text(const struct check_result *result, struct out *out)
{
	check_verdict_text(result, out);
	out_text(out, "\n");
	if (check_status(result) == CHECK_BROKEN_STATUS && result->nproblems)
		out_text(out, "check: not made in full\n");
	for (size_t i = 0; i < result->nproblems; i++) {
		out_text(out, "check: ");
		printed(out, result->problems[i]);
		out_text(out, "\n");
	}
	for (uint32_t i = 0; i < result->nsums; i++) {
		const struct check_sum *sum = &result->sums[i];

		if (sum->verdict == CHECK_HOLDS)
			continue;
		rule_text(result, sum->rule->line, sum->rule->text, out);
		check_findings_text(result, sum, "  ", out);
	}
	check_lock_text(result, "", out);
	warnings_text(result, out);
}
