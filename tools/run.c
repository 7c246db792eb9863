/* SPDX-License-Identifier: Apache-2.0 */
/* cuaudit run: start a program with hooks of one's choice. */
#include <getopt.h>

#include "tools/exec.h"
#include "tools/options.h"
#include "tools/tool.h"

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
	return option ? options_status(option) : exec_start(&launch, argv + optind);
}
