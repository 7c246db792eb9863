/* SPDX-License-Identifier: Apache-2.0 */
/* Where the blocks of malloc come from, before and behind a driver. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int from_break(const char *start, const void *block)
{
	return (const char *)block >= start && (const char *)block < (char *)sbrk(0);
}

int main(void)
{
	char *start = sbrk(0), *first = malloc(1000), *zero = calloc(100, 100), *big;
	void *(*found)(size_t, size_t) = (void *(*)(size_t, size_t))dlsym(RTLD_DEFAULT, "calloc");
	int first_from, zero_from;
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*init)(unsigned int) = driver ? (int (*)(unsigned int))dlsym(driver, "cuInit") : NULL;

	for (int i = 0; i < 10000; i++)
		if (zero[i])
			return 2;
	if (!init || init(0) || dlclose(driver))
		return 3;
	first_from = from_break(start, first);
	zero_from = from_break(start, zero);
	free(first);
	free(zero);
	big = realloc(malloc(50000), 100000);
	printf("%d %d %d %d\n", first_from, zero_from, from_break(start, big),
	       found == calloc);
	return 0;
}
