/* SPDX-License-Identifier: Apache-2.0 */
/* Takes memory that it never frees, and something that is not intercepted. */
#include "t/fake/driver.h"

#include <stdio.h>

int main(void)
{
	unsigned long long pointer;
	void *answer;
	int status;

	cuInit(0);
	cuGetProcAddress_v2("cuHidden", &answer, 13000, 0, &status);
	printf("memory %d\n", cuMemAlloc_v2(&pointer, 8));
	return 0;
}
