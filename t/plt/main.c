/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls through PLTs, then says of each what the caller's slot holds.
 *
 * main [where] [linked] [open|now PATH]... [fail PATH]... [threads]
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "t/plt/plt.h"

enum { THREADS = 8, ROUNDS = 3 };

static pthread_barrier_t barrier;
static bool where;	/* say also which file the driver's functions are in */
static int failures;

static void expect(int got, int wanted, const char *what)
{
	if (got == wanted)
		return;
	printf("%s: %d, not %d\n", what, got, wanted);
	failures++;
}

static bool writable(const void *address)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long from, to;
	char line[4096], mode;
	bool is = false;

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*c%c", &from, &to, &mode) == 3 &&
		    (unsigned long)address >= from && (unsigned long)address < to)
			is = mode == 'w';
	if (maps)
		fclose(maps);
	return is;
}

static const char *file_of(const void *address)
{
	Dl_info info;

	return dladdr(address, &info) ? info.dli_fname : "";
}

static ElfW(Addr) entry(const struct link_map *map, ElfW(Sxword) tag)
{
	for (const ElfW(Dyn) *at = map->l_ld; at->d_tag != DT_NULL; at++)
		if (at->d_tag == tag)
			return at->d_un.d_val;
	return 0;
}

/* Bound: what the slot holds is no longer the object's own PLT. */
static void show(const struct link_map *map)
{
	const ElfW(Rela) *rela = (const void *)entry(map, DT_JMPREL);
	const ElfW(Sym) *symbols = (const void *)entry(map, DT_SYMTAB);
	const char *strings = (const void *)entry(map, DT_STRTAB);
	size_t count = entry(map, DT_PLTRELSZ) / sizeof(*rela);
	const char *name = strrchr(map->l_name, '/');

	printf("%s: %s:", name ? name + 1 : "main", writable(map->l_ld) ? "writable" : "read-only");
	for (size_t i = 0; i < count; i++) {
		const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(rela[i].r_info)];
		void **slot = (void **)(map->l_addr + rela[i].r_offset);

		if (strncmp(strings + symbol->st_name, "plt_", 4) &&
		    strncmp(strings + symbol->st_name, "cu", 2))
			continue;
		if (where && !strncmp(strings + symbol->st_name, "cu", 2))
			printf(" %s in %s", strings + symbol->st_name,
			       strrchr(file_of(*slot), '/') + 1);
		else
			printf(" %s %s%s", strings + symbol->st_name,
			       strcmp(file_of(slot), file_of(*slot)) ? "bound" : "unbound",
			       writable(slot) ? "" : " for good");
	}
	printf("\n");
}

static void linked(void)
{
	for (int number = 0; number < ROUNDS; number++) {
		expect(plt_plain(number), number + 1, "plain");
		expect(plt_ifunc(number), number + 2, "chosen by a resolver");
		expect(plt_versioned(number), number + 3, "versioned");
	}
	if (failures > ROUNDS * 3)
		plt_unused();
	show(_r_debug.r_map);
}

/* Opened, called, closed, several times. */
static void opened(const char *path, int mode)
{
	for (int number = 0; number < ROUNDS; number++) {
		void *library = dlopen(path, mode);
		int (*caller)(int) = library ? (int (*)(int))dlsym(library, "plt_caller") : NULL;

		if (!caller) {
			printf("%s\n", dlerror());
			exit(1);
		}
		expect(caller(number), 4 * number + 10, path);
		expect(caller(number), 4 * number + 10, path);
		if (number == ROUNDS - 1)
			show((struct link_map *)library);
		dlclose(library);
	}
}

static void failed(const char *path)
{
	for (int i = 0; i < ROUNDS; i++)
		printf("%s: %s\n", strrchr(path, '/') + 1,
		       dlopen(path, RTLD_LAZY) ? "opens" : "does not open");
}

static void *call(void *sum)
{
	pthread_barrier_wait(&barrier);
	for (int number = 0; number < 100; number++)
		*(int *)sum += plt_plain(number) + plt_ifunc(number) + plt_versioned(number);
	return NULL;
}

static void threads(void)
{
	pthread_t thread[THREADS];
	int sums[THREADS] = { 0 };

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, call, &sums[i]))
			exit(2);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		expect(sums[i], 3 * 4950 + 600, "a thread's sum");
	}
	show(_r_debug.r_map);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "where"))
			where = true;
		else if (!strcmp(argv[i], "linked"))
			linked();
		else if (!strcmp(argv[i], "threads"))
			threads();
		else if (i + 1 == argc)
			return 2;
		else if (!strcmp(argv[i], "open"))
			opened(argv[++i], RTLD_LAZY);
		else if (!strcmp(argv[i], "now"))
			opened(argv[++i], RTLD_NOW);
		else if (!strcmp(argv[i], "fail"))
			failed(argv[++i]);
		else
			return 2;
	}
	return failures != 0;
}
