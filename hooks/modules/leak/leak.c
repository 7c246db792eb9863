/* SPDX-License-Identifier: Apache-2.0 */
/* The leak hook: what was allocated and never freed, and what was used wrongly. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cuaudit/hook.h>
#include <cuaudit/replace.h>

#include "hooks/modules/leak/leak_fault.h"
#include "hooks/modules/leak/leak_object.h"
#include "hooks/modules/leak/leak_place.h"
#include "hooks/modules/leak/leak_print.h"
#include "hooks/modules/leak/leak_python.h"
#include "hooks/modules/leak/leak_suppress.h"
#include "util/io.h"

enum { FAILED = 87 };	/* the status of fail=errors and fail=any */

/* Some of enum CUresult. */
enum {
	INVALID_VALUE = 1,
	DEINITIALIZED = 4,
	INVALID_CONTEXT = 201,
	INVALID_HANDLE = 400,
	CONTEXT_IS_DESTROYED = 709
};

enum { STREAM_PER_THREAD = 2 };	/* the highest of the streams that have a name */

/* call->scratch of a call that takes: 0, the object, or the fault with this bit. */
enum { SCRATCH_FAULT = 1 };

const struct cuaudit_module leak_module;

static const struct cuaudit_option options[] = {
	{ "format", "text", "text|json", "how the report is written" },
	{ "fail", "no", "no|errors|any", "end with status 87 after errors, or if anything was left too" },
	{ "suppress", NULL, "PATH", "a file of what is not reported" },
	{ NULL, NULL, NULL, NULL }
};

static bool json;
static enum { FAIL_NO, FAIL_ERRORS, FAIL_ANY } fail;

static struct leak_site site_of(const struct cuaudit_call *call)
{
	return (struct leak_site){ call->function, call->caller, cuaudit_call_library(call), NULL };
}

/* Whether a handle can be one that was given: not nothing, not a stream with a name. */
static bool ordinary(enum leak_space space, uint64_t handle)
{
	return handle > (space == LEAK_STREAM ? STREAM_PER_THREAD : 0);
}

/* The driver does not know what it was asked to take. */
static bool refused(int32_t result)
{
	return result == INVALID_VALUE || result == INVALID_CONTEXT || result == INVALID_HANDLE ||
	       result == CONTEXT_IS_DESTROYED;
}

/* As the driver has it for this thread; 0: none. */
static uint64_t current_context(void)
{
	cuaudit_fn_cuCtxGetCurrent *get =
		(cuaudit_fn_cuCtxGetCurrent *)(uintptr_t)cuaudit_real(CUAUDIT_ID_cuCtxGetCurrent);
	CUcontext context = NULL;

	return get && !get(&context) ? (uint64_t)(uintptr_t)context : 0;
}

static uint64_t scratch_fault(const struct leak_fault *fault)
{
	return fault ? (uint64_t)(uintptr_t)fault | SCRATCH_FAULT : 0;
}

static __attribute__((noinline)) void used_dead(struct cuaudit_call *call, enum leak_space space,
						uint64_t handle)
{
	struct leak_site site = site_of(call);
	struct leak_object *object;
	sigset_t saved;

	leak_lock(&saved);
	object = leak_find(space, handle);
	if (object && leak_state_of(object) == LEAK_DEAD)
		call->scratch = scratch_fault(leak_fault_add(LEAK_USE_AFTER_FREE, &site, space,
							     handle, object));
	leak_unlock(&saved);
}

static uint32_t claims_of(const struct cuaudit_call *call, const struct leak_rule *rule,
			  const struct leak_object *object)
{
	if (rule->action == LEAK_FREES_ALL)
		return object->claims;
	if (rule->count_word == LEAK_NO_WORD)
		return 1;
	return (uint32_t)call->words[rule->count_word];
}

/* Before: another call may be given the same handle before this one is back. */
static void take(struct cuaudit_call *call, const struct leak_rule *rule)
{
	enum leak_space space = rule->object.space;
	uint64_t handle = leak_word_ask(call, rule->object);
	struct leak_site site = site_of(call);
	struct leak_object *object;
	sigset_t saved;

	if (!ordinary(space, handle))
		return;
	leak_lock(&saved);
	object = leak_find(space, handle);
	if (!object || object->handle != handle) {
		leak_unlock(&saved);
		return;
	}
	if (leak_state_of(object) == LEAK_LIVE) {
		if (claims_of(call, rule, object) <= object->claims) {
			leak_take(object, claims_of(call, rule, object));
			call->scratch = (uint64_t)(uintptr_t)object;
		}
	} else {
		call->scratch = scratch_fault(leak_fault_add(LEAK_DOUBLE_FREE, &site, space, handle,
							     object));
	}
	leak_unlock(&saved);
}

