/* SPDX-License-Identifier: Apache-2.0 */
/* Has the address of one function, calls another, and has the driver look up a third. */
#include "t/fake/driver.h"

int (*const volatile table[])(unsigned int flags) = { cuInit };

int main(void)
{
	int version;

	return table[0](0) || cuDriverGetVersion(&version) || !cuaudit_fake_dlsym("getpid");
}
