/* SPDX-License-Identifier: Apache-2.0 */
/* Removes the file of its trace, and its directory. */
#include <dlfcn.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned int) = (int (*)(unsigned int))dlsym(driver, "cuInit");

	init(0);
	if (argc > 2 && (unlink(argv[1]) || rmdir(argv[2])))
		return 1;
	for (int i = 0; i < 100000; i++)
		init(0);
	return 0;
}