/* Before, as another call may be given the same addresses: mappings that are not found by now. */
static void take_mappings(struct cuaudit_call *call, const struct leak_rule *rule)
{
	uint64_t start = leak_word_ask(call, rule->object);
	uint64_t end = start + call->words[rule->size_words[0]];
	struct leak_object *object, *chain = NULL;
	sigset_t saved;

	leak_lock(&saved);
	while ((object = leak_find_mapping(start, end))) {
		leak_take(object, object->claims);
		object->chain = chain;
		chain = object;
	}
	leak_unlock(&saved);
	call->scratch = (uint64_t)(uintptr_t)chain;
}

static int enter(struct cuaudit_call *call, void *data)
{
	const struct leak_rule *rule = leak_rule(call->function);

	(void)data;
	call->scratch = 0;
	if (!rule || !rule->any)
		return CUAUDIT_CONTINUE;
	for (int i = 0; i < rule->nuses; i++) {
		enum leak_space space = rule->uses[i].space;
		uint64_t handle = leak_word_ask(call, rule->uses[i]);

		if (ordinary(space, handle) && leak_state(space, handle) == LEAK_DEAD)
			used_dead(call, space, handle);
	}
	if (leak_frees(rule))
		take(call, rule);
	else if (rule->action == LEAK_FREES_MAPPINGS)
		take_mappings(call, rule);
	return CUAUDIT_CONTINUE;
}

/* The object of a context that is current, though perhaps nobody saw it being made. */
static struct leak_object *context_object(uint64_t handle, const struct leak_site *site)
{
	const struct leak_allocation allocation = {
		.handle = handle, .claims = 1, .kind = LEAK_KIND_CONTEXT, .again = LEAK_OWNED,
		.site = *site,
	};
	struct leak_object *object = leak_find(LEAK_CONTEXT, handle);

	if (object && leak_state_of(object) == LEAK_LIVE)
		return object;
	return leak_allocated(&allocation);
}

static void find_parent(const struct cuaudit_call *call, const struct leak_rule *rule,
			struct leak_allocation *allocation)
{
	struct leak_object *parent = NULL;

	if (rule->parent == LEAK_PARENT_CURRENT) {
		allocation->context = current_context();
		if (allocation->context)
			allocation->parent = context_object(allocation->context, &allocation->site);
	} else if (rule->parent_word != LEAK_NO_WORD) {
		parent = leak_find((enum leak_space)rule->parent, call->words[rule->parent_word]);
		if (parent && leak_state_of(parent) == LEAK_LIVE) {
			allocation->parent = parent;
			allocation->context = parent->context;
		}
	}
}

static struct leak_object *find_sharer(const struct cuaudit_call *call, const struct leak_rule *rule)
{
	uint64_t handle = leak_word_get(call, rule->shares);
	struct leak_object *object;

	if (rule->shares.word == LEAK_NO_WORD)
		return NULL;
	object = rule->shares.space == LEAK_HOST ? leak_find_address(handle) :
						    leak_find(rule->shares.space, handle);
	return object && leak_state_of(object) == LEAK_LIVE ? object : NULL;
}

static void give(const struct cuaudit_call *call, const struct leak_rule *rule)
{
	struct leak_object *object, *sharer;
	struct leak_allocation allocation = {
		.handle = leak_word_get(call, rule->object),
		.size = leak_rule_size(call, rule), .claims = 1, .device = -1,
		.kind = rule->kind, .again = rule->again, .counted = leak_place_is_counted(call, rule),
		.site = site_of(call),
	};
	sigset_t saved;

	if (!allocation.handle)
		return;
	if (rule->kind == LEAK_KIND_POOL)
		leak_place_pool(call, rule, allocation.handle);
	allocation.site.python = leak_python_here();
	if (rule->count_word != LEAK_NO_WORD)
		allocation.claims = (uint32_t)call->words[rule->count_word];
	if (rule->device_word != LEAK_NO_WORD)
		allocation.device = (int32_t)call->words[rule->device_word];
	leak_lock(&saved);
	find_parent(call, rule, &allocation);
	object = leak_allocated(&allocation);
	sharer = object ? find_sharer(call, rule) : NULL;
	if (sharer)
		leak_share(object, sharer);
	leak_unlock(&saved);
}

