/* SPDX-License-Identifier: Apache-2.0 */
/* The fault hook: errors, other results and delays in calls that rules choose. */
#include <cuaudit/hook.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hooks/modules/fault/fault_log.h"
#include "hooks/modules/fault/fault_number.h"
#include "hooks/modules/fault/fault_rule.h"

enum {
	MAX_RULES = 12, /* a function has CUAUDIT_HOOKS_MAX hooks, not ours alone */
	TEXT = 8192,
	/* Inside of hooks that trace or limit, outside of those that count the driver's calls. */
	RULES = 1 << 19,
	GATE,
};

static const struct cuaudit_option options[] = {
	{ "inject", NULL, "RULE...", "which calls, and what happens to them" },
	{ "log", "100", "N", "how many injections are printed one by one" },
	{ "format", "text", "text|json", "how, and what each rule did" },
	{ NULL, NULL, NULL, NULL }
};

static struct fault_rule rules[MAX_RULES];
static uint32_t nrules;
static uint64_t lines;
static bool json;
static char text[TEXT];

/* The call of a thread that a rule has answered and that later rules have still to count. */
struct answered {
	uint64_t correlation;
};
static int key;

extern const struct cuaudit_module fault_module;

/* In no call of libc's, where a thread may be cancelled. */
static void wait(uint64_t ns)
{
	int error = errno;
	struct timespec until;

	if (!ns)
		return;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += (time_t)(ns / 1000000000);
	until.tv_nsec += (long)(ns % 1000000000);
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	while (syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) &&
	       errno == EINTR)
		;
	errno = error;
}

static void injected(struct fault_rule *rule, const struct cuaudit_call *call, uint64_t number,
		     enum fault_answer answer, int32_t driver)
{
	atomic_fetch_add_explicit(&rule->injected, 1, memory_order_relaxed);
	fault_log_injection(rule, call, number, answer, driver);
}

/* A rule behind this one may take the call, too: a gate is what skips it. */
static int answer(const struct fault_rule *rule, struct cuaudit_call *call)
{
	struct answered *answered = NULL;

	call->result = rule->result;
	if (rule != &rules[nrules - 1])
		answered = cuaudit_thread_block((uint32_t)key);
	if (!answered)
		return CUAUDIT_SKIP;
	answered->correlation = call->correlation;
	return CUAUDIT_CONTINUE;
}

static int is_answered(const struct cuaudit_call *call)
{
	const struct answered *answered = call->blocks[key];

	return answered && answered->correlation == call->correlation;
}

static int enter(struct cuaudit_call *call, void *data)
{
	struct fault_rule *rule = data;
	uint64_t number = fault_rule_due(rule, call);
	int answers;

	call->scratch = number;
	if (!number)
		return CUAUDIT_CONTINUE;
	answers = rule->answer == FAULT_ERROR && !is_answered(call);
	/* Told before: a delay may be the last that is seen of a call. */
	if (rule->answer != FAULT_RESULT && (answers || rule->delay_enter || rule->delay_exit))
		injected(rule, call, number, answers ? FAULT_ERROR : FAULT_NONE, 0);
	wait(rule->delay_enter);
	return answers ? answer(rule, call) : CUAUDIT_CONTINUE;
}

static void leave(struct cuaudit_call *call, void *data)
{
	struct fault_rule *rule = data;
	int32_t driver = call->result;

	if (!call->scratch)
		return;
	if (rule->answer == FAULT_RESULT) {
		int changes = !(call->flags & CUAUDIT_CALL_SKIPPED);

		if (changes && driver && !rule->result)
			call->flags |= CUAUDIT_CALL_FAILED;
		if (changes)
			call->result = rule->result;
		if (changes || rule->delay_enter || rule->delay_exit)
			injected(rule, call, call->scratch, changes ? FAULT_RESULT : FAULT_NONE,
				 driver);
	}
	wait(rule->delay_exit);
}

static int gate(struct cuaudit_call *call, void *data)
{
	(void)data;
	return is_answered(call) ? CUAUDIT_SKIP : CUAUDIT_CONTINUE;
}

