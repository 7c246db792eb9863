/* SPDX-License-Identifier: Apache-2.0 */
/* NVTX in a process that does not call the driver: what the arguments name. */
#include <stdio.h>

#include "t/nvtx/copy.h"

int main(int argc, char **argv)
{
	if (copy_initialize() < 0)
		return 1;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "name") && nvtx.NameOsThreadA)
			nvtx.NameOsThreadA(1, "nobody");
		if (!strcmp(argv[i], "domain") && nvtx.DomainCreateA)
			nvtx.DomainCreateA("app");
		if (!strcmp(argv[i], "push"))
			copy_push("alone");
		if (!strcmp(argv[i], "pop"))
			copy_pop();
	}
	return 0;
}
