/* SPDX-License-Identifier: Apache-2.0 */
/* The rules hook: what a program's driver calls are to be, and are not. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "hooks/modules/leak/leak_object.h"
#include "hooks/modules/rules/rules.h"
#include "hooks/modules/rules/rules_store.h"
#include "util/io.h"

#define ASKED "!%blocking,%launch"	/* a launch waits, if at all, for what its arguments tell afterwards, too */

enum { FUNCTIONS = 64 * 1024, OUTERMOST = -(1 << 20) };

static const struct cuaudit_option options[] = {
	{ "file", "", "PATH", "the rules, see cuaudit-rules(5)" },
	{ "save", "", "PATH", "where cuaudit check wants what is found, with %p and %h" },
	{ NULL, NULL, NULL, NULL }
};

static struct check_file template;
static const char *save;
static bool unchecked;		/* what a child of fork does, by itself */

static int check(const struct cuaudit_options *given)
{
	const char *file = cuaudit_option_get(given, "file");

	save = cuaudit_option_get(given, "save");
	if (!*save)
		save = NULL;
	memset(&template, 0, sizeof(template));
	template.header.scope = check_scope(getenv("CUAUDIT_DOMAINS"), getenv("CUAUDIT_LIBC"), getenv("CUAUDIT_PROVIDERS"));
	/* cuaudit check has a lock file alone: what processes there are is what it wants to know. */
	if (!*file && save)
		return 0;
	if (!*file) {
		cuaudit_log(CUAUDIT_ERROR, "rules: file=PATH is missing; see cuaudit-rules(5)");
		return -ECANCELED;
	}
	if (strlen(file) >= sizeof(template.header.rules)) {
		cuaudit_log(CUAUDIT_ERROR, "rules: the path of file= is too long");
		return -ECANCELED;
	}
	strcpy(template.header.rules, file);
	return rules_read(file, save, &template);
}

/*
 * A child of fork begins at its first call or range, if it makes any; other threads wait. No handler
 * leaves it by siglongjmp, and no thread is cancelled in it: the others would wait for ever.
 */
static __attribute__((noinline)) void begin_again(void)
{
	struct rules_lock saved;
	int absent = STORE_ABSENT, error;

	rules_block(&saved);
	if (atomic_compare_exchange_strong(&rules_store_absent, &absent, STORE_BEGINS)) {
		error = rules_store_begin(save, &template);
		if (error) {
			cuaudit_log(CUAUDIT_ERROR, "rules: what this process does is not checked: %s",
				    io_reason(error));
			rules_store_lost();
			unchecked = true;
		}
		rules_store_absent = STORE_THERE;
	}
	while (rules_store_absent)
		sched_yield();
	rules_unblock(&saved);
}

static void forked(void)
{
	unchecked = false;
	rules_store_forked();
	rules_judge_forked();
	rules_broken_forked();
	if (rules.memory || rules.leaks)
		leak_track_forked();
	atomic_store_explicit(&rules_own.process, PROCESS_KNOWN, memory_order_release);
}

/* A child of clone(2), without the handlers of fork: its first call is late for them, and not too late. */
static __attribute__((noinline)) void cloned(void)
{
	uint32_t new = PROCESS_NEW;
	struct rules_lock saved;

	rules_block(&saved);
	if (atomic_compare_exchange_strong(&rules_own.process, &new, PROCESS_BEGINS))
		forked();
	while (atomic_load_explicit(&rules_own.process, memory_order_acquire) != PROCESS_KNOWN)
		sched_yield();
	rules_unblock(&saved);
}

/* Before anything is counted. */
static inline void see_process(void)
{
	if (__builtin_expect(atomic_load_explicit(&rules_own.process, memory_order_acquire) != PROCESS_KNOWN, 0))
		cloned();
	if (__builtin_expect(rules_store_absent, 0))
		begin_again();
}

static void leave(struct cuaudit_call *call, void *data)
{
	if (!call->result && atomic_load_explicit(&rules_own.idle[call->function->slot], memory_order_relaxed))
		return;
	see_process();
	if (rules_file)
		rules_judge(call, data);
}

static void listen(const struct cuaudit_range *range, const struct cuaudit_call *call, void *data)
{
	see_process();
	if (rules_file)
		rules_range(range, call, data);
}

static _Atomic int first_call;	/* the handle of the hook that waits for it */

