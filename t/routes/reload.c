/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any order of opening and closing drivers, between hooks that come and go: paths whose file
 * is another one the next time, open once in the program's namespace and once in another.
 * After each step every name of every open driver leads to its own function, old pointers to
 * the one that is there now. Arguments: seed, steps, directory of PATH.VARIANT.
 */
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "t/fuzz/chance.h"
#include "t/routes/checks.h"

enum { PATHS = 3, VARIANTS = 6, NAMES = 12, STABLE = 4, COPIES = 2, TEXT = 4096 };

/* As 1500-drivers.t writes variants: the first are in each, and nobody's other name. */
static const char *const names[NAMES] = {
	"cuInit", "cuStreamQuery", "cuNewOne", "cuNewTwo", "cuMemAlloc_v2", "cuCtxGetCurrent",
	"cuNewA", "cuNewB", "cuNewC", "cuNewD", "cuNewE", "cuNewF",
};

typedef int (*function_fn)(void *);

/* What is open of a path; a record of the auditor's is taken by the first that is free. */
static struct copy {
	void *handle;
	const int *values;		/* what each name answers, -1: it is not there */
	const struct copy *record;	/* whose record it has: its place among the path's */
} copies[PATHS][COPIES];

/* By record: the pointers that were handed out for names that are never another's. */
static function_fn kept[PATHS][COPIES][STABLE];
static bool taken[PATHS][COPIES], used[PATHS][COPIES];


static int failed;

static bool good(bool is, int step, const char *what, const char *name)
{
	if (!is && !failed++)
		diag("step %d: %s: %s", step, name, what);
	return is;
}

/* The call that was hooked last. */
static struct cuaudit_function last;
static const struct cuaudit_driver *(*driver_of)(uint32_t);
static int (*attach)(const struct cuaudit_hook *), (*detach)(int);

static int enter(struct cuaudit_call *call, void *data)
{
	(void)data;
	last = *call->function;
	return CUAUDIT_CONTINUE;
}

static int hooked(const char *functions)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "reload", .functions = functions, .enter = enter,
	};

	return attach(&hook);
}

static int value_of(const struct copy *copy, const char *name)
{
	for (int i = 0; i < NAMES; i++)
		if (!strcmp(names[i], name))
			return copy->values[i];
	return -2;
}

static void check(int path, struct copy *copy, const char *file, bool first, int step)
{
	function_fn found[NAMES];
	long record = copy->record - copies[path];

	for (int i = 0; i < NAMES; i++) {
		int value = copy->values[i];
		bool same_driver;

		found[i] = (function_fn)dlsym(copy->handle, names[i]);
		if (!good(!found[i] == (value < 0), step, "is there or not", names[i]) || !found[i])
			continue;
		last.name = NULL;
		good(found[i](NULL) == value, step, "answers", names[i]);
		for (int k = 0; k < i; k++)
			if (found[k])
				good(found[k] == found[i] ? copy->values[k] == value :
				     !first || copy->values[k] != value, step, "addresses", names[i]);
		if (!observe_routed())
			continue;
		if (!good(last.name, step, "is hooked", names[i]))
			continue;
		/* A slot keeps the name it had first, though that may be another function's by now. */
		if (first || i < STABLE)
			good(value_of(copy, last.name) == value, step, "is hooked by its name",
			     names[i]);
		same_driver = !strcmp(driver_of(last.driver)->path, file);
		good(same_driver, step, "is hooked as its driver's", names[i]);
		if (i >= STABLE)
			continue;
		good(!kept[path][record][i] || kept[path][record][i] == found[i], step,
		     "is the pointer it was", names[i]);
		kept[path][record][i] = found[i];
		for (int p = 0; p < PATHS; p++)
			for (int r = 0; r < COPIES; r++)
				good(p == path && r == record ? kept[p][r][i] == found[i] :
				     kept[p][r][i] != found[i], step, "is a driver's own", names[i]);
	}
}

