/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in that loses all registers when it is started, as the set-up around it may. */
#include <cuaudit/hook.h>

#include "t/routes/any.h"

uint32_t any_level;

static int init(const struct cuaudit_options *options)
{
	(void)options;
	any_level = __builtin_cpu_supports("avx512f") ? ANY_AVX512 :
		    __builtin_cpu_supports("avx") ? ANY_AVX : ANY_SSE;
	any_trash();
	return 0;
}

const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module),
	.abi = CUAUDIT_ABI,
	.name = "trash",
	.summary = "loses registers",
	.init = init,
};
