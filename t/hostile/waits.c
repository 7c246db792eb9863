/* SPDX-License-Identifier: Apache-2.0 */
/* Says on the first path that it is in a callback of the driver, waits there for a line on the second. */
#include <stdio.h>
#include <unistd.h>

#include "t/fake/driver.h"

static void wait_there(void *data)
{
	char **paths = data;
	FILE *ready = fopen(paths[1], "w"), *line;

	if (!ready)
		return;
	fprintf(ready, "%d\n", (int)getpid());
	fclose(ready);
	line = fopen(paths[2], "r");
	if (!line)
		return;
	getc(line);
	fclose(line);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	cuInit(0);
	cuLaunchHostFunc(NULL, wait_there, argv);
	cuInit(0);
	return cuaudit_fake_calls("cuInit") != 2;
}
