/* SPDX-License-Identifier: Apache-2.0 */
/* Says who initialises the driver: cc -shared -fPIC -o hello.so hello.c $(pkg-config --cflags --libs cuaudit) */
#include <cuaudit/hook.h>
static void hello(struct cuaudit_call *call, void *data)
{
	cuaudit_log(CUAUDIT_WARN, "hello, %s%s", cuaudit_call_library(call)->name, (char *)data);
}
static const struct cuaudit_hook hook = { .size = sizeof(hook), .functions = "cuInit", .exit = hello, .data = "!" };
static int init(const struct cuaudit_options *options) { return (void)options, cuaudit_hook_add(&hook); }
const struct cuaudit_module cuaudit_module = { .size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .init = init };
