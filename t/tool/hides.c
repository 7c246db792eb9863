/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hides WAY: leaves a process without descriptors in a session of its own that calls no function of the driver yet. WAY:
 * "title" writes over its arguments and environment, as to show a title; "undumpable" lets nobody but root look at it;
 * "shown" does neither.
 */
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sim/api.h"

extern char **environ;

int main(int argc, char **argv)
{
	char *end = argv[argc - 1];

	if (argc < 2 || cuInit(0))
		return 1;
	for (char **text = environ; *text; text++)
		end = *text > end ? *text : end;
	if (fork())
		return 0;
	setsid();
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	if (!strcmp(argv[1], "undumpable"))
		prctl(PR_SET_DUMPABLE, 0);
	else if (!strcmp(argv[1], "title"))
		memset(argv[0], 'x', (size_t)(end + strlen(end) - argv[0]));
	sleep(100);
	cuInit(0);
	return 0;
}
