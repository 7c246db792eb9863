/* SPDX-License-Identifier: Apache-2.0 */
/* A module that prints each call at the end, an inner one behind a space for each that it is in. */
#include <cuaudit/api.h>
#include <cuaudit/hook.h>
#include <cuaudit/params.h>
#include <stdio.h>
#include <string.h>

enum { CALLS = 16384, WORDS = 8 };

static struct seen {
	const char *name, *library;
	uint64_t words[WORDS], correlation;
	uint32_t nwords, depth, flags;
	int32_t id, result;
	int ended, timed;
} seen[CALLS];
static _Atomic uint32_t count;

static int enter(struct cuaudit_call *call, void *data)
{
	uint32_t at = count++;
	struct seen *its = &seen[at % CALLS];

	(void)data;
	call->scratch = at;
	its->name = call->function->name;
	its->library = cuaudit_call_library(call)->name;
	its->id = call->function->id;
	its->nwords = call->nwords < WORDS ? call->nwords : WORDS;
	memcpy(its->words, call->words, its->nwords * sizeof(uint64_t));
	its->depth = call->depth;
	its->correlation = call->correlation;
	its->flags = call->flags;
	return CUAUDIT_CONTINUE;
}

static void leave(struct cuaudit_call *call, void *data)
{
	struct seen *its = &seen[call->scratch % CALLS];

	(void)data;
	its->ended++;
	its->result = call->result;
	its->timed = call->start && call->end >= call->start && its->correlation == call->correlation &&
		     its->depth == call->depth && !memcmp(its->words, call->words, its->nwords * sizeof(uint64_t));
}

static void finish(void)
{
	for (uint32_t i = 0; i < count && i < CALLS; i++) {
		const struct seen *its = &seen[i];
		int runtime = its->id == CUAUDIT_ID_RUNTIME;

		printf("%*s%s %s", (int)its->depth, "", its->name, its->library);
		for (uint32_t k = 0; runtime && k < its->nwords; k++)
			printf(its->words[k] < 0x4000000000 ? " %#llx" : " pointer", (unsigned long long)its->words[k]);
		printf(" = %d%s%s%s\n", its->result, its->ended == 1 ? "" : " unended", its->timed || !its->ended ? "" : " odd",
		       runtime == !(its->flags & CUAUDIT_CALL_OBSERVED) ? " flags" : "");
	}
	fflush(stdout);
}

static struct cuaudit_hook hook_of(const struct cuaudit_options *options)
{
	struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "sees", .enter = enter, .exit = leave,
		.functions = cuaudit_option_get(options, "functions"),
		.flags = CUAUDIT_HOOK_TIMED | CUAUDIT_HOOK_OBSERVES,
	};

	if (!strcmp(cuaudit_option_get(options, "edits"), "yes"))
		hook.flags = CUAUDIT_HOOK_TIMED;
	if (!strcmp(cuaudit_option_get(options, "exits"), "no")) {
		hook.exit = NULL;
		hook.flags &= ~(uint32_t)CUAUDIT_HOOK_TIMED;
	}
	return hook;
}

static int check(const struct cuaudit_options *options)
{
	const struct cuaudit_hook hook = hook_of(options);

	return strcmp(cuaudit_option_get(options, "checks"), "yes") ? 0 : cuaudit_hook_check(&hook);
}

static int init(const struct cuaudit_options *options)
{
	const struct cuaudit_hook hook = hook_of(options);

	return cuaudit_hook_add(&hook);
}

static const struct cuaudit_option options[] = {
	{ "functions", "", "SELECTOR", "the functions" },
	{ "checks", "no", "yes|no", "the hook is looked at before it is added" },
	{ "exits", "yes", "yes|no", "no: the hook has no exit" },
	{ "edits", "no", "yes|no", "the hook does not say that it only observes" },
	{ NULL, NULL, NULL, NULL }
};

__attribute__((visibility("default")))
const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .name = "sees", .summary = "prints calls",
	.options = options, .check = check, .init = init, .finish = finish,
};
