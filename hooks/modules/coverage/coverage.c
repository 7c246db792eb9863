/* SPDX-License-Identifier: Apache-2.0 */
/* The coverage hook: what was bound, by whom and how, what was called, what escaped. */
#include <cuaudit/coverage.h>
#include <cuaudit/hook.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hooks/modules/coverage/coverage_print.h"
#include "util/arena.h"
#include "util/out.h"
#include "util/sort.h"

enum { ESCAPED = 86 };	/* the status of fail=escapes */

static const struct cuaudit_option options[] = {
	{ "format", "text", "text|json", "how the report is written" },
	{ "fail", "no", "no|escapes", "end with status 86 if anything escaped" },
	{ NULL, NULL, NULL, NULL }
};

static int json, fail;
static uint8_t called[CUAUDIT_SLOTS_MAX];

/* Written once a function, then only read: no thread disturbs another. */
static int enter(struct cuaudit_call *call, void *data)
{
	(void)data;
	if (!called[call->function->slot])
		called[call->function->slot] = 1;
	return CUAUDIT_CONTINUE;
}

static int by_name(const void *left, const void *right)
{
	const struct cuaudit_binding *a = left, *b = right;
	const struct cuaudit_function *x = cuaudit_function_get(a->slot);
	const struct cuaudit_function *y = cuaudit_function_get(b->slot);
	int order = x->driver != y->driver ? (x->driver < y->driver ? -1 : 1) :
		    strcmp(x->name, y->name);

	if (!order)
		order = strcmp(a->library->path, b->library->path);
	if (!order)
		order = (int)(a->route * 2 + !!a->real) - (int)(b->route * 2 + !!b->real);
	return order;
}

static int gather(struct coverage *coverage, struct arena *memory)
{
	struct cuaudit_binding binding;
	size_t room = 0;
	int there;

	for (uint32_t i = 0; (there = cuaudit_binding_get(i, &binding)) >= 0; i++)
		room += (size_t)there;
	coverage->bindings = arena_take(memory, room, sizeof(*coverage->bindings));
	if (!coverage->bindings)
		return -ENOMEM;
	for (uint32_t i = 0; (there = cuaudit_binding_get(i, &binding)) >= 0; i++)
		if (there && coverage->count < room && cuaudit_function_get(binding.slot))
			coverage->bindings[coverage->count++] = binding;
	sort(coverage->bindings, coverage->count, sizeof(*coverage->bindings), by_name);
	coverage->called = called;
	return 0;
}

static void print(void)
{
	struct coverage coverage = { .count = 0 };
	struct arena memory = { 0 };
	struct out out = { .used = 0 };
	int error = gather(&coverage, &memory), fd;

	if (!error) {
		if (json)
			coverage_json(&coverage, &out);
		else
			coverage_text(&coverage, &out);
		fd = cuaudit_output(".coverage");
		error = fd < 0 ? 0 : out_write(&out, fd, IO_REPORT);
		if (fd >= 0)
			io_close(fd);
	}
	if (error)
		cuaudit_log(CUAUDIT_ERROR, "coverage: no report: %s", io_remedy(error));
	out_free(&out);
	arena_free(&memory);
}

static int init(const struct cuaudit_options *given)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "coverage", .enter = enter,
		.flags = CUAUDIT_HOOK_OBSERVES | CUAUDIT_HOOK_PROVIDERS,
	};

	json = !strcmp(cuaudit_option_get(given, "format"), "json");
	fail = !strcmp(cuaudit_option_get(given, "fail"), "escapes");
	return cuaudit_hook_add(&hook);
}

static int anything_called(void)
{
	return memchr(called, 1, sizeof(called)) != NULL;
}

static void finish(void)
{
	if (!anything_called() && !cuaudit_escape_get(0))
		return;
	print();
	if (fail && cuaudit_escape_get(0))
		cuaudit_set_exit_status(ESCAPED);
}

static void forked(void)
{
	memset(called, 0, sizeof(called));
}

const struct cuaudit_module coverage_module = {
	.size = sizeof(coverage_module), .abi = CUAUDIT_ABI, .name = "coverage",
	.summary = "what was bound, by whom and how, what was called, what escaped",
	.options = options, .init = init, .finish = finish, .forked = forked, .enforces = "fail",
};
