/* SPDX-License-Identifier: Apache-2.0 */
/* Opens and closes a library again and again, at other addresses, and calls what it has, in the first turns nothing. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
	int sum = 0;

	if (argc != 3)
		return 2;
	for (int i = atoi(argv[2]); i; i--)
		dlclose(dlopen(argv[1], RTLD_NOW));
	for (int i = 0; i < 50; i++) {
		void *library = dlopen(argv[1], RTLD_NOW);
		int (*add)(int, int) = library ? (int (*)(int, int))dlsym(library, "add") : NULL;

		if (!add)
			return 1;
		sum += add(i, 1);
		dlclose(library);
		/* What takes its place. */
		if (mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
			return 1;
	}
	printf("%d\n", sum);
	return 0;
}
