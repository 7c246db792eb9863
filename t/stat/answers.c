/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in that answers in the driver's place: by a replacement, and by hooks that skip. */
#include <cuaudit/replace.h>

static CUresult no_memory(CUdeviceptr *dptr, size_t bytesize)
{
	cuaudit_fn_cuMemAlloc_v2 *real = (cuaudit_fn_cuMemAlloc_v2 *)cuaudit_real(CUAUDIT_ID_cuMemAlloc_v2);

	return bytesize > 1 << 20 ? 2 : real(dptr, bytesize);
}

/* Every other one. */
static int skip(struct cuaudit_call *call, void *data)
{
	static unsigned int calls;

	(void)data;
	if (calls++ % 2)
		return CUAUDIT_CONTINUE;
	call->result = 0;
	return CUAUDIT_SKIP;
}

static int init(const struct cuaudit_options *options)
{
	const struct cuaudit_hook last = {
		.size = sizeof(last), .name = "last", .priority = INT32_MAX - 1,
		.functions = "cuDeviceGetCount", .enter = skip,
	};
	int error = cuaudit_hook_add(&last);

	(void)options;
	return error ? error : CUAUDIT_REPLACE(cuMemAlloc_v2, no_memory);
}

CUAUDIT_PUBLIC const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI,
	.name = "answers", .summary = "answers in the driver's place", .init = init,
};
