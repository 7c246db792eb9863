/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules hook found in all processes of a run, as one result. */
#include "analysis/check_result.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/check_file.h"
#include "util/sort.h"

static const struct {
	enum check_loss loss;
	const char *text;
} losses[] = {
#define LOSS(name, bit, text) { CHECK_LOST_##name, text },
#include "analysis/check_losses.def"
};

void check_problem(struct check_result *result, const char *format, ...)
{
	char **problems = result->problems, *text;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length >= 0)
		problems = reallocarray(problems, result->nproblems + 1, sizeof(*problems));
	if (length < 0 || !problems) {
		result->no_memory = true;
		if (length >= 0)
			free(text);
		return;
	}
	result->problems = problems;
	problems[result->nproblems++] = text;
}

void check_add(struct check_result *result, struct check_file *file, bool runs)
{
	struct check_process *processes = reallocarray(result->processes, result->nprocesses + 1,
						       sizeof(*processes));

	if (!processes) {
		result->no_memory = true;
		free(file);
		return;
	}
	result->processes = processes;
	processes[result->nprocesses++] = (struct check_process){ file, runs };
}

const struct check_file *check_rules(const struct check_result *result)
{
	return result->nprocesses ? result->processes[0].file : NULL;
}

static bool same_rules(const struct check_file *a, const struct check_file *b)
{
	if (strcmp(a->header.rules, b->header.rules) || a->header.nrules != b->header.nrules ||
	    a->header.nmarks != b->header.nmarks || a->header.nallows != b->header.nallows)
		return false;
	for (uint32_t i = 0; i < a->header.nrules; i++)
		if (strcmp(a->rules[i].text, b->rules[i].text) ||
		    a->rules[i].line != b->rules[i].line || a->rules[i].kind != b->rules[i].kind)
			return false;
	for (uint32_t i = 0; i < a->header.nmarks; i++)
		if (strcmp(a->marks[i].name, b->marks[i].name))
			return false;
	for (uint32_t i = 0; i < a->header.nallows; i++)
		if (strcmp(a->allows[i].text, b->allows[i].text))
			return false;
	return true;
}

