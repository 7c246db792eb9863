/* SPDX-License-Identifier: Apache-2.0 */
/* A driver with an indirect function. */
static int real(void)
{
	return 0;
}

static int (*choose(void))(void)
{
	return real;
}

int cuDriverGetVersion(int *version)
{
	return *version = 0;
}

int cuCtxSynchronize(void) __attribute__((ifunc("choose")));
