/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of a shared runtime that reports nothing: of other parameters in each, and newer than any table. */
#include <stddef.h>

int cudaMemAdvise(const void *from, size_t size, int advice, int where)
{
	return from == (void *)0x500 && size == 1 && advice == 2 && where == 3 ? 0 : 1;
}

int cudaMemPrefetchAsync(const void *from, size_t size, int where, long a, long b)
{
	return from == (void *)0x600 && size == 1 && where == 3 && a == 4 && b == 5 ? 0 : 1;
}

int cudaNewerThanAll(int a, double b)
{
	return (int)(a * b);
}