static void invalid_free(const struct cuaudit_call *call, enum leak_space space, uint64_t handle)
{
	struct leak_site site = site_of(call);
	struct leak_fault *fault;
	sigset_t saved;

	leak_lock(&saved);
	fault = leak_fault_add(LEAK_INVALID_FREE, &site, space, handle, leak_find(space, handle));
	if (fault)
		fault->result = call->result;
	leak_unlock(&saved);
}

static void took(const struct cuaudit_call *call, const struct leak_rule *rule)
{
	struct leak_object *object = (struct leak_object *)(uintptr_t)call->scratch;
	uint64_t handle = leak_word_ask(call, rule->object);
	bool done = cuaudit_call_succeeded(call) || call->result == DEINITIALIZED;
	struct leak_site site = site_of(call);
	sigset_t saved;

	if (object) {
		site.python = leak_python_here();
		leak_lock(&saved);
		leak_took(object, &site, done, rule->action == LEAK_FREES_ALL ? 1 : claims_of(call, rule, object));
		leak_unlock(&saved);
	}
	if (refused(call->result) && ordinary(rule->object.space, handle))
		invalid_free(call, rule->object.space, handle);
}

static void claim(const struct cuaudit_call *call, const struct leak_rule *rule)
{
	struct leak_object *object;
	sigset_t saved;

	leak_lock(&saved);
	object = leak_find(rule->object.space, leak_word_get(call, rule->object));
	if (object && leak_state_of(object) == LEAK_LIVE)
		object->claims += claims_of(call, rule, object);
	leak_unlock(&saved);
}

/* The last release of a primary context destroys it; a reset empties it. */
static void release(const struct cuaudit_call *call, const struct leak_rule *rule)
{
	struct leak_site site = site_of(call);
	struct leak_object *object;
	sigset_t saved;

	leak_lock(&saved);
	object = leak_find_primary((int32_t)call->words[rule->device_word]);
	if (object && rule->action == LEAK_FREES_RESET)
		leak_end(object, &site, 1);
	else if (object && !--object->claims)
		leak_end(object, &site, 0);
	leak_unlock(&saved);
}

static void unmapped(const struct cuaudit_call *call, const struct leak_rule *rule)
{
	struct leak_object *object = (struct leak_object *)(uintptr_t)call->scratch, *next;
	struct leak_site site = site_of(call);
	sigset_t saved;

	if (refused(call->result))
		invalid_free(call, LEAK_MEMORY, leak_word_ask(call, rule->object));
	if (!object)
		return;
	leak_lock(&saved);
	for (; object; object = next) {
		next = object->chain;
		leak_took(object, &site, cuaudit_call_succeeded(call), 1);
	}
	leak_unlock(&saved);
}

static uint64_t context_of(struct leak_word word, uint64_t handle)
{
	if (word.space == LEAK_CONTEXT)
		return handle;
	return ordinary(word.space, handle) ? leak_context_of(word.space, handle) :
					      current_context();
}

static void two_contexts(const struct cuaudit_call *call, struct leak_word word, uint64_t handle,
			 uint64_t own, uint64_t other)
{
	struct leak_site site = site_of(call);
	struct leak_fault *fault = NULL;
	struct leak_object *object;
	sigset_t saved;

	leak_lock(&saved);
	object = leak_find(word.space, handle);
	if (object && leak_state_of(object) == LEAK_LIVE && object->context == own)
		fault = leak_fault_add(LEAK_WRONG_CONTEXT, &site, word.space, handle, object);
	if (fault) {
		fault->contexts[1] = other;
		fault->result = call->result;
	}
	leak_unlock(&saved);
}

/* The driver has refused a call: because of these two? */
static void check_pair(const struct cuaudit_call *call, const struct leak_rule *rule)
{
	uint64_t one = leak_word_ask(call, rule->pair[0]), other = leak_word_ask(call, rule->pair[1]);
	uint64_t first = context_of(rule->pair[0], one), second = context_of(rule->pair[1], other);

	if (!first || !second || first == second)
		return;
	if (rule->pair[0].space == LEAK_CONTEXT)
		two_contexts(call, rule->pair[1], other, second, first);
	else
		two_contexts(call, rule->pair[0], one, first, second);
}

static void show(const struct cuaudit_call *call, const struct leak_rule *rule)
{
	uint64_t handle = leak_word_get(call, rule->shows);
	sigset_t saved;

	if (rule->shows_all)
		leak_forget_all((enum leak_space)(rule->shows_all - 1));
	if (handle && rule->shows.space == LEAK_POOL)
		leak_place_pool(call, rule, handle);
	if (!handle || leak_state(rule->shows.space, handle) != LEAK_DEAD)
		return;
	leak_lock(&saved);
	leak_forget(rule->shows.space, handle);
	leak_unlock(&saved);
}

