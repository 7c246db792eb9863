/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The slots of drivers: any order of opening and closing files whose functions share addresses,
 * names and versions, against what the files say. Argument: a seed.
 */
#include <stdint.h>

#include "audit/driver.c"
#include "audit/slot.c"

#include "t/fuzz/chance.h"
#include "t/tap.h"

uint64_t slot_lock_take(void)
{
	return 0;
}

void slot_lock_release(uint64_t signals)
{
	(void)signals;
}

void *sys_pool_take(struct sys_pool *pool, size_t size)
{
	(void)pool;
	return calloc(1, size);
}

bool elf_exports(const ElfW(Sym) *symbol, unsigned int type)
{
	return symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == type &&
	       (ELF64_ST_BIND(symbol->st_info) == STB_GLOBAL || ELF64_ST_BIND(symbol->st_info) == STB_WEAK) &&
	       (ELF64_ST_VISIBILITY(symbol->st_other) == STV_DEFAULT ||
		ELF64_ST_VISIBILITY(symbol->st_other) == STV_PROTECTED);
}


enum {
	PATHS = 3, RECORDS = 6, OBJECTS = 8, NAMES = 16, SYMBOLS = 40, ADDRESSES = 9,
	STEPS = 4000, MOST = PATHS * RECORDS * NAMES * 3, PIECES = 1 << 16
};


struct link_table object_table;

/* A file that is open, or was: its record of an object is used again for that path alone. */
static struct file {
	struct link_object object;
	struct object_detail detail;
	struct elf_image image;
	ElfW(Sym) symbols[SYMBOLS];
	const char *versions[SYMBOLS];
	bool open;
} files[OBJECTS];

static struct link_slot slots[LINK_SLOTS];
static void *routes[LINK_SLOTS];
static struct mirror {
	_Atomic(void *) real;
	_Atomic uint32_t generation;
	char rest[40];
} mirror[MOST];

static const struct link_driver *opening;
static char resolver, trampoline;
static int wrong;
static const char *why = "";

static unsigned int compared;	/* names, with those of slots */

static bool expect(bool is, const char *what)
{
	if (!is && !wrong++)
		why = what;
	return is;
}

/* What was allocated, and how much: arrays of exports are found by their addresses. */
static struct { const void *at; size_t size; } pieces[PIECES];
static size_t npieces;

static size_t size_of(const void *at)
{
	for (size_t i = 0; i < npieces; i++)
		if (pieces[i].at == at)
			return pieces[i].size;
	return 0;
}

/* Between any two steps of the driver's: what somebody would find who looks an address up. */
static void look(void)
{
	if (!opening)
		return;
	expect(atomic_load(&opening->nexports) * sizeof(*opening->exports) <= size_of(opening->exports),
	       "no more exports are told than there is room for");
}

static int pieces_left = -1;	/* after so many more there is no memory; -1: there always is */

/* What driver.c takes from the rest of the auditor. */
void *sys_alloc(size_t size)
{
	void *at;

	if (!pieces_left)
		return NULL;
	pieces_left -= pieces_left > 0;
	at = calloc(1, size ? size : 1);
	if (npieces == PIECES)
		bail_out("more memory is taken than for as many steps");
	pieces[npieces].at = at;
	pieces[npieces++].size = size;
	look();
	return at;
}

char *sys_copy(const char *text, size_t length)
{
	return strndup(text, length);
}

size_t sys_strlen(const char *text)
{
	return strlen(text);
}

bool sys_equal(const char *a, const char *b)
{
	look();
	compared++;
	return !strcmp(a, b);
}

const char *elf_name(const struct elf_image *image, const ElfW(Sym) *symbol)
{
	return image->strings + symbol->st_name;
}

const char *elf_version(const struct elf_image *image, uint32_t number)
{
	for (int i = 0; i < OBJECTS; i++)
		if (files[i].image.symbols == image->symbols)
			return files[i].versions[number];
	return NULL;
}

struct object_detail *object_detail(struct link_object *object)
{
	return object->detail;
}

void object_tell_generation(uint32_t from, uint32_t end)
{
	expect(from + 1 >= atomic_load(&object_table.nslots), "a generation is told before there is a slot");
	for (uint32_t i = from; i < end && i < MOST; i++)
		atomic_store(&mirror[i].generation, atomic_load(&object_table.generation));
}

static uint32_t escaped[CUAUDIT_ESCAPES];

void escape_record(enum cuaudit_escape_kind kind, const char *path,
		   const struct link_object *object, uint32_t times)
{
	(void)path, (void)object;
	escaped[kind] += times;
}

static unsigned int printed;	/* how often what escaped was */

void escape_print(void)
{
	printed += atomic_load(&object_table.ndrivers) > 0;
}

void *stub_resolver(void)
{
	return &resolver;
}

