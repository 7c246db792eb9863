/* SPDX-License-Identifier: Apache-2.0 */
/* Calls, and waits until standard input ends. */
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned int) = driver ? (int (*)(unsigned int))dlsym(driver, "cuInit") : NULL;

	return !init || init(0) || puts("called") < 0 || fflush(stdout) || getchar() != EOF;
}