/* Of whatever function: rules hold of a process that calls none of those they name. */
static int called(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
	see_process();
	if (rules_file)
		rules_file->header.calls = 1;
	cuaudit_hook_detach(first_call);
	return CUAUDIT_CONTINUE;
}

static int await_call(void)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "rules: first call", .priority = OUTERMOST,
		.enter = called, .flags = CUAUDIT_HOOK_OBSERVES | CUAUDIT_HOOK_PROVIDERS,
	};
	int handle = cuaudit_hook_attach(&hook);

	first_call = handle;
	return handle < 0 ? handle : 0;
}

/*
 * All that any rule or mark looks at; "" is all functions, and what takes some away is one of all. But %blocking, where a
 * rule asks why calls of that class wait.
 */
static const char *functions(void)
{
	static char text[FUNCTIONS];
	char *at = text;
	bool all = false;

	for (uint32_t i = 0; i < rules.nrules + rules.nmarks; i++) {
		const struct rule *rule = i < rules.nrules ? &rules.rules[i] :
						     &rules.marks[i - rules.nrules].call;

		if (!rule->functions)
			continue;
		all = !*rule->functions || strchr(rule->functions, '!') ||
		      strlen(rule->functions) + sizeof("," ASKED) > (size_t)(text + FUNCTIONS - at);
		if (all)
			break;
		at = stpcpy(at, rule->functions);
		if (at > text && at[-1] != ',')
			at = stpcpy(at, ",");
	}
	if (all)
		at = text;
	if (rules.blocking)
		at = stpcpy(at, ASKED);
	*at = '\0';
	return text;
}

/* Whether a rule would hold of whatever is called where no stack can be read. */
static bool wants_stacks(void)
{
	for (uint32_t i = 0; i < rules.nrules; i++)
		if (rules.rules[i].frame || rules.rules[i].what == RULE_UNCHECKED)
			return true;
	return false;
}

/* What may wait is asked before the call, the rest is not. */
static int add_hooks(void)
{
	struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "rules", .priority = OUTERMOST,
		.functions = functions(), .exit = leave,
		.flags = CUAUDIT_HOOK_OBSERVES | CUAUDIT_HOOK_PROVIDERS | (rules.timed ? CUAUDIT_HOOK_TIMED : 0),
	};
	int error = cuaudit_hook_add(&hook);

	if (!rules.blocking)
		return error;
	hook.functions = "%blocking,!%launch";
	hook.enter = rules_blocking;
	return error ?: cuaudit_hook_add(&hook);
}

static int init(const struct cuaudit_options *given)
{
	int error = rules_store_begin(save, &template);

	(void)given;
	if (error) {
		cuaudit_log(CUAUDIT_ERROR, "rules: what is found cannot be kept: %s", io_remedy(error));
		return -ECANCELED;
	}
	if (cuaudit_backtrace_prepare() && wants_stacks()) {
		cuaudit_log(CUAUDIT_ERROR, "rules: 'from' and no-unchecked-error want call stacks, and "
			    "there is no unwinder; install libgcc_s.so.1");
		rules_store_lost();
		return -ECANCELED;
	}
	error = rules_judge_setup();
	if (!error)
		error = cuaudit_kernel_prepare();
	if (!error && (rules.memory || rules.leaks))
		error = leak_track();
	if (!error && rules.ranges)
		error = cuaudit_range_listen(listen, NULL);
	if (!error)
		error = add_hooks();
	if (!error)
		error = await_call();
	if (error)
		rules_store_lost();
	else
		rules_end_setup();
	return error;
}

static void finish(void)
{
	if (unchecked && !save)
		cuaudit_set_exit_status(RULES_NOT_MADE);
	if (rules_store_absent || !rules_file)
		return;
	rules_end();
	if (!save && rules_file->header.calls)
		rules_print();
}

/* What was loaded at last is reached; what asks for the end is not there. */
static void process_exit(int status, int by_exit)
{
	(void)status;
	if (by_exit || rules_store_absent || !rules_file)
		return;
	rules_libraries();
	rules_marks();
	rules_losses();
	rules_inside();
}

const struct cuaudit_module rules_module = {
	.size = sizeof(rules_module), .abi = CUAUDIT_ABI, .name = "rules",
	.summary = "what a program's calls are to be, by the rules of a file",
	.options = options, .init = init, .finish = finish, .forked = forked, .check = check,
	.process_exit = process_exit, .enforces = "",
};