void stub_route(uint32_t slot, void *target)
{
	expect(slot >= atomic_load(&object_table.nslots), "a slot that is there keeps its route");
	routes[slot] = target;
}

void stub_reroute(uint32_t slot, void *old, void *target)
{
	look();
	expect(!atomic_load(&opening->nexports), "none is found while slots change");
	if (routes[slot] == old)
		routes[slot] = target;
}

/* Two names more than one may have are a driver's own; the strings of all files. */
static char strings[NAMES * 8];

static const char *const versions[] = { NULL, NULL, NULL, "V1", "V2" };

static void make_file(struct file *file)
{
	bool taken[NAMES * 3] = { false };
	uint32_t count = 1;
	/* So the very first slot has names enough. */
	uint64_t addresses = atomic_load(&object_table.nslots) ? ADDRESSES : 2;

	for (int tries = 4 + (int)chance(SYMBOLS - 5); tries-- && count < SYMBOLS;) {
		uint32_t name = (uint32_t)chance(NAMES), version = (uint32_t)chance(5);
		uint32_t kind = (uint32_t)chance(8);
		ElfW(Sym) *symbol = &file->symbols[count];

		/* A name and a version are one symbol's. */
		if (taken[name * 3 + (version < 3 ? 0 : version - 2)])
			continue;
		taken[name * 3 + (version < 3 ? 0 : version - 2)] = true;
		file->versions[count] = versions[version];
		*symbol = (ElfW(Sym)){
			.st_name = name * 8,
			.st_value = 0x10 * (1 + chance(addresses)),
			.st_shndx = kind == 7 ? SHN_UNDEF : 1,
			.st_other = kind == 6 ? STV_HIDDEN : kind == 5 ? STV_PROTECTED : STV_DEFAULT,
			.st_info = ELF64_ST_INFO(kind == 4 ? STB_LOCAL : kind == 3 ? STB_WEAK : STB_GLOBAL,
						 kind == 2 ? STT_OBJECT : STT_FUNC),
		};
		count++;
	}
	if (chance(8) == 0)
		file->symbols[count - 1].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC);
	file->image = (struct elf_image){
		.base = 0x1000 * (1 + chance(1000)), .symbols = file->symbols, .strings = strings,
		.nsymbols = count,
	};
}

