/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Comes by functions that share a name, and by names that share a function, in
 * every way. With CALLS, the library by whose PLT they are called.
 */
#include <dlfcn.h>

#include "t/routes/checks.h"

typedef int (*function_fn)(unsigned int);

extern int cuInit(unsigned int flags);
extern int cuInitOld(unsigned int flags);
extern int cuNewFirst(unsigned int flags);
extern int cuNewSecond(unsigned int flags);
extern int cuCtxSynchronize(unsigned int flags);
extern int cuANewName(unsigned int flags);
typedef int many_fn(long a, long b, long c, long d, long e, long f, long g, long h, double x);
extern many_fn cuAMany, cuZMany;
extern many_fn cuCtxGetDevice, cuArray3DCreate_v2, cuCtxGetId, cuStreamSynchronize;
extern int twins_versions(void);
extern int twins_names(void);
extern int cuGetProcAddress_v2(const char *name, void **answer, int version, unsigned long flags,
			       int *status);

__asm__(".symver cuInitOld, cuInit@V1");
__asm__(".symver cuInit, cuInit@V2");

#ifdef CALLS
int twins_versions(void)
{
	return cuInit(2) + cuInitOld(3) + cuInit(4) + cuInitOld(5);
}

int twins_names(void)
{
	return cuNewFirst(1) + cuNewSecond(2);
}
#else
static function_fn const volatile addresses[] = {
	cuInit, cuInitOld, cuNewFirst, cuNewSecond, cuCtxSynchronize, cuANewName,
};

static many_fn *const volatile known[] = {
	cuCtxGetDevice, cuArray3DCreate_v2, cuCtxGetId, cuStreamSynchronize,
};

static function_fn asked(const char *name)
{
	void *answer = NULL;

	cuGetProcAddress_v2(name, &answer, 13000, 0, NULL);
	return (function_fn)answer;
}

static void *driver;

/* All ways lead to one address, and there to the function of that result. */
static function_fn one(const char *name, int way, int want)
{
	function_fn function = (function_fn)dlsym(driver, name);

	is_ptr((void *)function, (void *)addresses[way], "%s: dlsym and a table", name);
	is_ptr((void *)asked(name), (void *)function, "%s: cuGetProcAddress", name);
	is_int(function(7), want + 7, "%s: called", name);
	return function;
}

static int entered;

static int enter(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
	entered++;
	return CUAUDIT_CONTINUE;
}

/* A hook that sees the beginning of a call alone. */
static void without_exit(void)
{
	static const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "enter", .enter = enter,
		.functions = "cuCtxGetFlags,cuCtxGetCacheConfig",
	};
	int (*add)(const struct cuaudit_hook *);
	void *core;
	int version;

	((int (*)(int *))dlsym(driver, "cuDriverGetVersion"))(&version);
	core = dlopen("cuaudit-core.so", RTLD_NOLOAD | RTLD_LAZY);
	add = core ? (int (*)(const struct cuaudit_hook *))dlsym(core, "cuaudit_hook_add") : NULL;
	ok(!add == !observe_routed() && (!add || !add(&hook)), "a hook without an exit");
	is_int(cuAMany(1, 2, 3, 4, 5, 6, 7, 8, 9), 600, "two names of several prototypes");
	is_int(cuZMany(1, 2, 3, 4, 5, 6, 7, 8, 9), 600, "the other way round");
	is_int(entered, observe_routed() ? 2 : 0, "the hook saw them");
}

int main(int argc, char **argv)
{
	function_fn new_one, old_one;

	driver = dlopen("libcuda.so.1", RTLD_NOW);
	if (argc > 1 && !strcmp(argv[1], "alone")) {
		for (int i = 0; i < 2; i++) {
			is_int(cuAMany(1, 2, 3, 4, 5, 6, 7, 8, 9), 600, "a name with more parameters");
			is_int(cuZMany(1, 2, 3, 4, 5, 6, 7, 8, 9), 600, "another");
		}
		return done_testing();
	}
	if (argc > 1 && !strcmp(argv[1], "enter")) {
		without_exit();
		return done_testing();
	}
	observe_start(driver);
	new_one = one("cuInit", 0, 200);
	old_one = (function_fn)dlvsym(driver, "cuInit", "V1");
	is_ptr((void *)old_one, (void *)addresses[1], "the older version: dlvsym and a table");
	is_ptr(dlvsym(driver, "cuInit", "V2"), (void *)new_one, "the newer one by its version");
	ok(old_one != new_one, "two versions are two functions");
	is_int(old_one(1), 101, "the older one, called");
	is_int(twins_versions(), 614, "both, called by a PLT");
	is_ptr((void *)one("cuNewFirst", 2, 300), (void *)one("cuNewSecond", 3, 300),
	       "two names are one function");
	is_ptr((void *)one("cuCtxSynchronize", 4, 400), (void *)one("cuANewName", 5, 400),
	       "also where one is known");
	is_int(twins_names(), 603, "called by a PLT");
	is_int(cuAMany(1, 2, 3, 4, 5, 6, 7, 8, 9), 600, "a name with more parameters, before a known one");
	is_int(cuZMany(1, 2, 3, 4, 5, 6, 7, 8, 9), 600, "and behind one");
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		is_int(known[i](1, 2, 3, 4, 5, 6, 7, 8, 9), 600, "known names of two prototypes, %zu", i);
	if (observe_routed()) {
		is_int(observe_enters("cuCtxGetCacheConfig"), 1, "calls of it have the known name");
		is_int(observe_enters("cuCtxGetFlags"), 1, "in both");
		is_int(observe_enters("cuInit"), 3, "calls of the newer version");
		is_int(observe_enters("cuInit@V1"), 3, "of the older one");
		is_int(observe_enters("cuNewFirst") + observe_enters("cuNewSecond") +
		       observe_enters("cuNewThird"), 4, "of one function with three names");
		is_int(observe_enters("cuCtxSynchronize"), 2, "of the known name");
		is_int(observe_enters("cuANewName"), 0, "which is the name of both");
	}
	return done_testing();
}
#endif