static struct cuaudit_hook hook_of(struct fault_rule *rule)
{
	return (struct cuaudit_hook){
		.size = sizeof(struct cuaudit_hook),
		.name = "fault",
		.priority = RULES,
		.functions = rule->functions,
		.include = rule->libraries,
		.data = rule,
		.enter = enter,
		.exit = rule->answer == FAULT_RESULT || rule->delay_exit ? leave : NULL,
		.flags = CUAUDIT_HOOK_PROVIDERS,
	};
}

/* The functions of all rules; all functions if one takes some away. */
static int add_gate(void)
{
	static char functions[TEXT];
	const struct cuaudit_hook hook = {
		.size = sizeof(hook),
		.name = "fault",
		.priority = GATE,
		.functions = functions,
		.enter = gate,
		.flags = CUAUDIT_HOOK_PROVIDERS,
	};

	functions[0] = '\0';
	for (uint32_t i = 0; i < nrules; i++) {
		if (strchr(rules[i].functions, '!')) {
			functions[0] = '\0';
			break;
		}
		strcat(strcat(functions, *functions ? "," : ""), rules[i].functions);
	}
	return cuaudit_hook_add(&hook);
}

static int add_hooks(void)
{
	int error = 0;

	for (uint32_t i = 0; i < nrules && !error; i++) {
		const struct cuaudit_hook hook = hook_of(&rules[i]);

		error = cuaudit_hook_add(&hook);
	}
	if (nrules > 1 && !error)
		error = add_gate();
	/* Of a selector the registry has printed what is wrong. */
	return error == -EINVAL || error == -ENOENT ? -ECANCELED : error;
}

static int read_rules(const struct cuaudit_options *given)
{
	const char *inject;
	char *copy = text;

	for (nrules = 0; (inject = cuaudit_option_at(given, "inject", nrules)); nrules++) {
		if (nrules == MAX_RULES || strlen(inject) >= (size_t)(text + TEXT - copy)) {
			cuaudit_log(CUAUDIT_ERROR, "fault: at most %d times inject", MAX_RULES);
			return -ECANCELED;
		}
		if (fault_rule_read(&rules[nrules], nrules + 1, inject, copy))
			return -ECANCELED;
		copy += strlen(inject) + 1;
	}
	if (nrules)
		return 0;
	cuaudit_log(CUAUDIT_ERROR, "fault: there is no inject=RULE");
	return -ECANCELED;
}

static int check(const struct cuaudit_options *given)
{
	const char *log = cuaudit_option_get(given, "log");
	int error;

	char unused[1];

	json = !strcmp(cuaudit_option_get(given, "format"), "json");
	if (json && cuaudit_output_path(".fault", unused, sizeof(unused)) == -ENOENT) {
		cuaudit_log(CUAUDIT_ERROR, "fault: format=json is for a file of its own; set CUAUDIT_OUTPUT");
		return -ECANCELED;
	}
	if (fault_number(log, &lines)) {
		cuaudit_log(CUAUDIT_ERROR, "fault: log takes a number, not '%s'", log);
		return -ECANCELED;
	}
	error = read_rules(given);
	for (uint32_t i = 0; i < nrules && !error; i++) {
		const struct cuaudit_hook hook = hook_of(&rules[i]);

		if (cuaudit_hook_check(&hook))
			error = -ECANCELED;
	}
	return error;
}

static int init(const struct cuaudit_options *given)
{
	(void)given;
	key = cuaudit_thread_key(sizeof(struct answered), &fault_module);
	if (key < 0)
		return key;
	fault_log_setup(lines, json);
	return (lines ? cuaudit_kernel_prepare() : 0) ?: add_hooks();
}

static int child;

static void finish(void)
{
	uint64_t calls = 0;

	for (uint32_t i = 0; i < nrules; i++)
		calls += rules[i].matched;
	for (uint32_t i = 0; i < nrules && (calls || !child); i++)
		fault_log_summary(&rules[i]);
}

static void forked(void)
{
	child = 1;
	for (uint32_t i = 0; i < nrules; i++)
		rules[i].matched = rules[i].injected = 0;
	fault_log_forked();
}

const struct cuaudit_module fault_module = {
	.size = sizeof(fault_module), .abi = CUAUDIT_ABI, .name = "fault",
	.summary = "errors, other results and delays in chosen calls",
	.options = options, .init = init, .finish = finish, .forked = forked, .check = check,
	.enforces = "",
};
