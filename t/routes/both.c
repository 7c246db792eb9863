/* SPDX-License-Identifier: Apache-2.0 */
/* Calls, and has a library look up a function. */
#include "t/fake/driver.h"
#include "t/routes/asker.h"
#include <dlfcn.h>

int main(void)
{
	cuInit(0);
	asker_by_dlsym(dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY));
	return 0;
}