static void exit_hook(struct cuaudit_call *call, void *data)
{
	const struct leak_rule *rule = leak_rule(call->function);

	(void)data;
	if (call->scratch & SCRATCH_FAULT)
		((struct leak_fault *)(uintptr_t)(call->scratch & ~(uint64_t)SCRATCH_FAULT))->result =
			call->result;
	if (!rule || !rule->at_exit)
		return;
	if (leak_frees(rule) && !(call->scratch & SCRATCH_FAULT))
		took(call, rule);
	if (rule->action == LEAK_FREES_MAPPINGS)
		unmapped(call, rule);
	if (rule->pair[0].word != LEAK_NO_WORD && refused(call->result))
		check_pair(call, rule);
	if (!cuaudit_call_succeeded(call))
		return;
	if (rule->action == LEAK_ALLOCATES)
		give(call, rule);
	else if (rule->action == LEAK_CLAIMS)
		claim(call, rule);
	else if (rule->action == LEAK_FREES_PRIMARY || rule->action == LEAK_FREES_RESET)
		release(call, rule);
	if (rule->shows_all || rule->shows.word != LEAK_NO_WORD)
		show(call, rule);
}

static int check(const struct cuaudit_options *given)
{
	const char *path = cuaudit_option_get(given, "suppress");
	const char *when = cuaudit_option_get(given, "fail");

	json = !strcmp(cuaudit_option_get(given, "format"), "json");
	fail = !strcmp(when, "any") ? FAIL_ANY : !strcmp(when, "errors") ? FAIL_ERRORS : FAIL_NO;
	return path ? leak_suppress_setup(path) : 0;
}

/* What changes objects, or shows that there are any; the rest only uses them. */
static bool acts(const struct leak_rule *rule)
{
	return rule->action != LEAK_NOTHING || rule->shows_all || rule->shows.word != LEAK_NO_WORD;
}

/* The functions that do the one or the other, as a selector, which stays; NULL: memory is out. */
static const char *functions(bool that_act)
{
	struct cuaudit_function function;
	char *text = strdup(""), *longer;
	size_t used = 0, length;

	for (uint32_t id = 0; text && !cuaudit_row_get(id, &function); id++) {
		const struct leak_rule *rule = leak_rule(&function);

		if (!rule || !rule->any || acts(rule) != that_act ||
		    function.classes & (CUAUDIT_CLASS_PROCADDR | CUAUDIT_CLASS_OCCUPANCY))
			continue;
		length = strlen(function.name) + 2;
		longer = realloc(text, used + length + 1);
		if (!longer)
			free(text);
		text = longer;
		if (text)
			stpcpy(stpcpy(stpcpy(text + used, "="), function.name), ",");
		used += length;
	}
	return text;
}

static int follow(bool that_act)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "leak", .functions = functions(that_act),
		.enter = enter, .exit = exit_hook,
	};

	return hook.functions ? cuaudit_hook_add(&hook) : -ENOMEM;
}

int leak_track(void)
{
	static bool tracked;
	int error = tracked ? 0 : leak_object_setup();

	if (!error && !tracked)
		error = follow(true);
	tracked = !error;
	return error;
}

static int init(const struct cuaudit_options *given)
{
	int error = leak_track();

	(void)given;
	return error ?: follow(false);
}

static void finish(void)
{
	struct leak_report report;
	int error;

	if (!leak_counts.allocated && !leak_fault_get(0))
		return;
	error = leak_report_make(&report);
	if (!error)
		error = leak_report_write(&report, json);
	if (error)
		cuaudit_log(CUAUDIT_ERROR, "leak: no report: %s", io_remedy(error));
	if ((fail && report.nfaults) || (fail == FAIL_ANY && report.nleaks))
		cuaudit_set_exit_status(FAILED);
	leak_report_free(&report);
}

void leak_track_forked(void)
{
	leak_rule_forked();
	leak_object_forked();
	leak_fault_forked();
}

const struct cuaudit_module leak_module = {
	.size = sizeof(leak_module), .abi = CUAUDIT_ABI, .name = "leak",
	.summary = "what was allocated and never freed, and what was used wrongly",
	.options = options, .init = init, .finish = finish, .forked = leak_track_forked, .check = check,
	.enforces = "fail",
};
