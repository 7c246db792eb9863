/* SPDX-License-Identifier: Apache-2.0 */
/* A driver that does not start: what its first calls answer. */
#include <stdio.h>

#include "sim/api.h"

int main(void)
{
	int n, first = (int)cuInit(0), second = (int)cuInit(0);

	printf("%d %d %d\n", first, second, (int)cuDeviceGetCount(&n));
	return 0;
}
