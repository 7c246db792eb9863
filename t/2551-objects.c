/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The auditor's records of objects: what a reader sees between any two of the
 * writer's stores, and what opening one costs when thousands were opened.
 */
#include <stdatomic.h>
#include <stdint.h>

/* Each step of either side lets the other one run first; each is counted. */
static void step(void);
static uint64_t steps;

#undef atomic_load_explicit
#undef atomic_store_explicit
#define atomic_load_explicit(at, order) (step(), __extension__({ \
	__auto_type at_ = (at); __typeof__(*at_ + 0) v_; \
	__atomic_load(at_, &v_, order); v_; }))
#define atomic_store_explicit(at, value, order) (step(), __extension__({ \
	__auto_type to_ = (at); __typeof__(*to_ + 0) w_ = (value); \
	__atomic_store(to_, &w_, order); }))

#include "audit/object.c"

struct link_table object_table;

#include "t/sys.h"
#include "t/tap.h"

enum { SLOTS = 3, NAMES = 20000, SOME = 1000 };

static struct link_object *reopened;
static struct extent { uintptr_t lo, hi; } given, written[2];
static void (*other)(void);
static uint64_t alarm_at;	/* other runs at that step; 0: at each */
static bool running;

static void step(void)
{
	steps++;
	if (!other || running || (alarm_at && steps != alarm_at))
		return;
	running = true;
	other();
	running = false;
}

/* What object.c takes from the rest of the auditor. */
size_t sys_page = 4096;

bool elf_read(struct elf_image *image, const struct link_map *map, const ElfW(Phdr) *phdr,
	      unsigned int phnum)
{
	static const ElfW(Sym) none;

	(void)map, (void)phdr, (void)phnum;
	*image = (struct elf_image){ .lo = given.lo, .hi = given.hi, .symbols = &none };
	return true;
}

bool provider_is_driver_private(const struct elf_image *image)
{
	(void)image;
	return false;
}

bool filter_list(const char *list, const char *path, bool is_main)
{
	(void)list, (void)path, (void)is_main;
	return false;
}

static int full;

void escape_record(enum cuaudit_escape_kind kind, const char *path, const struct link_object *object,
		 uint32_t times)
{
	(void)path, (void)object, (void)times;
	full += kind == CUAUDIT_ESCAPE_FULL;
}

void *sys_alloc(size_t size)
{
	return calloc(1, size);
}

bool sys_program(const char *name, char *path, size_t size)
{
	(void)name;
	(void)path;
	(void)size;
	return false;
}

/* Whatever the libraries of the test are, they lie somewhere. */
bool sys_directory(char *path, size_t size)
{
	(void)path;
	(void)size;
	return false;
}

