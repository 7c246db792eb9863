/* SPDX-License-Identifier: Apache-2.0 */
/* Calls, and ends by _exit or abort. */
#include <stdlib.h>
#include <unistd.h>

#include "t/fake/driver.h"

int main(int argc, char **argv)
{
	int wrong = cuStreamQuery(NULL);

	(void)argc;
	if (argv[1][0] == 'a')
		abort();
	_exit(wrong);
}
