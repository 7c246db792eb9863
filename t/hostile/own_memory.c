/* SPDX-License-Identifier: Apache-2.0 */
/*
 * own_memory mmap|malloc: a program with an mmap of its own, which registers what it maps with the driver, and a malloc
 * of its own, which asks the driver for its version; threads that call the driver, whose values for more keys than lie
 * in a thread are from that malloc.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 10, CALLS = 10, KEYS = 40 };

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);

static struct {
	int (*get_version)(int *version);
	int (*init)(unsigned int flags);
	int (*create)(void **context, unsigned int flags, int device);
	int (*set)(void *context);
	int (*allocate)(uint64_t *at, size_t size);
	int (*release)(uint64_t at);
	int (*register_host)(void *at, size_t size, unsigned int flags);
} driver;
static bool own_malloc, own_mmap;
static __thread bool inside;
static void *context;

void *mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	void *mapped = (void *)syscall(SYS_mmap, at, size, protection, flags, fd, offset);

	if (own_mmap && !inside && mapped != MAP_FAILED && protection & PROT_WRITE) {
		inside = true;
		driver.register_host(mapped, size, 0);
		inside = false;
	}
	return mapped;
}

static void ask(void)
{
	int version;

	if (!own_malloc || inside)
		return;
	inside = true;
	driver.get_version(&version);
	inside = false;
}

void *malloc(size_t size)
{
	ask();
	return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	ask();
	return __libc_calloc(count, size);
}

static void *work(void *unused)
{
	uint64_t at;

	(void)unused;
	/* What the simulated driver maps is registered, too, which it refuses then. */
	driver.set(context);
	for (int i = 0; i < CALLS; i++)
		if (!driver.allocate(&at, 100))
			driver.release(at);
	return NULL;
}

int main(int argc, char **argv)
{
	bool is_malloc = argc > 1 && !strcmp(argv[1], "malloc");
	pthread_t threads[THREADS];
	pthread_key_t key;
	void *library;

	for (int i = 0; i < KEYS && is_malloc; i++)
		if (pthread_key_create(&key, NULL))
			return 1;
	library = dlopen("libcuda.so.1", RTLD_NOW);
	if (!library)
		return 1;
	*(void **)&driver.get_version = dlsym(library, "cuDriverGetVersion");
	*(void **)&driver.init = dlsym(library, "cuInit");
	*(void **)&driver.create = dlsym(library, "cuCtxCreate_v2");
	*(void **)&driver.set = dlsym(library, "cuCtxSetCurrent");
	*(void **)&driver.allocate = dlsym(library, "cuMemAlloc_v2");
	*(void **)&driver.release = dlsym(library, "cuMemFree_v2");
	*(void **)&driver.register_host = dlsym(library, "cuMemHostRegister_v2");
	if (driver.init(0) || driver.create(&context, 0, 0))
		return 1;
	own_malloc = is_malloc;
	own_mmap = !is_malloc;
	for (int i = 0; i < ROUNDS; i++) {
		for (int j = 0; j < THREADS; j++)
			if (pthread_create(&threads[j], NULL, work, NULL))
				return 1;
		for (int j = 0; j < THREADS; j++)
			pthread_join(threads[j], NULL);
	}
	return 7;
}
