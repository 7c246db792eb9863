/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are traced, from one place, between very many that only other hooks see. */
#include <dlfcn.h>
#include <stddef.h>

enum { TRACED = 3, BETWEEN = 70000 };

int main(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*version)(int *) = driver ? (int (*)(int *))dlsym(driver, "cuDriverGetVersion") : NULL;
	int (*release)(unsigned long long) = NULL;
	int unused;

	if (driver)
		release = (int (*)(unsigned long long))dlsym(driver, "cuMemFree_v2");
	if (!version || !release)
		return 2;
	for (int i = 0; i < TRACED; i++) {
		version(&unused);
		for (int j = 0; j < BETWEEN; j++)
			release(0);
	}
	return 0;
}
