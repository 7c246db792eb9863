/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in that has each call timed and does nothing with it: what overhead.py measures others against. */
#include <cuaudit/hook.h>

static void nothing(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
}

static int init(const struct cuaudit_options *options)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "clocks", .exit = nothing, .flags = CUAUDIT_HOOK_TIMED,
	};

	(void)options;
	return cuaudit_hook_add(&hook);
}

const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .init = init,
};
