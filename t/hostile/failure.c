/* SPDX-License-Identifier: Apache-2.0 */
/* Takes memory that it never frees and something that is not intercepted, and has an error. */
#include "t/fake/driver.h"

#include <stdio.h>

int main(void)
{
	unsigned long long pointer;
	void *answer;
	int status;

	cuInit(0);
	cuGetProcAddress_v2("cuHidden", &answer, 13000, 0, &status);
	/* Flags that there are not: an error. */
	cuInit(1);
	printf("memory %d\n", cuMemAlloc_v2(&pointer, 8));
	return 0;
}
