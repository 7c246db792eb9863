/* SPDX-License-Identifier: Apache-2.0 */
/* Ends by abort. */
#include <dlfcn.h>
#include <stdlib.h>

int main(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned int) = driver ? (int (*)(unsigned int))dlsym(driver, "cuInit") : NULL;

	if (!init || init(0))
		return 1;
	abort();
}
