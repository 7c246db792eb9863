/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in that counts copies, and makes some in its hook. */
#include <string.h>

#include <cuaudit/hook.h>

static volatile size_t n = 100;
static char here[4096], there[4096];
static _Atomic unsigned long calls, bytes;

static int enter(struct cuaudit_call *call, void *data)
{
	(void)data;
	memcpy(here, there, n);
	memset(here, 0, n);
	calls++;
	bytes += call->words[2];
	return CUAUDIT_CONTINUE;
}

static int init(const struct cuaudit_options *options)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "counter", .functions = "libc.so.6:memcpy", .enter = enter,
		.include = cuaudit_option_get(options, "of"), .flags = CUAUDIT_HOOK_PROVIDERS,
	};

	return cuaudit_hook_add(&hook);
}

static void finish(void)
{
	cuaudit_log(CUAUDIT_WARN, "counter: %lu calls, %lu bytes", calls, bytes);
}

static const struct cuaudit_option options[] = {
	{ "of", NULL, "GLOBS", "whose calls" },
	{ NULL, NULL, NULL, NULL }
};

const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .name = "counter", .summary = "counts copies",
	.options = options, .init = init, .finish = finish,
};
