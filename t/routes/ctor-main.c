/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The first call comes from a library's constructor: "linked", "opened", or
 * "contended" by another thread's while the loader's lock is held.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "t/routes/checks.h"

static pthread_barrier_t barrier;
static int (*init)(unsigned int);

static void wait_for_other(void)
{
	pthread_barrier_wait(&barrier);
}

static void *other(void *data)
{
	(void)data;
	pthread_barrier_wait(&barrier);
	return (void *)(long)init(0);
}

/* Where libctor.so looks for it, if it is loaded late. */
void (*ctor_waits)(void);

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	bool contended = !strcmp(mode, "contended"), linked = !strcmp(mode, "linked");
	int (*calls_of)(const char *), *result;
	void *library, *driver, *answer = (void *)1;
	pthread_t thread;

	if (contended) {
		driver = dlopen("libcuda.so.1", RTLD_NOW);
		init = (int (*)(unsigned int))dlsym(driver, "cuInit");
		pthread_barrier_init(&barrier, NULL, 2);
		ctor_waits = wait_for_other;
		pthread_create(&thread, NULL, other, NULL);
	}
	library = dlopen("libctor.so", linked ? RTLD_NOLOAD | RTLD_LAZY : RTLD_LAZY);
	if (!library)
		bail_out("%s", dlerror());
	if (contended) {
		pthread_join(thread, &answer);
		is_ptr(answer, NULL, "the other thread's call");
	}
	result = dlsym(library, "ctor_result");
	calls_of = (int (*)(const char *))dlsym(library, "cuaudit_fake_calls");
	init = (int (*)(unsigned int))dlsym(library, "cuInit");
	is_int(*result, 1, "the constructor's call");
	is_int(calls_of("cuInit"), 1 + contended, "arrived");
	is_int(observe_loaded(), observe_routed(), "the core is there");
	observe_attach();
	is_int(init(0), 0, "main's call");
	seen("cuInit", 1, NULL);
	if (!linked && !contended) {
		driver = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY);
		dlclose(library);
		is_int(calls_of("cuInit"), 3, "the destructor's call arrived");
		if (observe_routed())
			is_int(observe_enters("cuInit"), 2, "and was seen");
	}
	return done_testing();
}
