/* SPDX-License-Identifier: Apache-2.0 */
/* Flags with all bits, and numbers that doubles do not hold. */
#include <dlfcn.h>
int main(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned int) = (int (*)(unsigned int))dlsym(driver, "cuInit");
	int (*print)(void *, const char *, unsigned int) =
		(int (*)(void *, const char *, unsigned int))dlsym(driver, "cuGraphDebugDotPrint");

	int (*set)(unsigned long long, unsigned char, unsigned long long) =
		(int (*)(unsigned long long, unsigned char, unsigned long long))
		dlsym(driver, "cuMemsetD8_v2");

	/* Around 2^53, which doubles end at, and 2^63. */
	set(0, 1, 9007199254740991);
	set(0, 1, 9007199254740993);
	set(0, 1, 9223372036854775807);
	set(0, 1, 9223372036854775809u);
	((int (*)(int, const char **))dlsym(driver, "cuGetErrorName"))(-5, 0);
	return init(0) || !print((void *)64, "path", 0xffffffff);
}
