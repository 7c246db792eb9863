/* SPDX-License-Identifier: Apache-2.0 */
/* A library that ends the process when it is unloaded. */
#include <stdlib.h>
#include <unistd.h>

static void __attribute__((destructor)) quit(void)
{
	const char *how = getenv("QUITS");

	if (how && *how == 'l')
		_exit(11);
}
