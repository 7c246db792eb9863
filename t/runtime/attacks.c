/* SPDX-License-Identifier: Apache-2.0 */
/* Comes by functions of two versions of a runtime in odd ways, a mode each, and says how many calls it made. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

typedef int (*device_fn)(int *device);

enum { EACH = 10, RELOADS = 100, THREADS = 8 };

static _Atomic int calls, wrong;
static const char *paths[3];	/* of 12, of 13, of who calls 13 */

static void *load(int which, int flags)
{
	void *handle = dlopen(paths[which], flags);

	if (!handle)
		fprintf(stderr, "%s\n", dlerror());
	wrong += !handle;
	return handle;
}

static void call(void *function, int version, int times)
{
	int device = -1;

	wrong += !function;
	for (int i = 0; function && i < times; i++, calls++)
		wrong += ((device_fn)function)(&device) || device != version;
}

static void two(int flags)
{
	void *a = load(0, flags), *b = load(1, flags);

	call(dlsym(a, "cudaGetDevice"), 12, EACH);
	call(dlsym(b, "cudaGetDevice"), 13, EACH);
	if (flags & RTLD_GLOBAL)
		call(dlsym(RTLD_DEFAULT, "cudaGetDevice"), 12, EACH);
}

static void versions(void)
{
	void *handle = load(0, RTLD_LAZY);

	call(dlvsym(handle, "cudaGetDevice", "libcudart.so.12"), 12, EACH);
	wrong += dlvsym(handle, "cudaGetDevice", "libcudart.so.13") != NULL;
}

/* Its constructor makes a call. */
static void user(int flags)
{
	void *handle = load(2, flags);
	int (*function)(void) = (int (*)(void))dlsym(handle, "user_call");

	calls++;
	for (int i = 0; i < EACH; i++, calls++)
		wrong += function() != 13;
	dlclose(handle);
}

static void *reload(void *data)
{
	for (int i = 0; i < RELOADS; i++) {
		void *handle = load(i % 2, RTLD_LAZY);

		call(dlsym(handle, "cudaGetDevice"), i % 2 ? 13 : 12, 1);
		dlclose(handle);
	}
	return data;
}

static void threads(void)
{
	pthread_t all[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&all[i], NULL, reload, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(all[i], NULL);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 4 ? argv[1] : "";

	for (int i = 0; i < 3 && argc > 4; i++)
		paths[i] = argv[2 + i];
	if (!strcmp(mode, "two"))
		two(RTLD_LAZY);
	else if (!strcmp(mode, "global"))
		two(RTLD_LAZY | RTLD_GLOBAL);
	else if (!strcmp(mode, "deepbind"))
		user(RTLD_LAZY | RTLD_DEEPBIND);
	else if (!strcmp(mode, "constructor"))
		user(RTLD_LAZY);
	else if (!strcmp(mode, "beside"))
		two(RTLD_LAZY | RTLD_GLOBAL), user(RTLD_LAZY | RTLD_DEEPBIND);
	else if (!strcmp(mode, "versions"))
		versions();
	else if (!strcmp(mode, "reload"))
		reload(NULL);
	else if (!strcmp(mode, "threads"))
		threads();
	printf("%d calls, %d wrong\n", calls, wrong);
	return wrong != 0;
}
