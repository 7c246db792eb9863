/* SPDX-License-Identifier: Apache-2.0 */
/* What a checked memcpy costs beside one that is not: the same library twice, of which one is chosen. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "times.h"

typedef void copy_fn(void *to, const void *from, size_t size, long times);

enum { ROUNDS = 11 };

static copy_fn *load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	copy_fn *copy = library ? (copy_fn *)dlsym(library, "bench_copy") : NULL;

	if (!copy)
		exit(1);
	return copy;
}

static double once(copy_fn *copy, char *to, const char *from, size_t size, long times)
{
	double start = now();

	copy(to, from, size, times);
	return (now() - start) / (double)times;
}

static void measure(copy_fn *const copies[2], const char *where, char *to, const char *from,
		    size_t size)
{
	long times = size > 65536 ? 400 : 40000;
	double values[2][ROUNDS], ns[2];

	for (int i = 0; i < ROUNDS; i++)
		for (int which = 0; which < 2; which++)
			values[which][i] = once(copies[which], to, from, size, times);
	for (int which = 0; which < 2; which++)
		ns[which] = median(values[which], ROUNDS);
	printf("{\"measure\":\"dbgmem: memcpy of %zu bytes, %s\",\"plain_ns\":%.1f,\"checked_ns\":%.1f,"
	       "\"ratio\":%.2f,\"ratio_at_most\":0}\n", size, where, ns[0], ns[1], ns[1] / ns[0]);
}

int main(int argc, char **argv)
{
	enum { MOST = 1 << 20 };
	static const size_t sizes[] = { 16, 4096, MOST };
	copy_fn *copies[2];
	char *heap = malloc(2 * MOST), near[32];

	if (argc != 3 || !heap)
		return 1;
	for (int i = 0; i < 2; i++)
		copies[i] = load(argv[1 + i]);
	memset(heap, 1, 2 * MOST);
	memset(near, 1, sizeof(near));
	measure(copies, "on the stack", near, near + 16, 16);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		measure(copies, "elsewhere", heap, heap + MOST, sizes[i]);
	return 0;
}
