/* SPDX-License-Identifier: Apache-2.0 */
/* Drivers that come, go and come twice. Arguments: how, and paths of drivers. */
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include "t/routes/checks.h"

typedef int (*init_fn)(unsigned int);
typedef int (*calls_fn)(const char *);

static void *open_or_end(const char *name)
{
	void *handle = dlopen(name, RTLD_NOW);

	if (!handle)
		bail_out("%s", dlerror());
	return handle;
}

static init_fn init_of(void *driver)
{
	return (init_fn)dlsym(driver, "cuInit");
}

static int calls_of(void *driver, const char *function)
{
	return ((calls_fn)dlsym(driver, "cuaudit_fake_calls"))(function);
}

static int calls_in(void *driver)
{
	return calls_of(driver, "cuInit");
}

static void by_path(const char *path)
{
	void *driver = open_or_end(path);
	void *same = open_or_end("libcuda.so.1");
	init_fn init;

	observe_start(driver);
	init = init_of(driver);
	is_int(init(0), 0, "a call");
	is_int(calls_in(driver), 1, "arrived");
	seen("cuInit", 1, NULL);
	bound_by("cuInit", CUAUDIT_ROUTE_DLSYM, 1);
	is_ptr((void *)init_of(same), (void *)init, "the name is the same driver");
}

static void *answer_of(void *driver, const char *name)
{
	int (*ask)(const char *, void **, int, unsigned long long, int *) =
		(int (*)(const char *, void **, int, unsigned long long, int *))
			dlsym(driver, "cuGetProcAddress_v2");
	void *answer = NULL;

	is_int(ask(name, &answer, 13000, 0, NULL), 0, "a look-up");
	return answer;
}

static void two_copies(const char *a, const char *b)
{
	void *first = open_or_end(a), *second = open_or_end(b);
	init_fn one, two;

	observe_start(first);
	one = init_of(first);
	two = init_of(second);
	ok(one != two, "two addresses");
	is_int(one(0) + one(0) + two(1), 1, "calls of each");
	is_int(calls_in(first), 2, "calls in the first");
	is_int(calls_in(second), 1, "calls in the second");
	is_ptr(answer_of(first, "cuInit"), (void *)one, "the first one's first function");
	is_ptr(answer_of(second, "cuInit"), (void *)two, "the second's");
	if (observe_routed()) {
		is_int(observe_enters_in(0, "cuInit"), 2, "counted for the first");
		is_int(observe_enters_in(1, "cuInit"), 1, "counted for the second");
		is_int(calls_of(first, "cuDriverGetVersion"), 1 + 1, "the first's version, asked once");
		is_int(calls_of(second, "cuDriverGetVersion"), 1, "the second's");
	}
	seen("cuInit", 3, NULL);
}

struct use {
	long maps, resident;	/* lines of maps, kB */
};

static struct use use(void)
{
	struct use now = { 0, 0 };
	FILE *file = fopen("/proc/self/maps", "r");
	char line[4096];

	while (file && fgets(line, sizeof(line), file))
		now.maps++;
	if (file)
		fclose(file);
	file = fopen("/proc/self/status", "r");
	while (file && fgets(line, sizeof(line), file))
		sscanf(line, "VmRSS: %ld", &now.resident);
	if (file)
		fclose(file);
	return now;
}

/* Opens, calls and closes; keep: a pointer of an earlier round, for intercepted runs. */
static int round_trip(const char *path, init_fn *keep)
{
	void *driver = open_or_end(path);
	init_fn init = init_of(driver);
	int failed = init(0) != 0;

	if (observe_routed() && *keep) {
		failed += *keep != init;
		failed += (*keep)(1) != 1;
	}
	*keep = init;
	failed += calls_in(driver) < 1;
	dlclose(driver);
	return failed;
}

/* Under any auditor glibc keeps 32 bytes for each PLT slot of an object that is closed. */
static void reopened(const char *path)
{
	enum { WARM = 500, ROUNDS = 3000 };
	struct use before, after;
	init_fn keep = NULL;
	int failed = 0;

	for (int i = 0; i < WARM; i++)
		failed += round_trip(path, &keep);
	observe_attach();
	observe_reset();
	before = use();
	for (int i = 0; i < ROUNDS; i++)
		failed += round_trip(path, &keep);
	after = use();
	is_int(failed, 0, "%d rounds, old pointers lead to the new driver", ROUNDS);
	ok(after.maps <= before.maps + 2, "no mappings were left: %ld, then %ld", before.maps,
	   after.maps);
	ok(after.resident <= before.resident + 1024, "memory is flat: %ld kB, then %ld",
	   before.resident, after.resident);
	seen("cuInit", 2 * ROUNDS, NULL);
}

