/* SPDX-License-Identifier: Apache-2.0 */
/* A program not linked to the driver; the argument says how it finds its functions. */
#include <dlfcn.h>
#include <link.h>

#include "t/routes/checks.h"
#include "t/routes/library.h"

static int (*calls_of)(const char *name);

static void *open_or_end(const char *name, int mode)
{
	void *handle = dlopen(name, mode);

	if (!handle)
		bail_out("%s", dlerror());
	return handle;
}

static void start(void *driver)
{
	calls_of = (int (*)(const char *))dlsym(driver, "cuaudit_fake_calls");
	if (!calls_of)
		bail_out("%s", dlerror());
	observe_start(driver);
}

/* found is cuInit, looked up `times` times. */
static void use(void *found, int times)
{
	int (*init)(unsigned int) = (int (*)(unsigned int))found;

	if (!ok(init, "cuInit is there"))
		return;
	is_int(init(1), 1, "a call, and its answer");
	is_int(calls_of("cuInit"), 1, "it arrived");
	seen("cuInit", 1, NULL);
	bound_by("cuInit", CUAUDIT_ROUTE_DLSYM, times);
}

static void by_handle(void)
{
	void *driver = open_or_end("libcuda.so.1", RTLD_LAZY);
	int (*ask)(const char *, void **, int, unsigned long long, int *);
	void *init, *answer = NULL;

	start(driver);
	init = dlsym(driver, "cuInit");
	is_ptr(dlsym(driver, "cuInit"), init, "the same twice");
	use(init, 2);
	ask = (int (*)(const char *, void **, int, unsigned long long, int *))
		dlsym(driver, "cuGetProcAddress_v2");
	is_int(ask("cuInit", &answer, 13000, 0, NULL), 0, "cuGetProcAddress_v2");
	is_ptr(answer, init, "has the same address");
	ok(!dlsym(driver, "cuNoSuchThing"), "an unknown name");
	ok(dlerror(), "is an error");
}

static void by_version(void)
{
	void *driver = open_or_end("libcuda.so.1", RTLD_LAZY);

	start(driver);
	ok(!dlvsym(driver, "cuInit", "FAKE_9"), "an unknown version is an error");
	use(dlvsym(driver, "cuInit", "FAKE_1"), 1);
	is_ptr(dlsym(driver, "cuInit"), dlvsym(driver, "cuInit", "FAKE_1"),
	       "dlvsym and dlsym agree");
}

static void by_default(void)
{
	start(open_or_end("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL));
	use(dlsym(RTLD_DEFAULT, "cuInit"), 1);
}

static void by_next(void)
{
	start(open_or_end("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL));
	use(dlsym(RTLD_NEXT, "cuInit"), 1);
}

static void by_program_handle(void)
{
	start(open_or_end("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL));
	use(dlsym(open_or_end(NULL, RTLD_LAZY), "cuInit"), 1);
}

/* A library linked to the driver, loaded late; mode as dlopen's. */
static void by_library(int mode)
{
	void *library = open_or_end("libcaller.so", mode), *driver;
	int (*init)(void) = (int (*)(void))dlsym(library, "library_init");
	int (*table)(void) = (int (*)(void))dlsym(library, "library_by_table");
	library_query_fn (*address)(void) =
		(library_query_fn (*)(void))dlsym(library, "library_address");

	driver = open_or_end("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY);
	start(driver);
	is_int(init(), 0, "the library calls by PLT");
	is_int(calls_of("cuInit"), 1, "it arrived");
	seen("cuInit", 1, "libcaller.so");
	bound_by("cuInit", CUAUDIT_ROUTE_PLT, observe_told(CUAUDIT_ROUTE_PLT, mode & RTLD_NOW));
	is_int(table(), 0, "and by its table");
	is_int(calls_of("cuCtxGetCurrent"), 1, "it arrived");
	seen("cuCtxGetCurrent", 1, "libcaller.so");
	bound_by("cuCtxGetCurrent", CUAUDIT_ROUTE_RELOCATION, 1);
	is_ptr((void *)address(), dlsym(driver, "cuStreamQuery"), "its address is dlsym's");
	if (observe_routed())
		is_int((long long)observe_bound("cuStreamQuery", CUAUDIT_ROUTE_RELOCATION),
		       observe_told(CUAUDIT_ROUTE_RELOCATION, true), "which was relocated");
}

/* In a namespace of its own, with a driver of its own. */
static void by_namespace(void)
{
	void *library, *driver = open_or_end("libcuda.so.1", RTLD_LAZY);
	int (*init)(void), (*calls_there)(const char *);

	start(driver);
	library = dlmopen(LM_ID_NEWLM, "libcaller.so", RTLD_NOW);
	if (!library)
		bail_out("%s", dlerror());
	init = (int (*)(void))dlsym(library, "library_init");
	calls_there = (int (*)(const char *))dlsym(library, "cuaudit_fake_calls");
	is_int(init(), 0, "a call there");
	is_int(calls_there("cuInit"), 1, "arrived in the driver of the namespace");
	is_int(calls_of("cuInit"), 0, "not in the program's");
	ok(dlsym(library, "cuInit") != dlsym(driver, "cuInit"), "they have addresses of their own");
	seen("cuInit", 1, "libcaller.so");
	if (observe_routed())
		is_int(observe_enters_in(1, "cuInit"), 1, "counted for that copy");
}

/* The first driver call of the process comes out of another namespace. */
static void first_in_namespace(void)
{
	void *library = dlmopen(LM_ID_NEWLM, "libcaller.so", RTLD_LAZY);
	int (*init)(void);

	if (!library)
		bail_out("%s", dlerror());
	init = (int (*)(void))dlsym(library, "library_init");
	calls_of = (int (*)(const char *))dlsym(library, "cuaudit_fake_calls");
	is_int(init(), 0, "a call");
	is_int(calls_of("cuInit"), 1, "arrived");
	is_int(observe_loaded(), observe_routed(), "the core is in the program's namespace");
	observe_attach();
	init();
	seen("cuInit", 1, "libcaller.so");
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (!strcmp(mode, "dlsym"))
		by_handle();
	else if (!strcmp(mode, "dlvsym"))
		by_version();
	else if (!strcmp(mode, "default"))
		by_default();
	else if (!strcmp(mode, "next"))
		by_next();
	else if (!strcmp(mode, "program"))
		by_program_handle();
	else if (!strcmp(mode, "lazy"))
		by_library(RTLD_LAZY);
	else if (!strcmp(mode, "now"))
		by_library(RTLD_NOW);
	else if (!strcmp(mode, "global"))
		by_library(RTLD_NOW | RTLD_GLOBAL);
	else if (!strcmp(mode, "deepbind"))
		by_library(RTLD_NOW | RTLD_DEEPBIND);
	else if (!strcmp(mode, "dlmopen"))
		by_namespace();
	else if (!strcmp(mode, "dlmopen-first"))
		first_in_namespace();
	return done_testing();
}
