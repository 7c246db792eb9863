/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls a driver step by step, and after each instruction looks at the trace
 * as who kills the process there would leave it: its file, and the number of
 * calls that it has to have then. Arguments: the file, and "same" or "other":
 * whether each call has the arguments of the one before.
 */
#include <cuaudit/trace.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CALLS = 4, ROOM = 64 << 20 };

static const char *file;
static int descriptor;
static volatile unsigned int steps, records, damaged, shrunk, jumped;
static unsigned int before;	/* records, when the steps begin ... */
static const uint64_t *last;	/* ... and the last of them, which the others are like */
static bool others;		/* but for their arguments */

static size_t size_of(unsigned int number)
{
	return (size_t)4096 << number % 2;
}

/* But for times and correlation; a call step by step takes some time. */
static bool alike(const uint64_t *a, unsigned int number)
{
	uint64_t size;

	if ((uint16_t)a[0] != (uint16_t)last[0] || !(uint32_t)a[1])
		return false;
	if (a[0] >> 8 & CUAUDIT_TRACE_AGAIN)
		return a - (a[1] >> 32) == last - (last[1] >> 32);
	if (a[1] >> 32 != last[1] >> 32)
		return false;
	if (!others || !(a[0] >> 8 & CUAUDIT_TRACE_WITH_ARGUMENTS))
		return !memcmp(a + 2, last + 2, ((a[0] & 255) - 2) * sizeof(*a));
	/* Behind the mask. */
	memcpy(&size, (const char *)(a + 2) + 2, sizeof(size));
	return size == size_of(number);
}

/* Records up to the word that ends each chunk; -1: one is none, or is not like the last. */
static int count(void)
{
	struct stat status;
	int found = 0;

	if (fstat(descriptor, &status))
		return -1;

	for (uint64_t i = 1; (i + 1) * CUAUDIT_TRACE_CHUNK <= (uint64_t)status.st_size; i++) {
		const struct cuaudit_trace_chunk *chunk =
			(const void *)(file + i * CUAUDIT_TRACE_CHUNK);
		const uint64_t *at = (const uint64_t *)(chunk + 1);
		const uint64_t *end = (const uint64_t *)((const char *)chunk + CUAUDIT_TRACE_CHUNK);

		if (chunk->kind != CUAUDIT_TRACE_CALLS)
			continue;
		for (; at < end && *at; at += *at & 255, found++) {
			if ((*at & 255) < 2 || (*at & 255) > (uint64_t)(end - at))
				return -1;
			if (!steps)
				last = at;
			if (steps && (unsigned int)found >= before &&
			    !alike(at, (unsigned int)found - before))
				return -1;
		}
	}
	return found;
}

static void stepped(int number)
{
	int now = count();

	(void)number;
	steps++;
	if (now < 0) {
		damaged++;
		return;
	}
	shrunk += (unsigned int)now < records;
	jumped += (unsigned int)now > records + 1;
	records = (unsigned int)now;
}

static void step(int on)
{
#ifdef __x86_64__
	unsigned long flags = __builtin_ia32_readeflags_u64();

	__builtin_ia32_writeeflags_u64(on ? flags | 0x100 : flags & ~0x100ul);
#else
	(void)on;
#endif
}

/* From one place, known after the first: with signals blocked there are no steps. */
static __attribute__((noinline)) int call(int (*version)(int *))
{
	int unused, failed = version(&unused);

	return failed;
}

static __attribute__((noinline)) int take(int (*alloc)(void **, size_t), unsigned int number)
{
	void *unused;
	int failed = alloc(&unused, size_of(number));

	return failed;
}

static int begin(void *driver)
{
	int (*init)(unsigned int) = (int (*)(unsigned int))dlsym(driver, "cuInit");
	int (*retain)(void **, int) = (int (*)(void **, int))dlsym(driver, "cuDevicePrimaryCtxRetain");
	int (*set)(void *) = (int (*)(void *))dlsym(driver, "cuCtxSetCurrent");
	void *context;

	return init(0) || retain(&context, 0) || set(context);
}

int main(int argc, char **argv)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW);
	int (*version)(int *) = driver ? (int (*)(int *))dlsym(driver, "cuDriverGetVersion") : NULL;
	int (*alloc)(void **, size_t) =
		driver ? (int (*)(void **, size_t))dlsym(driver, "cuMemAlloc_v2") : NULL;
	struct sigaction action = { .sa_handler = stepped };
	void *mapped;

	if (argc < 3 || !version || !alloc)
		return 2;
	others = !strcmp(argv[2], "other");
	if (others && begin(driver))
		return 2;
	for (unsigned int i = 0; i < CALLS; i++)
		if (others ? take(alloc, i) : call(version))
			return 2;
	descriptor = open(argv[1], O_RDONLY);
	mapped = mmap(NULL, ROOM, PROT_READ, MAP_SHARED, descriptor, 0);
	if (descriptor < 0 || mapped == MAP_FAILED)
		return 3;
	file = mapped;
	before = records = (unsigned int)count();
	sigaction(SIGTRAP, &action, NULL);
	for (unsigned int i = 0; i < CALLS; i++) {
		step(1);
		others ? take(alloc, i) : call(version);
		step(0);
	}
	printf("%u steps, %u records, %u times damaged, %u less, %u more than one\n",
	       steps, records - before, damaged, shrunk, jumped);
	return 0;
}