/* Loaders before glibc 2.35 cannot open any beside an auditor: they crash in dlmopen themselves. */
static bool has_namespaces(void)
{
	return strverscmp(gnu_get_libc_version(), "2.35") >= 0;
}

static void open_copy(int path, int which, const char *directory, int step)
{
	struct copy *copy = &copies[path][which];
	char file[TEXT], target[TEXT];
	int record = 0;
	bool first;

	snprintf(file, sizeof(file), "%s/%d.so", directory, path);
	snprintf(target, sizeof(target), "%d.%d", path, (int)chance(VARIANTS));
	/* The file of one that is open stays: it would be the same object's. */
	if (!copies[path][!which].handle && (unlink(file), symlink(target, file)))
		bail_out("cannot link %s", file);
	copy->handle = which ? dlmopen(LM_ID_NEWLM, file, RTLD_NOW) : dlopen(file, RTLD_NOW);
	if (!copy->handle)
		bail_out("%s", dlerror());
	copy->values = (const int *)dlsym(copy->handle, "variant_values");
	while (taken[path][record])
		record++;
	taken[path][record] = true;
	first = !used[path][record];
	used[path][record] = true;
	copy->record = &copies[path][record];
	check(path, copy, file, first, step);
}

static void close_copy(int path, int which)
{
	struct copy *copy = &copies[path][which];

	taken[path][copy->record - copies[path]] = false;
	dlclose(copy->handle);
	copy->handle = NULL;
}

static void step_on(int step, const char *directory)
{
	static int handle;
	int path = (int)chance(PATHS), which = chance(4) == 0 && has_namespaces();
	char file[TEXT];

	if (observe_routed() && chance(4) == 0) {
		static const char *const selectors[] = { "cuNew*", "cuInit", "*", "!cuNewA" };

		if (handle > 0)
			good(!detach(handle), step, "is detached", "a hook");
		handle = handle > 0 ? 0 : hooked(selectors[chance(4)]);
	}
	if (copies[path][which].handle)
		close_copy(path, which);
	else
		open_copy(path, which, directory, step);
	for (int p = 0; p < PATHS; p++) {
		snprintf(file, sizeof(file), "%s/%d.so", directory, p);
		for (int c = 0; c < COPIES; c++)
			if (copies[p][c].handle)
				check(p, &copies[p][c], file, false, step);
	}
}

static atomic_bool stop;

/* Routes are written here while the auditor writes those of another driver. */
static void *come_and_go(void *data)
{
	while (!stop) {
		int handle = hooked("*");

		if (handle > 0)
			detach(handle);
	}
	return data;
}

int main(int argc, char **argv)
{
	int steps = argc > 3 ? atoi(argv[2]) : 0;
	void *keep;
	pthread_t thread;
	bool racing = argc > 4 && observe_routed();

	if (!steps)
		return 2;
	chance_begin(strtoul(argv[1], NULL, 0), 0);
	/* One that stays loads the core. */
	keep = dlopen("libcuda.so.1", RTLD_NOW);
	if (!keep)
		bail_out("%s", dlerror());
	observe_start(keep);
	if (observe_routed()) {
		struct cuaudit_hook hook = { .size = sizeof(hook), .name = "last", .enter = enter };
		int (*add)(const struct cuaudit_hook *) =
			(int (*)(const struct cuaudit_hook *))observe_core("cuaudit_hook_add");

		driver_of = (const struct cuaudit_driver *(*)(uint32_t))
			observe_core("cuaudit_driver_get");
		attach = (int (*)(const struct cuaudit_hook *))observe_core("cuaudit_hook_attach");
		detach = (int (*)(int))observe_core("cuaudit_hook_detach");
		is_int(add(&hook), 0, "a hook");
	}
	if (racing)
		pthread_create(&thread, NULL, come_and_go, NULL);
	for (int step = 0; step < steps && failed < 20; step++)
		step_on(step, argv[3]);
	stop = true;
	if (racing)
		pthread_join(thread, NULL);
	is_int(failed, 0, "%d steps with seed %s", steps, argv[1]);
	return done_testing();
}
