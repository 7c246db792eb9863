/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in that prints the kernel of each call, as its enter and its exit hook see it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cuaudit/hook.h>
#include <cuaudit/params.h>

static void tell(const struct cuaudit_call *call, const char *when)
{
	const char *kernel = cuaudit_call_kernel(call);
	char line[512];
	int length = snprintf(line, sizeof(line), "%s %s %.200s %zu\n", when, call->function->name,
			      kernel ? kernel : "-", kernel ? strlen(kernel) : 0);

	if (write(1, line, (size_t)length) != length)
		_exit(3);
}

static int enter(struct cuaudit_call *call, void *data)
{
	(void)data;
	tell(call, "enter");
	return CUAUDIT_CONTINUE;
}

static void leave(struct cuaudit_call *call, void *data)
{
	(void)data;
	tell(call, "exit");
}

static int init(const struct cuaudit_options *options)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "tells", .enter = enter, .exit = leave,
	};

	if (!strcmp(cuaudit_option_get(options, "prepare"), "yes") && cuaudit_kernel_prepare())
		return -1;
	return cuaudit_hook_add(&hook);
}

static const struct cuaudit_option options[] = {
	{ "prepare", "yes", "yes|no", "whether names are wanted" },
	{ NULL, NULL, NULL, NULL }
};

const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .name = "tells",
	.summary = "prints kernels", .options = options, .init = init,
};
