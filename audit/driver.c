/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of the driver: each exported function of each gets a slot. */
#include "audit/driver.h"

#include "audit/escape.h"
#include "audit/slot.h"
#include "audit/slot_lock.h"
#include "audit/sys.h"

enum { MAX_NAME = 1024 };

/* A record left by dlclose is used again by the next driver from the same path. */
static struct link_driver *find_driver(const char *path)
{
	uint32_t count = atomic_load_explicit(&object_table.ndrivers, memory_order_relaxed);
	struct link_driver *driver;

	for (uint32_t i = 0; i < count; i++) {
		driver = &object_table.drivers[i];
		if (!atomic_load_explicit(&driver->live, memory_order_relaxed) &&
		    sys_equal(driver->path, path))
			return driver;
	}
	if (count == LINK_DRIVERS)
		return NULL;
	driver = &object_table.drivers[count];
	driver->path = path;
	atomic_store_explicit(&object_table.ndrivers, count + 1, memory_order_release);
	return driver;
}

static uint32_t index_of(const struct link_driver *driver)
{
	return (uint32_t)(driver - object_table.drivers);
}

/* The driver's slot of that name; hint is where it was the last time. */
static int find_slot(uint32_t driver, const char *name, uint32_t hint)
{
	uint32_t count = atomic_load_explicit(&object_table.nslots, memory_order_relaxed);
	const struct link_slot *slots = object_table.slots;

	if (hint < count && slots[hint].driver == driver && sys_equal(slots[hint].name, name))
		return (int)hint;
	for (uint32_t i = 0; i < count; i++)
		if (slots[i].driver == driver && sys_equal(slots[i].name, name))
			return (int)i;
	return -1;
}

/* By address, those of one address in the order of their symbols. */
static bool is_behind(const struct link_export *a, const struct link_export *b)
{
	return a->address != b->address ? a->address > b->address : a->slot > b->slot;
}

static void sort_exports(struct link_export *exports, uint32_t count)
{
	/* Shell sort: no recursion, no memory, ~700 elements. */
	for (uint32_t gap = count / 2; gap; gap /= 2) {
		for (uint32_t i = gap; i < count; i++) {
			struct link_export moved = exports[i];
			uint32_t j = i;

			for (; j >= gap && is_behind(&exports[j - gap], &moved); j -= gap)
				exports[j] = exports[j - gap];
			exports[j] = moved;
		}
	}
}

/* How many exports each record of a driver has room for; with any of its path's objects. */
static uint32_t export_room[LINK_DRIVERS];

/* Room for exports only grows: who counted more of them before reads none that are not there. */
static bool make_room(struct object_detail *detail, struct link_driver *driver, uint32_t symbols)
{
	uint32_t *room = &export_room[index_of(driver)];

	if (symbols > detail->capacity) {
		uint16_t *slots = sys_alloc(symbols * sizeof(*slots));

		if (!slots)
			return false;
		detail->slots = slots;
		detail->capacity = symbols;
	}
	if (symbols > *room) {
		struct link_export *exports = sys_alloc(symbols * sizeof(*exports));

		if (!exports)
			return false;
		driver->exports = exports;
		*room = symbols;
	}
	detail->nslots = symbols;
	for (uint32_t i = 0; i < symbols; i++)
		detail->slots[i] = 0;
	return true;
}

/* What a symbol's slot is called, in buffer where that is not a string of the object. */
static const char *slot_name(const struct elf_image *image, uint32_t symbol, char *buffer, size_t size)
{
	const char *name = elf_name(image, &image->symbols[symbol]);
	const char *version = elf_version(image, symbol), *parts[] = { name, "@", version };
	size_t used = 0;

	if (!version)
		return name;
	for (int i = 0; i < 3; i++)
		for (const char *from = parts[i]; *from && used < size - 1; from++)
			buffer[used++] = *from;
	buffer[used] = '\0';
	return buffer;
}

/* A driver whose functions are given slots. */
struct taking {
	struct link_driver *driver;
	struct object_detail *detail;
	const struct elf_image *image;
	bool known;	/* a driver of that path was there before */
	uint32_t hint;	/* where the next name's slot was then */
	uint32_t indirect;	/* exports whose address is not known yet */
};

/* The slot that name had before, or -1. */
static int known_slot(struct taking *taking, const char *name)
{
	int slot = taking->known ? find_slot(index_of(taking->driver), name, taking->hint) : -1;

	if (slot >= 0)
		taking->hint = (uint32_t)slot + 1;
	return slot;
}

