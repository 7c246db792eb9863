/* SPDX-License-Identifier: Apache-2.0 */
/* Calls through its own PLT, once in a constructor too. */
#ifdef DRIVER
#include "t/fake/driver.h"
#endif
#include "t/plt/plt.h"

int plt_versioned_old(int number);
int plt_nowhere(void);

__asm__(".symver plt_versioned_old, plt_versioned@V1");

static int before;

static void __attribute__((constructor)) start(void)
{
	before = plt_plain(-1);
}

int plt_caller(int number)
{
	if (before != 0)
		return -1;
#ifdef DRIVER
	if (cuInit(0))
		return -1;
#endif
#ifdef NOWHERE
	if (number < 0)
		return plt_nowhere();
#endif
	if (number < 0)
		return plt_unused();
	return plt_plain(number) + plt_ifunc(number) + plt_versioned(number) +
	       plt_versioned_old(number);
}
