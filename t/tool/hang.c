/* SPDX-License-Identifier: Apache-2.0 */
/* A plug-in that takes for ever. */
#include <unistd.h>

__attribute__((constructor)) static void hang(void)
{
	for (;;)
		pause();
}
