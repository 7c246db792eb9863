/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in that calls the driver when it starts. */
#include <cuaudit/hook.h>

int cuInit(unsigned int flags);

static int init(const struct cuaudit_options *options)
{
	return options ? cuInit(0) : -1;
}

const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .name = "early", .init = init,
};
