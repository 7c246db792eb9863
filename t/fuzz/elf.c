/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gives the auditor's callbacks damaged objects: SEED FIRST COUNT OBJECT...
 * Prints how many cases there were of each outcome.
 */
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>

#include "audit/elf.h"
#include "audit/object.h"
#include "audit/plt.h"
#include "audit/relocate.h"
#include "audit/stub.h"
#include "t/fuzz/fuzz.h"
#include "t/fuzz/object.h"

enum { MAX_OBJECTS = 16, FRESH = 2000 };

unsigned int la_version(unsigned int version);
unsigned int la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie);
unsigned int la_objclose(uintptr_t *cookie);
uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned int index, uintptr_t *from, uintptr_t *to,
		       unsigned int *flags, const char *name);

static struct object objects[MAX_OBJECTS];
static struct {
	unsigned int cases, refused, unread, read, drivers, rewritten, cores, rebound;
} seen;

static bool within(const struct elf_image *image, const void *at, uint64_t size)
{
	return (uintptr_t)at >= image->lo && (uintptr_t)at <= image->hi &&
	       size <= image->hi - (uintptr_t)at;
}

/* What elf.h promises of an image that could be read; reads all of it. */
static void check_image(struct elf_image *image)
{
	volatile uint64_t sum = 0;

	fuzz_check(image->lo < image->hi);
	fuzz_check(within(image, image->strings, image->strings_size));
	fuzz_check(!image->strings[image->strings_size - 1]);
	fuzz_check(within(image, image->symbols, image->room * sizeof(ElfW(Sym))));
	fuzz_check(!image->nrela || within(image, image->rela, image->nrela * sizeof(ElfW(Rela))));
	for (size_t i = 0; i < image->nrela; i++)
		sum += image->rela[i].r_info;
	if (!elf_count(image))
		return;
	fuzz_check(image->nsymbols <= image->room);
	for (uint32_t i = 0; i < image->nsymbols; i++)
		sum += strlen(elf_name(image, &image->symbols[i]));
	elf_find(image, "dlmopen");
	elf_protection(image, image->base + chance(2) * chance_word());
}

/* Every export of a driver has a slot; they are sorted. */
static void check_driver(const struct link_object *object)
{
	const struct link_driver *driver = object->detail->driver;
	uint32_t count = atomic_load(&driver->nexports);

	fuzz_check(atomic_load(&driver->live));
	for (uint32_t i = 0; i < count; i++) {
		fuzz_check(driver->exports[i].slot < atomic_load(&object_table.nslots));
		fuzz_check(!i || driver->exports[i - 1].address <= driver->exports[i].address);
	}
	seen.drivers++;
}

static void bind(uintptr_t *from, uintptr_t *to, const char *name)
{
	Elf64_Sym symbol = { .st_value = chance_word() };
	const char *stubs = stub_address(0);

	for (int i = 0; i < 4; i++) {
		unsigned int flags = chance(2) ? LA_SYMB_DLSYM : 0;
		unsigned int index = (unsigned int)(chance(8) ? chance(64) : chance_word());
		uintptr_t answer = la_symbind64(&symbol, index, from, to, &flags, name);

		fuzz_check(answer == symbol.st_value || object_table.symtab_interposed ||
			   (answer >= (uintptr_t)stubs && answer < (uintptr_t)stub_address(LINK_SLOTS)));
	}
}

/* What is changed of an object to have it bound as if unaudited. */
static ElfW(Addr) plt_entries(const struct link_map *map)
{
	ElfW(Addr) sum = 0;

	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_PLTGOT || entry->d_tag == DT_JMPREL)
			sum += entry->d_un.d_ptr;
	return sum;
}

static void run_library(struct link_map *map, bool whole, uintptr_t *caller)
{
	uintptr_t cookie = 0;
	struct elf_image image;
	struct link_object *object;
	ElfW(Addr) entries = 0;

	if (elf_read(&image, map, NULL, 0)) {
		check_image(&image);
		seen.read++;
	} else {
		seen.unread++;
	}
	/* A loader walks to DT_NULL; one that has found none is not here any more. */
	object_table.symtab_interposed = whole && !chance(4);
	/* So is one that is changed to be bound as if unaudited: any address but 0 will do. */
	plt_resolver = object_table.symtab_interposed && !((uintptr_t)map->l_ld & 7) && chance(2) ? 1 : 0;
	entries = plt_resolver ? plt_entries(map) : 0;
	la_objopen(map, chance(8) ? LM_ID_BASE : 1, &cookie);
	fuzz_check(fuzz_lines <= 1);
	object = object_of(&cookie);
	fuzz_check(object);
	if (object->flags & LINK_OBJECT_DRIVER)
		check_driver(object);
	seen.rebound += plt_resolver && plt_entries(map) != entries;
	seen.cores += (object->flags & LINK_OBJECT_CORE) != 0;
	seen.rewritten += object->detail && object->detail->npending;
	bind(caller, &cookie, "cuInit");
	bind(&cookie, caller, "cuInit");
	la_objclose(&cookie);
	if (atomic_load(&object_table.nslots) > LINK_SLOTS - 1 && !chance(FRESH))
		atomic_store(&object_table.nslots, 0);
}

/* An executable that cannot move: whom relocations of others are compared to. */
static void run_program(const struct object *damaged, const struct link_map *map)
{
	const ElfW(Ehdr) *header = (const void *)damaged->bytes;
	const ElfW(Phdr) *headers = object_headers(damaged, map);
	struct elf_image image, none = { .base = 0 };

	if (!headers || !elf_read(&image, map, headers, header->e_phnum)) {
		seen.unread++;
		return;
	}
	check_image(&image);
	seen.read++;
	relocate_note_main(&image, LM_ID_BASE);
	relocate_note_main(&none, LM_ID_BASE);
}

static void run(uint64_t seed, uint64_t number, int nobjects, uintptr_t *caller)
{
	static struct link_map map;	/* the auditor keeps those of libc */
	struct object *object;
	bool whole;

	chance_begin(seed, number);
	fuzz_number = number;
	fuzz_lines = 0;
	seen.cases++;
	/* The last is the largest: seldom. */
	object = &objects[chance(64) ? chance((uint64_t)nobjects - 1) : (uint64_t)nobjects - 1];
	object_damage(object);
	if (!object_map(object, &map, &whole))
		seen.refused++;
	else if (map.l_addr)
		run_library(&map, whole, caller);
	else
		run_program(object, &map);
	object_unmap();
}

int main(int argc, char **argv)
{
	uint64_t seed, first, count;
	uintptr_t caller = 0;
	int nobjects = 0;

	fuzz_start(argc, argv, &seed, &first, &count);
	for (; nobjects < MAX_OBJECTS && argv[4 + nobjects]; nobjects++)
		object_load(&objects[nobjects], argv[4 + nobjects]);
	fuzz_check(nobjects > 1);
	la_version(2);
	/* The first object of all is the program itself. */
	la_objopen(_r_debug.r_map, LM_ID_BASE, &caller);
	for (uint64_t i = first; i < first + count; i++)
		run(seed, i, nobjects, &caller);
	printf("cases %u refused %u unread %u read %u drivers %u rewritten %u cores %u "
	       "rebound %u\n",
	       seen.cases, seen.refused, seen.unread, seen.read, seen.drivers, seen.rewritten,
	       seen.cores, seen.rebound);
	return 0;
}