/*
 * Gives slots to the names of one function, exports whose slot is their
 * symbol's number yet. A name that had a slot before keeps it; the others
 * share one, so that their addresses are equal as they are in the driver.
 */
static void take_function(struct taking *taking, struct link_export *exports, uint32_t count)
{
	uint32_t own = index_of(taking->driver);
	uint16_t *slots = taking->detail->slots;
	void *real = (void *)exports->address;
	char buffer[MAX_NAME];
	int shared = -1;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t symbol = exports[i].slot;
		int slot = known_slot(taking, slot_name(taking->image, symbol, buffer,
							sizeof(buffer)));

		if (slot < 0)
			continue;
		slots[symbol] = (uint16_t)(slot + 1);
		slot_fill((uint32_t)slot, real);
		if (shared < 0)
			shared = slot;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t symbol = exports[i].slot;
		const char *name = slot_name(taking->image, symbol, buffer, sizeof(buffer));

		if (!slots[symbol] && shared >= 0) {
			slots[symbol] = (uint16_t)(shared + 1);
			slot_add_name((uint32_t)shared, name, sys_strlen(name));
		} else if (!slots[symbol] && (shared = slot_add(own, name, sys_strlen(name))) >= 0) {
			slots[symbol] = (uint16_t)(shared + 1);
			slot_fill((uint32_t)shared, real);
		}
		taking->driver->without_slot += !slots[symbol];
		exports[i].slot = slots[symbol] - 1u;
	}
}

static void take_functions(struct taking *taking)
{
	struct link_driver *driver = taking->driver;
	struct link_export *exports = driver->exports;
	uint32_t count = 0, kept = 0, end;

	for (uint32_t i = 1; i < taking->image->nsymbols; i++) {
		const ElfW(Sym) *symbol = &taking->image->symbols[i];

		taking->indirect += elf_exports(symbol, STT_GNU_IFUNC);
		if (elf_exports(symbol, STT_FUNC))
			exports[count++] = (struct link_export){
				taking->image->base + symbol->st_value, i
			};
	}
	driver->nfunctions = count + taking->indirect;
	driver->without_slot = taking->indirect;
	sort_exports(exports, count);
	for (uint32_t i = 0; i < count; i = end) {
		for (end = i + 1; end < count && exports[end].address == exports[i].address;)
			end++;
		take_function(taking, &exports[i], end - i);
	}
	for (uint32_t i = 0; i < count; i++)
		if (exports[i].slot < LINK_SLOTS)
			exports[kept++] = exports[i];
	atomic_store_explicit(&driver->nexports, kept, memory_order_release);
}

void driver_open(struct link_object *object, const struct elf_image *image)
{
	struct link_driver *driver = find_driver(object->path);
	struct object_detail *detail = object_detail(object);
	struct taking taking = { .driver = driver, .detail = detail, .image = image };
	uint64_t signals;

	if (!driver || !detail || !make_room(detail, driver, image->nsymbols)) {
		escape_record(CUAUDIT_ESCAPE_DRIVER, object->path, object, 1);
		return;
	}
	object->flags |= LINK_OBJECT_DRIVER;
	atomic_store_explicit(&driver->nexports, 0, memory_order_relaxed);
	taking.known = driver->nfunctions;
	signals = slot_lock_take();
	take_functions(&taking);
	slot_lock_release(signals);
	if (driver->without_slot > taking.indirect)
		escape_record(CUAUDIT_ESCAPE_SLOTS, object->path, object,
			    driver->without_slot - taking.indirect);
	if (taking.indirect)
		escape_record(CUAUDIT_ESCAPE_IFUNC, object->path, object, taking.indirect);
	detail->driver = driver;
	atomic_store_explicit(&driver->live, 1, memory_order_release);
	escape_print();
}

void driver_close(struct link_object *object)
{
	atomic_store_explicit(&object->detail->driver->live, 0, memory_order_release);
}

int driver_slot(const struct link_object *object, unsigned int symbol)
{
	const struct object_detail *detail = object->detail;

	return symbol < detail->nslots ? (int)detail->slots[symbol] - 1 : -1;
}

bool driver_exports(uintptr_t address)
{
	uint32_t count = atomic_load_explicit(&object_table.ndrivers, memory_order_relaxed);

	for (uint32_t i = 0; i < count; i++) {
		const struct link_driver *driver = &object_table.drivers[i];
		uint32_t exports = atomic_load_explicit(&driver->nexports, memory_order_relaxed);

		for (uint32_t k = 0; k < exports; k++)
			if (driver->exports[k].address == address)
				return true;
	}
	return false;
}
