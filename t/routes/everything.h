/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of every kind of prototype the ABI knows, with the answers they must have. */
#ifndef T_ROUTES_EVERYTHING_H
#define T_ROUTES_EVERYTHING_H

#include <errno.h>

#include "t/fake/driver.h"
#include "t/tap.h"

#define W(n) ((n) * 0x0101010101010101l)

static struct fake_handle everything_handle(void)
{
	struct fake_handle handle;

	for (int i = 0; i < 64; i++)
		handle.bytes[i] = (unsigned char)(i + 1);
	return handle;
}

static int everything_kernel(void)
{
	return cuLaunchKernel((void *)1, 2, 3, 4, 5, 6, 7, 8, (void *)9, (void **)10,
			      (void **)11);
}

static void every_call(void)
{
	unsigned long long pointer = 0;
	struct fake_pair pair;

	is_int(cuMemAlloc_v2(&pointer, 0x123456789abcul), 0, "two integers");
	is_int((long long)pointer, 0x123456789abcl, "arrive whole");
	is_int(everything_kernel(), 0, "eleven integers");
	is_int(cuIpcOpenMemHandle_v2(&pointer, everything_handle(), 77), 0, "64 bytes by value");
	is_int((long long)pointer, 77, "and what comes after");
	is_int(cuTexRefSetMipmapLevelClamp((void *)7, 1.5f, -2.25f), 0, "two floats");
	is_int(cuNewIntegers(W(0), W(1), W(2), W(3), W(4), W(5), W(6), W(7), W(8), W(9), W(10),
			     W(11), W(12), W(13), W(14), W(15)), 0,
	       "unknown: sixteen integers");
	is_int(cuNewStructure(-1, everything_handle(), -2), 0, "unknown: 64 bytes by value");
	is_int(cuNewFloats(1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2), 0, "unknown: nine reals");
	ok(cuNewReal(10) == 2.5, "unknown: a real answer");
	pair = cuNewPair(1l << 40);
	is_int(pair.first, (1l << 40) + 1, "unknown: an answer of two words, the first");
	is_int(pair.second, (1l << 40) + 2, "the second");
	is_int(cuNewVariadic(9, 1., 2., 3., 4., 5., 6., 7., 8., 9.), 45, "unknown: variadic");
	errno = 4321;
	is_int(cuInit(0), 0, "a call that sets no errno");
	is_int(errno, 4321, "leaves it alone");
	is_int(cuNewErrno(1234), 0, "a call that does");
	is_int(errno, 1234, "sets it");
	errno = 4321;
	is_int(cuMemAlloc_v2(&pointer, 1), 0, "and once more");
	is_int(errno, 4321, "nothing changes");
}

#endif
