/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in that uses libc's output where the core starts and ends; LATE: where it ends. */
#include <stdio.h>
#include <cuaudit/hook.h>

#ifndef LATE
static int init(const struct cuaudit_options *options)
{
	(void)options;
	fprintf(stderr, "a plug-in starts\n");
	return 0;
}
#define INIT init
#else
#define INIT NULL
#endif

static void finish(void)
{
	for (int i = 0; i < 1000; i++)
		fprintf(stderr, "a plug-in ends\n");
}

const struct cuaudit_module cuaudit_module = {
	.size = sizeof(cuaudit_module), .abi = CUAUDIT_ABI, .name = "prints", .init = INIT,
	.finish = finish,
};
