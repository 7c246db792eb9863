/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in that edits the arguments of a shared runtime's functions. */
#include <cuaudit/hook.h>
#include <string.h>

static int enter(struct cuaudit_call *call, void *data)
{
	(void)data;
	if (!strcmp(call->function->name, "cudaMalloc"))
		call->words[1] = 0;
	else
		call->words[2] = 7;
	return CUAUDIT_CONTINUE;
}

static int init(const struct cuaudit_options *options)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "edits", .enter = enter,
		.functions = "libcudart.so.*:cudaMalloc,libcudart.so.*:cudaMemAdvise",
	};

	(void)options;
	return cuaudit_hook_add(&hook);
}

__attribute__((visibility("default")))
const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .name = "edits", .summary = "edits arguments",
	.init = init,
};