bool sys_starts(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

bool sys_equal(const char *a, const char *b)
{
	steps++;
	return !strcmp(a, b);
}

static struct link_object *open_as(char *name, uintptr_t lo, uintptr_t hi)
{
	const struct link_map map = { .l_name = name };
	struct elf_image image;

	given = (struct extent){ lo, hi };
	return object_open(&map, LM_ID_BASE, &image);
}

static int bad;

/* An extent that was never written. */
static void look(void)
{
	uintptr_t lo, hi;

	if (!link_extent(reopened, &lo, &hi) || !hi)
		return;
	bad += !(lo == written[0].lo && hi == written[0].hi) &&
	       !(lo == written[1].lo && hi == written[1].hi);
}

static char name[] = "/reopened.so";

static void reopen(void)
{
	object_close(reopened);
	open_as(name, written[1].lo, written[1].hi);
}

static void close_it(void)
{
	object_close(reopened);
}

/* Extents before and after: lower, higher, overlapping, with one end the same. */
static const struct extent extents[] = {
	{ 0x5000, 0x9000 }, { 0x1000, 0x3000 }, { 0xa000, 0xc000 }, { 0x4000, 0x6000 },
	{ 0x8000, 0xb000 }, { 0x1000, 0x9000 }, { 0x5000, 0xf000 },
};

static void change(size_t before, size_t after)
{
	written[0] = extents[before];
	written[1] = extents[after];
	open_as(name, written[0].lo, written[0].hi);
}

static void test_extents(void)
{
	enum { COUNT = sizeof(extents) / sizeof(extents[0]) };
	struct extent seen;

	/* The record of the program comes first. */
	open_as("/program", 0x100000, 0x200000);
	reopened = open_as(name, 1, 2);
	object_close(reopened);
	for (size_t before = 0; before < COUNT; before++) {
		for (size_t after = 0; after < COUNT; after++) {
			change(before, after);
			/* The whole of a look-up between any two stores. */
			other = look;
			alarm_at = 0;
			reopen();
			object_close(reopened);
			other = NULL;
			/* A whole change, or a closing, at each step of a look-up. */
			for (uint64_t at = 1; at <= 8; at++) {
				change(before, after);
				other = at % 2 ? reopen : close_it;
				alarm_at = steps + (at + 1) / 2;
				look();
				other = NULL;
				object_close(reopened);
			}
		}
	}
	is_int(bad, 0, "a reader sees an extent as it was or is, or none");

	/* fork() may come between two stores of another thread. */
	change(0, 1);
	reopened->changes |= 1;
	ok(!link_extent(reopened, &seen.lo, &seen.hi), "none while it is changed");
	object_close(reopened);
	open_as(name, 0x7000, 0x8000);
	ok(link_extent(reopened, &seen.lo, &seen.hi) && seen.lo == 0x7000 && seen.hi == 0x8000,
	   "a change left half made is over with the next");
	object_close(reopened);
}

/* Steps for some names of their own, from the number-th on: opened, looked up, closed. */
static uint64_t cost(int number)
{
	uint64_t before = steps;
	char path[64];
	int wrong = 0;

	for (int i = 0; i < SOME; i++) {
		struct link_object *object;
		uintptr_t cookie;

		snprintf(path, sizeof(path), "/some/directory/lib%d.so", number + i);
		object = open_as(path, 0x1000, 0x2000);
		cookie = object_cookie(object);
		wrong += object_of(&cookie) != object || strcmp(object->path, path);
		object_close(object);
	}
	is_int(wrong, 0, "names %d to %d", number, number + SOME - 1);
	return steps - before;
}

static void test_names(void)
{
	uint64_t first = cost(0), last = 0, again;
	uint32_t before;

	for (int number = SOME; number < NAMES; number += SOME)
		last = cost(number);
	diag("%llu steps for the first %d names, %llu for the last", (unsigned long long)first,
	     SOME, (unsigned long long)last);
	ok(last < 4 * first, "the last thousand of %d names take no longer than the first", NAMES);
	before = object_table.nobjects;
	again = cost(NAMES / 2);
	ok(again < 4 * first, "nor do names that were there before");
	is_int(object_table.nobjects, before, "which take their records again");
}

/* One name twice at once: in namespaces of their own. */
static void test_twice(void)
{
	struct link_object *one = open_as("/twice.so", 0x1000, 0x2000);
	struct link_object *two = open_as("/twice.so", 0x3000, 0x4000);

	ok(one != two, "an open record is not taken again");
	object_close(one);
	is_ptr(open_as("/twice.so", 0x5000, 0x6000), one, "a closed one is");
	object_close(two);
	is_ptr(open_as("/twice.so", 0x7000, 0x8000), two, "whichever it is");
}

/* By the counts of its chunks, the core passes over those of which none is open. */
static void test_live(void)
{
	struct link_object *open[SOME];
	long live = 0, before = 0;
	char path[64];

	for (uint32_t i = 0; i < LINK_CHUNKS; i++)
		before += object_table.live[i];
	for (int i = 0; i < SOME; i++) {
		snprintf(path, sizeof(path), "/live/lib%d.so", i);
		open[i] = open_as(path, 0x1000, 0x2000);
	}
	for (uint32_t i = 0; i < LINK_CHUNKS; i++)
		live += object_table.live[i];
	is_int(live, before + SOME, "open objects are counted");
	for (int i = 0; i < SOME; i++)
		object_close(open[i]);
	live = 0;
	for (uint32_t i = 0; i < LINK_CHUNKS; i++)
		live += object_table.live[i];
	is_int(live, before, "and closed ones are not");
}

/* Each slot's entry of the core's is told of each object that comes or goes, and nothing else. */
static void test_generation(void)
{
	static struct {
		_Atomic uint32_t generation;
		uint32_t other;
	} mirror[SLOTS + 1];
	struct link_object *object;

	object_table.nslots = SLOTS;
	object_table.mirror_generation = &mirror[0].generation;
	object_table.mirror_stride = sizeof(mirror[0]);
	for (int turn = 0; turn < 2; turn++) {
		uint32_t before = object_table.generation;

		if (!turn)
			object = open_as("/told.so", 0x1000, 0x2000);
		else
			object_close(object);
		ok(object_table.generation != before, "%s: another generation",
		   turn ? "closed" : "opened");
		for (int i = 0; i < SLOTS; i++)
			is_int(mirror[i].generation, object_table.generation, "told to slot %d", i);
	}
	is_int(mirror[SLOTS].generation, 0, "and to none behind the last");
	object_table.mirror_generation = NULL;
	object_table.nslots = 0;
}

/* What the kernel puts behind the environment, of which the loader may have removed some. */
static void test_start(void)
{
	static const ElfW(auxv_t) vector[] = {
		{ AT_PHDR, { 0x1230 } }, { AT_PHNUM, { 7 } }, { AT_PAGESZ, { 16384 } },
		{ AT_BASE, { 0x7000 } }, { AT_EXECFN, { (uintptr_t)"/the/program" } },
		{ AT_SECURE, { 0 } }, { AT_ENTRY, { 0 } }, { AT_NULL, { 0 } },
	};
	struct {
		char *envp[4];
		ElfW(auxv_t) vector[sizeof(vector) / sizeof(vector[0])];
	} block;

	for (int nulls = 1; nulls <= 3; nulls++) {
		for (int secure = 0; secure < 2; secure++) {
			for (int i = 0; i < 4; i++)
				block.envp[i] = i < 4 - nulls ? "A=1" : NULL;
			memcpy(block.vector, vector, sizeof(vector));
			block.vector[5].a_un.a_val = (uint64_t)secure;
			block.vector[3].a_un.a_val = secure ? 0 : 0x7000;
			object_start(block.envp);
			ok((uintptr_t)main_phdr == 0x1230 && main_phnum == 7 && sys_page == 16384 &&
			   !strcmp(object_program, "/the/program"), "%d NULL: the program", nulls);
			ok(object_secure == secure && object_by_kernel == !secure,
			   "%d NULL: %s", nulls, secure ? "it gained privileges" : "by the kernel");
		}
	}
	sys_page = 4096;
}

static void test_cookies(void)
{
	uintptr_t cookie = 0;

	ok(!object_of(NULL), "no cookie");
	ok(!object_of(&cookie), "0");
	cookie = (uintptr_t)&cookie;
	ok(!object_of(&cookie), "the loader's own");
	cookie = UINTPTR_MAX;
	ok(!object_of(&cookie), "garbage");
	cookie = object_cookie(reopened) + NAMES * 4;
	ok(!object_of(&cookie), "a record that is none");
}

/* More names than there is room for; after all other tests. */
static void test_full(void)
{
	enum { ALL = LINK_CHUNK * LINK_CHUNKS, MORE = 3 };
	uint32_t room = ALL - object_table.nobjects;
	uint32_t opened = 0;
	char path[64];

	for (uint32_t i = 0; i < room + MORE; i++) {
		snprintf(path, sizeof(path), "/full/lib%u.so", i);
		opened += open_as(path, 0x1000, 0x2000) != NULL;
	}
	is_int(opened, room, "names up to %d have records", ALL);
	is_int(full, MORE, "the others are counted among what was not intercepted");
}

int main(void)
{
	object_table.environment.include = object_table.environment.exclude = "";
	test_extents();
	test_twice();
	test_cookies();
	test_names();
	test_live();
	test_generation();
	test_start();
	test_full();
	return done_testing();
}
