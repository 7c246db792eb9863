/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A preload that overrides dlsym, as limiters of GPU memory do: functions it
 * has by its own name, all others by the dlsym that dlvsym finds. At the end
 * its count of wrapped calls, if any, goes to the file WRAPPED names.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef void *(*dlsym_fn)(void *, const char *);
typedef int (*alloc_fn)(unsigned long long *pointer, size_t size);
typedef int (*ask_fn)(const char *, void **, int, unsigned long long, int *);

EXPORT int cuMemAlloc_v2(unsigned long long *pointer, size_t size);
EXPORT int cuGetProcAddress_v2(const char *name, void **answer, int version,
			       unsigned long long flags, int *status);

static atomic_int wrapped;

static dlsym_fn real_dlsym(void)
{
	static const char *const versions[] = { "GLIBC_2.2.5", "GLIBC_2.34", "GLIBC_2.17" };
	static dlsym_fn found;

	for (size_t i = 0; !found && i < sizeof(versions) / sizeof(versions[0]); i++)
		found = (dlsym_fn)dlvsym(RTLD_NEXT, "dlsym", versions[i]);
	if (!found)
		abort();
	return found;
}

static void *real(const char *name)
{
	static void *driver;

	if (!driver)
		driver = dlopen("libcuda.so.1", RTLD_LAZY);
	return real_dlsym()(driver, name);
}

static void *ours(const char *name)
{
	if (!strcmp(name, "cuMemAlloc_v2"))
		return (void *)cuMemAlloc_v2;
	if (!strcmp(name, "cuGetProcAddress_v2"))
		return (void *)cuGetProcAddress_v2;
	return NULL;
}

EXPORT void *dlsym(void *handle, const char *name)
{
	void *found = strncmp(name, "cu", 2) ? NULL : ours(name);

	return found ? found : real_dlsym()(handle, name);
}

EXPORT int cuMemAlloc_v2(unsigned long long *pointer, size_t size)
{
	static alloc_fn next;
	int result;

	if (!next)
		next = (alloc_fn)real(__func__);
	wrapped++;
	result = next(pointer, size);
	return result;
}

EXPORT int cuGetProcAddress_v2(const char *name, void **answer, int version,
			       unsigned long long flags, int *status)
{
	int result = ((ask_fn)real(__func__))(name, answer, version, flags, status);

	if (!result && !strcmp(name, "cuMemAlloc") && version >= 3020)
		*answer = (void *)cuMemAlloc_v2;
	return result;
}

static void __attribute__((destructor)) say(void)
{
	const char *path = getenv("WRAPPED");
	FILE *file = path && wrapped ? fopen(path, "w") : NULL;

	if (!file)
		return;
	fprintf(file, "%d\n", wrapped);
	fclose(file);
}
