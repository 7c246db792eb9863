/* SPDX-License-Identifier: Apache-2.0 */
/* cuaudit run: start a program with hooks of one's choice. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "tools/atomic_file.h"
#include "tools/exec.h"
#include "tools/options.h"
#include "tools/tool.h"

/* stat's report has the output's own name, to which others add theirs. */
static bool is_overwritten(const struct launch *launch)
{
	const char *hooks = launch->hooks ?: getenv("CUAUDIT_HOOKS") ?: "stat";

	if (!launch->output || !strstr(hooks, "stat") || !atomic_file_is_program(launch->output))
		return false;
	tool_complain("%s is a program, and is no output", launch->output);
	return true;
}

int tool_run(int argc, char **argv)
{
	struct launch launch = { .driver = NULL };
	int option;

	while ((option = options_next(argc, argv)) > 0) {
		int result = exec_take(&launch, option);

		if (result < 0)
			return TOOL_FAILED;
		if (result == LAUNCH_OTHER)
			launch.hooks = exec_join(launch.hooks, ",", optarg);
	}
	if (option == OPTIONS_END)
		option = options_program(argc, argv);
	if (!option && is_overwritten(&launch))
		return TOOL_FAILED;
	return option ? options_status(option) : exec_start(&launch, argv + optind);
}
