/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls a CUDA runtime until it stops, and prints what it got of the driver.
 *
 *   runtime calls [LIBRARY]	the calls and their results, nothing else done
 *   runtime held [LIBRARY]	the driver's functions the runtime keeps, by place
 *   runtime asked [LIBRARY]	what it asked cuGetProcAddress for; audited only
 *
 * With RUNTIME_STATIC the runtime is linked in and LIBRARY is left out.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "t/routes/observe.h"

enum { ASKED_MAX = 2048, NAME_MAX_LENGTH = 63, REGIONS = 16 };

static const char *const functions[] = {
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, n, params) #symbol,
#include <cuaudit/driver_api.def>
#undef CUAPI
};

enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

/* Where code of the driver and of the auditor lies. */
struct region {
	uintptr_t lo, hi;
};

/* On the heap: the executable's own data is searched when the runtime is in it. */
static void **addresses;
static struct region *regions;
static int nregions;

static void *need(void *pointer, const char *what)
{
	if (pointer)
		return pointer;
	printf("%s: %s\n", what, dlerror());
	exit(2);
}

/* ---- the runtime ---- */

typedef int (*ask_fn)(void *answer);
typedef int (*malloc_fn)(void **pointer, size_t size);

#ifdef RUNTIME_STATIC
int cudaRuntimeGetVersion(void *);
int cudaDriverGetVersion(void *);
int cudaGetDeviceCount(void *);
int cudaMalloc(void **, size_t);
#define FIND(library, name) ((void)(library), (void *)(name))
#else
#define FIND(library, name) dlsym(library, #name)
#endif

static void ask(const char *name, void *function)
{
	int answer = -1;
	int result = ((ask_fn)function)(&answer);

	printf("%s %d %d\n", name, result, answer);
}

/* An address in the runtime. A library with a runtime inside has one question of its own. */
static void *call(void *library)
{
	void *function, *pointer = NULL;

#ifndef RUNTIME_STATIC
	function = dlsym(library, "nvjpegCreateSimple");
	if (function) {
		printf("nvjpegCreateSimple %d\n", ((ask_fn)function)(&pointer));
		return function;
	}
#endif
	ask("cudaRuntimeGetVersion", FIND(library, cudaRuntimeGetVersion));
	ask("cudaDriverGetVersion", FIND(library, cudaDriverGetVersion));
	ask("cudaGetDeviceCount", FIND(library, cudaGetDeviceCount));
	function = FIND(library, cudaMalloc);
	printf("cudaMalloc %d\n", ((malloc_fn)function)(&pointer, 4096));
	return function;
}

/* ---- the driver's functions, as this process sees them ---- */

static void find_functions(void *driver)
{
	addresses = need(calloc(FUNCTIONS, sizeof(*addresses)), "memory");
	for (int i = 0; i < FUNCTIONS; i++)
		addresses[i] = dlsym(driver, functions[i]);
}

static const char *function_at(const void *address)
{
	for (int i = 0; address && i < FUNCTIONS; i++)
		if (addresses[i] == address)
			return functions[i];
	return NULL;
}

static void find_regions(void)
{
	char line[4400], *path;
	FILE *maps = need(fopen("/proc/self/maps", "r"), "maps");

	regions = need(calloc(REGIONS, sizeof(*regions)), "memory");
	while (fgets(line, sizeof(line), maps)) {
		struct region *region = &regions[nregions];
		char mode[5];

		path = strrchr(line, '/');
		if (!path || (strcmp(path, "/libcuda.so.1\n") && strcmp(path, "/libcuaudit.so\n")))
			continue;
		if (sscanf(line, "%lx-%lx %4s", &region->lo, &region->hi, mode) == 3 &&
		    mode[2] == 'x' && nregions < REGIONS - 1)
			nregions++;
	}
	fclose(maps);
}

static bool in_regions(uintptr_t word)
{
	for (int i = 0; i < nregions; i++)
		if (word >= regions[i].lo && word < regions[i].hi)
			return true;
	return false;
}

/* ---- what the runtime's own data holds ---- */

static void print_words(uintptr_t base, uintptr_t start, size_t size)
{
	const uintptr_t *word = (const uintptr_t *)((start + 7) & -(uintptr_t)8);

	for (; (uintptr_t)(word + 1) <= start + size; word++) {
		const char *name = function_at((const void *)*word);

		if (name)
			printf("held %#lx %s\n", (unsigned long)((uintptr_t)word - base), name);
		else if (in_regions(*word))
			printf("stray %#lx\n", (unsigned long)((uintptr_t)word - base));
	}
}

static int print_object(struct dl_phdr_info *info, size_t size, void *inside)
{
	bool found = false;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		found |= p->p_type == PT_LOAD &&
			 (uintptr_t)inside - info->dlpi_addr - p->p_vaddr < p->p_memsz;
	}
	for (int i = 0; found && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_W)
			print_words(info->dlpi_addr, info->dlpi_addr + p->p_vaddr, p->p_memsz);
	}
	return found;
}

/* ---- what it asked for ---- */

static struct asked {
	char name[NAME_MAX_LENGTH + 1];
	uint64_t version, flags;
	void *answer;
} asked[ASKED_MAX];
static int nasked;

static void lookup(struct cuaudit_call *c, void *data)
{
	struct asked *a = &asked[nasked];

	(void)data;
	if (nasked >= ASKED_MAX)
		return;
	strncpy(a->name, (const char *)c->words[0], NAME_MAX_LENGTH);
	a->answer = c->result || !c->words[1] ? NULL : *(void **)c->words[1];
	a->version = (uint32_t)c->words[2];
	a->flags = c->words[3];
	nasked++;
}

static void watch(void)
{
	static const struct cuaudit_hook hook = {
		.size = sizeof(hook),
		.name = "asked",
		.functions = "cuGetProcAddress,cuGetProcAddress_v2",
		.exit = lookup,
	};
	int (*add)(const struct cuaudit_hook *);

	add = (int (*)(const struct cuaudit_hook *))need(observe_core("cuaudit_hook_add"), "core");
	if (add(&hook))
		exit(2);
}

static void print_asked(void)
{
	for (int i = 0; i < nasked; i++) {
		const char *name = function_at(asked[i].answer);

		printf("asked \"%s\" %lu %lu %s\n", asked[i].name, (unsigned long)asked[i].version,
		       (unsigned long)asked[i].flags,
		       name ? name : asked[i].answer ? "stray" : "none");
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	void *library = NULL, *driver = NULL, *inside;

	if (argc > 2)
		library = need(dlopen(argv[2], RTLD_NOW), argv[2]);
	/* A runtime closes the driver where it stops. */
	if (strcmp(mode, "calls"))
		driver = need(dlopen("libcuda.so.1", RTLD_NOW), "driver");
	if (!strcmp(mode, "asked")) {
		observe_start(driver);
		watch();
	}
	inside = call(library);
	if (!driver)
		return 0;
	find_functions(driver);
	find_regions();
	if (!strcmp(mode, "held"))
		dl_iterate_phdr(print_object, inside);
	else
		print_asked();
	return 0;
}