/* As the gABI has it. */
static bool is_function(const ElfW(Sym) *symbol)
{
	unsigned int visibility = ELF64_ST_VISIBILITY(symbol->st_other);

	return symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
	       ELF64_ST_BIND(symbol->st_info) != STB_LOCAL &&
	       (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
}

static void full_name(const struct file *file, uint32_t symbol, char name[32])
{
	const char *version = file->versions[symbol];

	snprintf(name, 32, "%s%s%s", strings + file->symbols[symbol].st_name, version ? "@" : "",
		 version ? version : "");
}

static bool has_alias(uint32_t driver, const char *name, uint32_t slot)
{
	for (struct link_alias *alias = atomic_load(&object_table.aliases); alias; alias = alias->next)
		if (slots[atomic_load(&alias->slot)].driver == driver && !strcmp(alias->name, name))
			return atomic_load(&alias->slot) == slot;
	return false;
}

/* Whether another symbol of that address has a lower number. */
static bool comes_first(const struct file *file, uint32_t symbol)
{
	for (uint32_t i = 1; i < symbol; i++)
		if (is_function(&file->symbols[i]) &&
		    file->symbols[i].st_value == file->symbols[symbol].st_value)
			return false;
	return true;
}

/* known: how many slots there were before. */
static void check(const struct file *file, uint32_t known)
{
	const struct link_driver *driver = file->detail.driver;
	uint32_t own = (uint32_t)(driver - object_table.drivers), functions = 0;
	uint32_t count = atomic_load(&driver->nexports);

	expect(atomic_load(&driver->live) && !strcmp(driver->path, file->object.path), "its record");
	for (uint32_t i = 1; i < file->image.nsymbols; i++) {
		uintptr_t address = file->image.base + file->symbols[i].st_value;
		int slot = driver_slot(&file->object, i);
		char name[32];

		if (!is_function(&file->symbols[i])) {
			expect(slot < 0, "what is no function of its exports has no slot");
			continue;
		}
		functions++;
		if (!expect(slot >= 0 && (uint32_t)slot < atomic_load(&object_table.nslots), "a slot"))
			return;
		expect(slots[slot].driver == own, "of its own");
		expect((uintptr_t)atomic_load(&slots[slot].real) == address, "its address");
		expect(driver_exports(address), "that is an export's");
		for (uint32_t k = 1; k < i; k++)
			expect(!is_function(&file->symbols[k]) || slot < (int)known ||
			       file->symbols[k].st_value != file->symbols[i].st_value ||
			       driver_slot(&file->object, k) == slot, "new names of a function share one");
		full_name(file, i, name);
		expect(!strcmp(slots[slot].name, name) || has_alias(own, name, (uint32_t)slot),
		       "found by its name");
		expect((uint32_t)slot < known || !comes_first(file, i) || !strcmp(slots[slot].name, name),
		       "a new slot has the first symbol's name");
		if (object_table.mirror)
			expect((uintptr_t)atomic_load(&mirror[slot].real) == address, "in the mirror too");
		expect((uint32_t)slot < known || atomic_load(&mirror[slot].generation) ==
		       atomic_load(&object_table.generation), "with the generation");
	}
	expect(file->image.nsymbols * sizeof(*file->detail.slots) <= size_of(file->detail.slots),
	       "room for the slots of all symbols");
	expect(driver_slot(&file->object, file->image.nsymbols) < 0, "no slot behind the last symbol");
	expect(count == functions, "all are exports");
	for (uint32_t i = 1; i < count; i++)
		expect(driver->exports[i - 1].address <= driver->exports[i].address, "in order");
	for (uint32_t i = 0; i < count; i++)
		expect((uintptr_t)atomic_load(&slots[driver->exports[i].slot].real) ==
		       driver->exports[i].address, "with their slots");
}

/* Routes are the resolver, a trampoline or straight to the function; the last follows it. */
static void open_file(struct file *file)
{
	uint32_t known = atomic_load(&object_table.nslots), flags = (uint32_t)chance(16) << 1;
	static int how[MOST];

	make_file(file);
	file->object.flags = flags;
	printed = 0;
	for (uint32_t i = 0; i < known; i++) {
		how[i] = (int)chance(3);
		routes[i] = how[i] == 0 ? &resolver : how[i] == 1 ? &trampoline :
			    atomic_load(&slots[i].real);
	}
	atomic_fetch_add(&object_table.generation, 1);
	for (uint32_t i = 0; i < atomic_load(&object_table.ndrivers); i++)
		if (!atomic_load(&object_table.drivers[i].live) && !opening &&
		    !strcmp(object_table.drivers[i].path, file->object.path))
			opening = &object_table.drivers[i];
	driver_open(&file->object, &file->image);
	expect(!opening || opening == file->detail.driver, "the record of its path is used again");
	opening = NULL;
	expect(file->object.flags == (flags | LINK_OBJECT_DRIVER), "a driver, beside what else it is");
	expect(printed == 1, "what escaped before there was a driver is printed now");
	for (uint32_t i = 0; i < known; i++)
		expect(routes[i] == (how[i] == 0 ? (void *)&resolver : how[i] == 1 ? &trampoline :
				     atomic_load(&slots[i].real)), "routes follow");
	for (uint32_t i = known; i < atomic_load(&object_table.nslots); i++)
		expect(routes[i] == &resolver, "new ones are resolved");
	file->open = true;
	check(file, known);
}

/* A driver with an indirect function and five others, where so many slots are left. */
static void test_slots_left(uint32_t left)
{
	enum { COUNT = 5 };
	static struct file file;
	uint32_t kept = left < COUNT ? left : COUNT;
	const struct link_driver *driver;
	char path[16];

	snprintf(path, sizeof(path), "/last%u", left);
	file = (struct file){
		.object = { .path = sys_copy(path, strlen(path)), .detail = &file.detail },
		.image = { .base = 0x1000, .symbols = file.symbols, .strings = strings,
			   .nsymbols = COUNT + 2 },
	};
	/* Of the highest address first. */
	for (uint32_t i = 1; i < COUNT + 2; i++)
		file.symbols[i] = (ElfW(Sym)){
			.st_name = i * 8, .st_value = 0x1000 - 0x10 * i, .st_shndx = 1,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, i == 1 ? STT_GNU_IFUNC : STT_FUNC),
		};
	memset(escaped, 0, sizeof(escaped));
	atomic_store(&object_table.nslots, LINK_SLOTS - left);
	driver_open(&file.object, &file.image);
	driver = file.detail.driver;
	is_int(escaped[CUAUDIT_ESCAPE_SLOTS], COUNT - kept, "%u slots left: functions without one", left);
	is_int(escaped[CUAUDIT_ESCAPE_IFUNC], 1, "%u slots left: indirect ones", left);
	is_int(driver->nfunctions - driver->without_slot, kept, "%u slots left: those with one", left);
	is_int(driver->nexports, kept, "%u slots left: exports", left);
	for (uint32_t i = 0; i < kept; i++)
		if (driver->exports[i].slot >= LINK_SLOTS || driver->exports[i].address !=
		    (uintptr_t)slots[driver->exports[i].slot].real)
			ok(false, "%u slots left: export %u", left, i);
	driver_close(&file.object);
}

/*
 * Two functions of one address, a third name of which is an alias. Where memory ends, the driver is none, or
 * all of it has slots; who opens it again when there is some finds it whole.
 */
