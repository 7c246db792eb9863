/* SPDX-License-Identifier: Apache-2.0 */
/* Takes all the room there is for hooks, or 16 of each function. */
#include <cuaudit/hook.h>
#include <stdlib.h>
#include <string.h>

static int enter(struct cuaudit_call *call, void *data)
{
	return call && !data ? CUAUDIT_CONTINUE : CUAUDIT_SKIP;
}

static int init(const struct cuaudit_options *options)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "filler", .functions = "cuMemAlloc_v2", .enter = enter,
	};
	int most = atoi(cuaudit_option_get(options, "hooks"));

	while (most-- && !cuaudit_hook_add(&hook))
		;
	return 0;
}

static const struct cuaudit_option options[] = {
	{ "hooks", "1000", "N", NULL }, { NULL, NULL, NULL, NULL }
};

const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .name = "filler",
	.options = options, .init = init,
};
