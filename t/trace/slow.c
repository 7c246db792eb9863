/* SPDX-License-Identifier: Apache-2.0 */
/* Calls in half a second: clocks are compared over no less than a tenth. */
#include <dlfcn.h>
#include <poll.h>

int main(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned int) = (int (*)(unsigned int))dlsym(driver, "cuInit");

	for (int i = 0; i < 10; i++) {
		init(0);
		poll(0, 0, 50);
	}
	return 0;
}