static void test_memory(int left)
{
	enum { COUNT = 3 };
	static struct link_driver *known;
	static struct file file;
	bool is_driver;

	file = (struct file){
		.object = { .path = "/poor", .detail = &file.detail },
		.image = { .base = 0x1000, .symbols = file.symbols, .strings = strings, .nsymbols = COUNT + 1 },
	};
	for (uint32_t i = 1; i <= COUNT; i++)
		file.symbols[i] = (ElfW(Sym)){
			.st_name = i * 8, .st_value = 0x1000, .st_shndx = 1,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		};
	memset(escaped, 0, sizeof(escaped));
	pieces_left = left;
	opening = known;
	driver_open(&file.object, &file.image);
	opening = NULL;
	pieces_left = -1;
	if (file.detail.driver)
		known = file.detail.driver;
	is_driver = file.object.flags & LINK_OBJECT_DRIVER;
	is_int(escaped[CUAUDIT_ESCAPE_DRIVER], !is_driver, "memory for %d pieces: a driver, or one that escapes", left);
	ok(is_driver == (file.detail.driver != NULL) && (!left ? !is_driver : left < 2 || is_driver),
	   "... and what is known of it");
	ok(file.detail.nslots <= file.detail.capacity && (!file.detail.capacity || file.detail.slots),
	   "... no more slots than there is room for");
	for (unsigned int i = 1; i <= COUNT; i++)
		if (is_driver != (driver_slot(&file.object, i) >= 0))
			ok(false, "symbol %u", i);
	if (is_driver)
		driver_close(&file.object);
}

/* A large driver again: its names are where they were, so none is looked for far away. */
static void test_order(void)
{
	enum { COUNT = 700 };
	static struct file file;
	static ElfW(Sym) symbols[COUNT + 1];
	static char names[(COUNT + 1) * 8];
	unsigned int first;

	file = (struct file){
		.object = { .path = "/large", .detail = &file.detail },
		.image = { .base = 0x1000, .symbols = symbols, .strings = names, .nsymbols = COUNT + 1 },
	};
	for (uint32_t i = 1; i <= COUNT; i++) {
		snprintf(names + i * 8, 8, "cu%u", i);
		symbols[i] = (ElfW(Sym)){
			.st_name = i * 8, .st_value = 0x10 * i, .st_shndx = 1,
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		};
	}
	driver_open(&file.object, &file.image);
	driver_close(&file.object);
	compared = 0;
	opening = file.detail.driver;
	driver_open(&file.object, &file.image);
	opening = NULL;
	first = compared;
	driver_close(&file.object);
	ok(first <= COUNT + 10 * object_table.ndrivers, "a driver of %d functions again: %u names compared", COUNT, first);
}

int main(int argc, char **argv)
{
	static const char *const paths[PATHS] = { "/a/libcuda.so.1", "/b/libcuda.so.1", "/c" };

	chance_begin(argc > 1 ? strtoull(argv[1], NULL, 10) : 1, 0);
	object_table.slots = slots;
	for (int i = 0; i < NAMES; i++)
		snprintf(strings + i * 8, 8, "cuFn%d", i);
	for (int i = 0; i < OBJECTS; i++) {
		files[i].object.path = paths[i % PATHS];
		files[i].object.detail = &files[i].detail;
	}
	for (int step = 0; step < STEPS && !wrong; step++) {
		struct file *file = &files[chance(OBJECTS)];

		if (step == STEPS / 8) {
			object_table.mirror = &mirror[0].real;
			object_table.mirror_stride = sizeof(mirror[0]);
			for (uint32_t i = 0; i < atomic_load(&object_table.nslots); i++)
				atomic_store(&mirror[i].real, atomic_load(&slots[i].real));
		}
		if (!file->open) {
			open_file(file);
			continue;
		}
		driver_close(&file->object);
		expect(!atomic_load(&file->detail.driver->live), "closed");
		file->detail.nslots = 0;
		file->open = false;
		for (int i = 0; i < OBJECTS; i++)
			if (files[i].open)
				check(&files[i], atomic_load(&object_table.nslots));
	}
	is_str(why, "", "%d steps", STEPS);
	diag("%u slots, %u drivers, %zu pieces of memory", atomic_load(&object_table.nslots),
	     atomic_load(&object_table.ndrivers), npieces);
	ok(npieces < STEPS / 8, "memory is used again");
	ok(atomic_load(&object_table.nslots) > NAMES, "there were slots");
	ok(atomic_load(&object_table.aliases) != NULL, "and aliases");
	object_table.mirror = NULL;
	test_order();
	for (int left = 0; left <= 6; left++)
		test_memory(left);
	for (uint32_t left = 0; left <= 6; left++)
		test_slots_left(left);
	return done_testing();
}
