/* SPDX-License-Identifier: Apache-2.0 */
/* An allocator, of an executable or preloaded, that says at the end whether cuaudit-core.so was served. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { SIZE = 256 << 20, HEAD = 16, CALLERS = 1 << 16 };

static char memory[SIZE] __attribute__((aligned(HEAD)));
static _Atomic size_t used, ncallers;
static void *callers[CALLERS];

static void *take(size_t size, void *caller)
{
	size_t whole = HEAD + ((size + HEAD - 1) & ~(size_t)(HEAD - 1)), at = atomic_fetch_add(&used, whole);
	size_t number = atomic_fetch_add(&ncallers, 1);

	if (at > SIZE - whole)
		return NULL;
	if (number < CALLERS)
		callers[number] = caller;
	*(size_t *)(memory + at) = size;
	return memory + at + HEAD;
}

void *malloc(size_t size)
{
	return take(size, __builtin_return_address(0));
}

void *calloc(size_t count, size_t size)
{
	return take(count * size, __builtin_return_address(0));
}

void *realloc(void *old, size_t size)
{
	void *block = take(size, __builtin_return_address(0));
	size_t before = old ? *(size_t *)((char *)old - HEAD) : 0;

	return old && block ? memcpy(block, old, before < size ? before : size) : block;
}

/* What is none of ours the C library has allocated. */
void free(void *block)
{
	static const char text[] = "freed\n";

	if (block && ((char *)block < memory || (char *)block >= memory + SIZE) &&
	    write(2, text, sizeof(text) - 1) < 0)
		_exit(65);
}

static void __attribute__((destructor)) report(void)
{
	static const char text[] = "served\n";

	for (size_t i = 0; i < ncallers && i < CALLERS; i++) {
		Dl_info info;

		if (callers[i] && dladdr(callers[i], &info) && strstr(info.dli_fname, "/cuaudit-core.so") &&
		    write(2, text, sizeof(text) - 1) > 0)
			return;
	}
}