static void moved(const char *path)
{
	void *driver = open_or_end(path), *place;
	struct link_map *map;
	init_fn init, again;
	uintptr_t base;

	observe_start(driver);
	init = init_of(driver);
	init(0);
	dlinfo(driver, RTLD_DI_LINKMAP, &map);
	base = map->l_addr;
	dlclose(driver);
	place = mmap((void *)base, 4096, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	is_ptr(place, (void *)base, "something else lies where the driver was");
	driver = open_or_end(path);
	dlinfo(driver, RTLD_DI_LINKMAP, &map);
	ok(map->l_addr != base, "the driver is elsewhere");
	again = init_of(driver);
	is_int(again(0), 0, "a call");
	is_int(calls_in(driver), 1, "arrived");
	if (observe_routed()) {
		ok(again == init, "by the same pointer");
		is_int(init(0), 0, "the old pointer works");
	}
	seen("cuInit", 3, NULL);
}

static void to_itself(const char *path)
{
	void *driver = open_or_end(path);
	void *(*look_up)(const char *) = (void *(*)(const char *))dlsym(driver,
									  "cuaudit_fake_dlsym");
	void *(*own)(const char *) = (void *(*)(const char *))dlsym(driver,
								      "cuaudit_fake_address");

	observe_start(driver);
	is_int(((int (*)(void))dlsym(driver, "cuNewSelf"))(), 0, "a call that calls another");
	is_int(calls_in(driver), 1, "which arrived");
	seen("cuNewSelf", 1, NULL);
	if (observe_routed())
		is_int(observe_enters("cuInit"), 0, "and is the driver's own affair");
	is_ptr(look_up("cuInit"), own("cuInit"), "its dlsym has its own address");
}

/* A library of the driver's own, linked to it, and asking it. */
static void companion(const char *path)
{
	void *driver = open_or_end(path), *library = open_or_end("libnvidia-ptxjitcompiler.so.1");
	void *(*own)(const char *) = (void *(*)(const char *))dlsym(driver,
								      "cuaudit_fake_address");
	void *(*ask)(void *) = (void *(*)(void *))dlsym(library, "asker_by_dlsym");
	int (*call)(void) = (int (*)(void))dlsym(library, "library_init");
	uint64_t before;

	observe_start(driver);
	is_ptr(ask(driver), own("cuInit"), "its dlsym has the driver's own address");
	is_int(call(), 0, "it calls");
	is_int(calls_in(driver), 1, "the driver");
	if (!observe_routed())
		return;
	is_int(observe_enters("cuInit"), 0, "and that is not intercepted");
	init_of(driver)(0);
	before = observe_correlation();
	call();
	init_of(driver)(0);
	is_int(observe_enters("cuInit"), 2, "the program's own are");
	is_int((long long)(observe_correlation() - before), 1, "the library's takes no number");
}

/* A loader of the driver answers look-ups with functions of the copy that it has loaded. */
static void answers_of(const char *path, const char *other)
{
	void *loader = open_or_end(path), *driver = open_or_end(other), *answer;
	const struct cuaudit_escape *(*escape)(uint32_t);

	observe_start(loader);
	answer = answer_of(loader, "cuInit");
	is_ptr(answer, (void *)init_of(driver), "answers the other copy's function");
	is_int(((init_fn)answer)(0), 0, "a call");
	is_int(calls_in(driver), 1, "arrived there");
	if (!observe_routed())
		return;
	is_int(observe_enters_in(1, "cuInit"), 1, "and was seen");
	is_int((long long)observe_bound("cuInit", CUAUDIT_ROUTE_PROCADDR), 1, "by the look-up");
	escape = (const struct cuaudit_escape *(*)(uint32_t))observe_core("cuaudit_escape_get");
	ok(!escape(0), "nothing escaped");
}

static void chosen(const char *name, const char *path)
{
	void *driver = open_or_end(name);
	struct link_map *map;
	init_fn init = init_of(driver);

	observe_start(driver);
	dlinfo(driver, RTLD_DI_LINKMAP, &map);
	is_str(map->l_name, path, "the driver that was loaded");
	is_int(init(0), 0, "a call");
	seen("cuInit", 1, NULL);
}

/*
 * Many copies, or many functions. Without room for all of them the rest is the
 * driver's own.
 */
static void crowd(char **paths, bool room)
{
	const struct cuaudit_driver *(*driver_of)(uint32_t);
	int failed = 0, intercepted = 0, without = 0, copies = 0;

	for (; *paths; paths++, copies++) {
		void *driver = open_or_end(*paths);
		init_fn init, last;

		observe_start(driver);
		init = init_of(driver);
		last = (init_fn)dlsym(driver, "cuLast");
		failed += init(1) != 1 || (last && last(0) != 99);
	}
	is_int(failed, 0, "all of %d copies work", copies);
	if (!observe_routed())
		return;
	driver_of = (const struct cuaudit_driver *(*)(uint32_t))observe_core("cuaudit_driver_get");
	for (uint32_t i = 0; driver_of(i); i++) {
		intercepted++;
		without += (int)driver_of(i)->without_slot;
	}
	diag("%d copies are intercepted, %d functions of them are not", intercepted, without);
	if (room)
		is_int(intercepted * !without, copies, "all are intercepted");
	else
		ok(intercepted < copies || without, "not all are intercepted, and that is known");
	if (without)
		ok(observe_enters("cuInit") >= 1, "calls of the first copy were seen");
	else
		is_int(observe_enters("cuInit"), intercepted, "calls of the intercepted ones were seen");
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";

	if (!strcmp(how, "path"))
		by_path(argv[2]);
	else if (!strcmp(how, "two"))
		two_copies(argv[2], argv[3]);
	else if (!strcmp(how, "answers"))
		answers_of(argv[2], argv[3]);
	else if (!strcmp(how, "reopened"))
		reopened(argv[2]);
	else if (!strcmp(how, "moved"))
		moved(argv[2]);
	else if (!strcmp(how, "self"))
		to_itself(argv[2]);
	else if (!strcmp(how, "companion"))
		companion(argv[2]);
	else if (!strcmp(how, "crowd"))
		crowd(argv + 2, false);
	else if (!strcmp(how, "room"))
		crowd(argv + 2, true);
	else if (!strcmp(how, "chosen"))
		chosen(argv[2], argv[3]);
	return done_testing();
}
