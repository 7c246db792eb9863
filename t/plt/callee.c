/* SPDX-License-Identifier: Apache-2.0 */
/* The functions whose PLT entries are looked at: plain, by resolver, of two versions. */
#include "t/plt/plt.h"

int plt_versioned_old(int number);
int plt_versioned_new(int number);

int plt_plain(int number)
{
	return number + 1;
}

static int chosen(int number)
{
	return number + 2;
}

static int (*choose(void))(int number)
{
	return chosen;
}

int plt_ifunc(int number) __attribute__((ifunc("choose")));

int plt_versioned_old(int number)
{
	return number + 4;
}

int plt_versioned_new(int number)
{
	return number + 3;
}

__asm__(".symver plt_versioned_old, plt_versioned@V1");
__asm__(".symver plt_versioned_new, plt_versioned@@V2");

int plt_unused(void)
{
	return 0;
}
