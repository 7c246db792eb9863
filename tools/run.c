/* SPDX-License-Identifier: Apache-2.0 */
/* cuaudit run: start a program with hooks of one's choice. */
#include <getopt.h>

#include "tools/launch.h"
#include "tools/options.h"
#include "tools/tool.h"

int tool_run(int argc, char **argv)
{
	struct launch launch = { .driver = NULL };
	int option;

	while ((option = options_next(argc, argv)) > 0) {
		int result = launch_take(&launch, option);

		if (result < 0)
			return TOOL_FAILED;
		if (result == LAUNCH_OTHER)
			launch.hooks = launch_join(launch.hooks, ",", optarg);
	}
	if (option == OPTIONS_END)
		option = options_program(argc, argv);
	return option ? options_status(option) : launch_start(&launch, argv + optind);
}
