/* SPDX-License-Identifier: Apache-2.0 */
/* A driver whose functions pass and answer what AArch64 has rules of its own for. */
#include "t/aarch64/driver.h"

struct aarch64_large cuNewLarge(long a, long b)
{
	return (struct aarch64_large){ { a, b, a + b, a - b, a * b } };
}

struct aarch64_vectors cuNewVectors(double x)
{
	return (struct aarch64_vectors){ x, x * 2, x * 3, x * 4 };
}

/* The pair does not fit the one register that is left, nor does anything use it later. */
long cuNewSpilled(long a, long b, long c, long d, long e, long f, long g,
		  struct aarch64_pair pair, long last)
{
	return a + b + c + d + e + f + g + pair.first * 100 + pair.second * 1000 + last * 10000;
}

/* A callee may write to the copy it is passed a pointer to. */
int cuIpcOpenMemHandle_v2(unsigned long long *pointer, struct aarch64_handle handle,
			  unsigned int flags)
{
	unsigned int sum = 0;

	for (int i = 0; i < 64; i++) {
		sum += handle.bytes[i];
		*(volatile unsigned char *)&handle.bytes[i] = 0;
	}
	*pointer = sum;
	return (int)flags;
}

int cuInit(unsigned int flags)
{
	return (int)flags;
}