static uint64_t sum_of(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* How far a value is from the bounds of its rule. */
static uint64_t excess(const struct check_rule *rule, uint64_t value)
{
	return value < rule->least ? rule->least - value : value > rule->most ? value - rule->most : 0;
}

static void add_rule(struct check_sum *sum, const struct check_rule *rule)
{
	uint64_t value = rule->value;

	if (rule->kind == CHECK_COUNT)
		sum->value = sum_of(sum->value, value);
	else if (excess(rule, value) > excess(rule, sum->value) ||
		 (!excess(rule, sum->value) && !excess(rule, value) && value > sum->value))
		sum->value = value;
	sum->broken = sum_of(sum->broken, rule->broken);
	sum->allowed = sum_of(sum->allowed, rule->allowed);
	sum->missing &= (uint16_t)~rule->reached;
}

static enum check_verdict judge_rule(const struct check_sum *sum, bool idle)
{
	const struct check_rule *rule = sum->rule;

	if (sum->broken)
		return CHECK_BROKEN;
	/* No call at all is what the rules allow. */
	if (idle)
		return CHECK_HOLDS;
	if (sum->missing & check_must_reach(rule) && !rule->optional)
		return CHECK_UNREACHED;
	return rule->kind == CHECK_COUNT && excess(rule, sum->value) ? CHECK_BROKEN : CHECK_HOLDS;
}

static void sum_rules(struct check_result *result, bool idle)
{
	const struct check_file *first = check_rules(result);

	result->nsums = first->header.nrules;
	for (uint32_t i = 0; i < result->nsums; i++) {
		struct check_sum *sum = &result->sums[i];

		sum->rule = &first->rules[i];
		for (size_t j = 0; j < result->nprocesses; j++)
			sum->missing |= result->processes[j].file->rules[i].wants;
		if (sum->rule->kind != CHECK_COUNT)
			sum->value = first->rules[i].value;
		for (size_t j = 0; j < result->nprocesses; j++)
			add_rule(sum, &result->processes[j].file->rules[i]);
		sum->verdict = judge_rule(sum, idle);
		result->nbroken += sum->verdict == CHECK_BROKEN;
		result->nunreached += sum->verdict == CHECK_UNREACHED;
	}
	for (uint32_t i = 0; i < first->header.nallows; i++)
		for (size_t j = 0; j < result->nprocesses; j++)
			result->used[i] = sum_of(result->used[i],
						 result->processes[j].file->allows[i].used);
}

/* The first line of a rule that is judged at the end of the process; 0: none is. */
static uint32_t judged_at_end(const struct check_file *file)
{
	for (uint32_t i = 0; i < file->header.nrules; i++)
		if (file->rules[i].kind == CHECK_AT_END)
			return file->rules[i].line;
	return 0;
}

static void find_problems(struct check_result *result, const struct check_process *process)
{
	const struct check_header *header = &process->file->header;
	uint32_t line = judged_at_end(process->file);

	for (size_t i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		if (header->losses & losses[i].loss)
			check_problem(result, "process %u of %s: %s", header->pid, header->command,
				      losses[i].text);
	if (process->runs)
		check_problem(result, "process %u of %s still runs: what it calls from now on is not "
			      "checked; let the command wait for it", header->pid, header->command);
	else if (!header->ended && line)
		check_problem(result, "process %u of %s was killed, or left without exit(): the rule "
			      "at line %u is judged at its exit; let it exit", header->pid,
			      header->command, line);
}

/* Whether the driver was called. */
static bool was_called(const struct check_result *result)
{
	for (size_t i = 0; i < result->nprocesses; i++)
		if (result->processes[i].file->header.calls)
			return true;
	return false;
}

/* What two findings have in common that are one. */
static void write_key(struct out *key, const struct check_finding *finding,
		      const struct check_stack *stack)
{
	const char *function = check_finding_text(finding, finding->function);

	key->used = 0;
	out_u64(key, finding->rule);
	out_bytes(key, "", 1);
	out_text(key, function ? function : "");
	for (uint32_t i = 0; i < stack->count; i++) {
		const struct check_line *line = &stack->lines[i];

		out_bytes(key, "", 1);
		out_text(key, line->function ? line->function : "");
		out_bytes(key, "", 1);
		out_text(key, line->file ? line->file : line->library ? line->library : "");
		out_bytes(key, line->inlined ? "i" : "", 1);
		out_u64(key, line->file ? line->line : line->offset);
	}
}

/* -ENOMEM, or 0. */
static int add_finding(struct check_result *result, struct table *groups, struct out *key,
		       const struct check_file *file, const struct check_finding *finding)
{
	size_t before = groups->count;
	const char *kernel = check_finding_text(finding, finding->kernel);
	struct check_stack stack;
	struct check_group *group;
	uint32_t number;
	int error = check_stack_find(&stack, &result->names, file, finding);

	if (!error) {
		write_key(key, finding, &stack);
		error = key->error;
	}
	number = error ? TABLE_NONE : table_find(groups, key->data, key->used);
	if (number == TABLE_NONE) {
		free(stack.lines);
		return -ENOMEM;
	}
	group = table_row(groups, number);
	group->count = sum_of(group->count, finding->count);
	if (number < before && group->finding->time_ns <= finding->time_ns) {
		free(stack.lines);
		return 0;
	}
	free(group->stack.lines);
	group->stack = stack;
	group->file = file;
	group->finding = finding;
	group->kernel = kernel ? check_name(&result->names, kernel) : NULL;
	return kernel && !group->kernel ? -ENOMEM : 0;
}

static int compare_groups(const void *left, const void *right)
{
	const struct check_group *a = left, *b = right;

	return ORDER(a->finding->rule, b->finding->rule) ?: ORDER(b->count, a->count) ?:
	       ORDER(a->finding->time_ns, b->finding->time_ns) ?: ORDER(a->finding, b->finding);
}

/* Each rule its groups. */
static void share_groups(struct check_result *result)
{
	sort(result->groups, result->ngroups, sizeof(*result->groups), compare_groups);
	for (size_t i = result->ngroups; i-- > 0;) {
		struct check_sum *sum = &result->sums[result->groups[i].finding->rule];

		sum->first = i;
		sum->count++;
	}
}

static void group_findings(struct check_result *result)
{
	struct table groups = { .row = sizeof(struct check_group) };
	struct out key = { 0 };
	int error = 0;

	for (size_t i = 0; i < result->nprocesses; i++) {
		const struct check_file *file = result->processes[i].file;

		for (uint32_t j = 0; !error && j < file->header.nfindings; j++)
			if (file->findings[j].count)
				error = add_finding(result, &groups, &key, file, &file->findings[j]);
	}
	result->no_memory |= error;
	result->ngroups = groups.count;
	result->groups = groups.count ? calloc(groups.count, sizeof(*result->groups)) : NULL;
	if (result->groups)
		memcpy(result->groups, groups.rows, groups.count * sizeof(*result->groups));
	else if (groups.count)
		result->no_memory = true;
	if (!result->groups)
		result->ngroups = 0;
	share_groups(result);
	table_free(&groups);
	out_free(&key);
}

static int compare_processes(const void *left, const void *right)
{
	const struct check_header *a = &((const struct check_process *)left)->file->header;
	const struct check_header *b = &((const struct check_process *)right)->file->header;

	return ORDER(a->process_start, b->process_start) ?: ORDER(a->pid, b->pid) ?: ORDER(a, b);
}

/* Those of the first file hold; a process with others was not checked by these. */
static void drop_other_rules(struct check_result *result)
{
	size_t count = result->nprocesses ? 1 : 0;

	for (size_t i = count; i < result->nprocesses; i++) {
		struct check_process *process = &result->processes[i];

		if (same_rules(result->processes[0].file, process->file)) {
			result->processes[count++] = *process;
			continue;
		}
		check_problem(result, "process %u of %s was checked by other rules, of %s; do not "
			      "change the rules file while the command runs",
			      process->file->header.pid, process->file->header.command,
			      process->file->header.rules);
		free(process->file);
	}
	result->nprocesses = count;
}

void check_judge(struct check_result *result)
{
	bool idle;

	sort(result->processes, result->nprocesses, sizeof(*result->processes), compare_processes);
	drop_other_rules(result);
	if (result->nprocesses)
		result->may_be_idle = check_rules(result)->header.may_be_idle;
	idle = !was_called(result);
	if (idle && !result->may_be_idle && !result->nproblems)
		check_problem(result, "no process called the CUDA driver; cuaudit doctor says why, unless "
			      "the command clears its environment, which takes LD_AUDIT; without a GPU, "
			      "-d sim before the command has the simulated one%s", result->rules ?
			      "; a line 'optional calls' is for commands that need not call it" : "");
	for (size_t i = 0; i < result->nprocesses; i++)
		find_problems(result, &result->processes[i]);
	if (!result->nprocesses)
		return;
	if (result->rules && !check_rules(result)->header.nrules)
		check_problem(result, "%s has no rule", result->rules);
	sum_rules(result, idle);
	group_findings(result);
	if (result->no_memory)
		check_problem(result, "memory is out");
}

int check_status(const struct check_result *result)
{
	return result->nbroken || result->nunreached || result->differences.count ? CHECK_BROKEN_STATUS :
	       result->nproblems || result->no_memory ? CHECK_NOT_MADE_STATUS : 0;
}

const char check_no_frame[] = "its frame, of which none of that name was in a call stack that was looked at";
const char check_no_kernel[] = "its kernel, of which none of that name was launched";

/* A rule that holds, as nothing was what it names. */
static bool names_nothing(const struct check_sum *sum, struct check_warning *warning)
{
	if (sum->verdict != CHECK_HOLDS || sum->rule->optional)
		return false;
	*warning = (struct check_warning){
		.line = sum->rule->line, .text = sum->rule->text,
		.what = sum->missing & CHECK_REACH_STACK ? check_no_frame : check_no_kernel,
		.advice = sum->missing & CHECK_REACH_STACK ?
			  "see whether it is spelt right; name the library alone, LIBRARY:*, of a function "
			  "that it does not export; or mark the rule optional" :
			  "see whether it is spelt right, or mark the rule optional",
	};
	return sum->missing & (CHECK_REACH_STACK | CHECK_REACH_KERNEL);
}

bool check_unused(const struct check_result *result, uint32_t allow)
{
	return !result->used[allow] && !check_rules(result)->allows[allow].optional;
}

static bool is_unused(const struct check_result *result, uint32_t allow, struct check_warning *warning)
{
	const struct check_allow *its = &check_rules(result)->allows[allow];

	*warning = (struct check_warning){
		.line = its->line, .text = its->text, .what = "in no call stack",
		.advice = "remove the line, mark it optional, or name the library alone, LIBRARY:*, of "
			  "a function that it does not export",
	};
	return check_unused(result, allow);
}

bool check_warning_next(const struct check_result *result, uint32_t *at, struct check_warning *warning)
{
	const struct check_file *file = check_rules(result);

	while (file && *at < result->nsums + file->header.nallows) {
		uint32_t index = (*at)++;

		if (index < result->nsums ? names_nothing(&result->sums[index], warning) :
					    is_unused(result, index - result->nsums, warning))
			return true;
	}
	return false;
}

void check_drop(struct check_result *result)
{
	for (size_t i = 0; i < result->nproblems; i++)
		free(result->problems[i]);
	for (size_t i = 0; i < result->nprocesses; i++)
		free(result->processes[i].file);
	free(result->problems);
	free(result->processes);
	result->problems = NULL;
	result->processes = NULL;
	result->nproblems = result->nprocesses = 0;
}

void check_free(struct check_result *result)
{
	for (size_t i = 0; i < result->ngroups; i++)
		free(result->groups[i].stack.lines);
	free(result->groups);
	free(result->driver_note);
	baseline_differences_free(&result->differences);
	check_drop(result);
	table_free(&result->names.texts);
	symbols_free(result->names.symbols);
}
