/* SPDX-License-Identifier: Apache-2.0 */
/* The libraries of CUAUDIT_PROVIDERS, and shared runtimes: each exported function gets a slot when it is bound. */
#include "audit/chosen.h"

#include "arch.h"
#include "audit/env.h"
#include "audit/escape.h"
#include "audit/filter.h"
#include "audit/judge.h"
#include "audit/provider.h"
#include "audit/slot.h"
#include "audit/slot_lock.h"
#include "audit/sys.h"
#include "util/unfit.h"

enum { MOST = 1 << 16 };	/* bytes of a name */

/* One that is open. */
struct chosen {
	struct elf_image image;
	struct link_driver *record;
	_Atomic uint16_t *slots;	/* + 1, by symbol; 0: not bound yet */
	uint32_t *next;			/* by symbol: another one of the same function, 0: none */
	uint32_t *first;		/* hashed by where the symbols say that they are, the first of each */
	uint32_t room;			/* of all three, a power of two */
	bool known;			/* a library of that path was there before */
	bool listed;			/* not for the runtime's domain alone */
};

static bool any_function, runtime;	/* what is chosen: libraries of the list, the runtime's */
static char name[MOST];	/* the following under the lock of slots */
static uint32_t nunfit;
static uint16_t names[4096], next_of_name[LINK_SLOTS];	/* slots + 1 of providers, by name */

void chosen_start(void)
{
	const struct link_environment *environment = &object_table.environment;

	if (environment->providers[0] && object_table.symtab_interposed)
		judge_no_providers();
	if (object_table.symtab_interposed)
		return;
	any_function = environment->providers[0];
	/* The driver's functions and the runtime's have no such arguments. */
	if (any_function)
		object_table.wide_vectors = arch_wide_vectors();
	runtime = env_has_domain(environment->domains, "runtime");
}

bool chosen_may_export(const char *function, unsigned int type)
{
	return (any_function && (type == STT_FUNC || type == STT_NOTYPE)) ||
	       (runtime && sys_starts(function, "cuda"));
}

static bool is_listed(const struct link_object *object, const struct elf_image *image)
{
	const char *list = object_table.environment.providers, *why;

	return any_function && (filter_list(list, object->path, false) ||
				(image->soname && filter_list(list, image->soname, false))) &&
	       !(image->soname && provider_refused(image->soname, &why));
}

static bool is_runtime(const struct elf_image *image)
{
	return runtime && image->soname && sys_starts(image->soname, "libcudart.so.");
}

bool chosen_takes(const struct link_object *object, const struct elf_image *image)
{
	return !(object->flags & (LINK_OBJECT_MAIN | LINK_OBJECT_DRIVER_PRIVATE)) &&
	       (is_listed(object, image) || is_runtime(image));
}

struct link_driver *chosen_record(const char *path, const char *named)
{
	uint32_t count = atomic_load_explicit(&object_table.nproviders, memory_order_relaxed);
	struct link_driver *record = object_table.drivers + LINK_DRIVERS, *end = record + count;

	for (; record < end; record++)
		if (!atomic_load_explicit(&record->live, memory_order_relaxed) &&
		    sys_equal(record->path, path))
			return record;
	if (count == LINK_PROVIDERS)
		return NULL;
	record->path = path;
	record->name = sys_copy(named, sys_strlen(named));
	if (!record->name)
		return NULL;
	/* Pairs with the core's reading of them. */
	atomic_store_explicit(&object_table.nproviders, count + 1, memory_order_release);
	return record;
}

static bool is_function(const ElfW(Sym) *symbol)
{
	return elf_exports(symbol, STT_FUNC) || elf_exports(symbol, STT_GNU_IFUNC);
}

/* The first symbol of a function, or the place for it, which is 0. */
static uint32_t *first_of(const struct chosen *chosen, uintptr_t value)
{
	uint32_t at = (uint32_t)((value * 0x9e3779b97f4a7c15u) >> 32);

	while (chosen->first[at % chosen->room] &&
	       chosen->image.symbols[chosen->first[at % chosen->room]].st_value != value)
		at++;
	return &chosen->first[at % chosen->room];
}

/* Functions have several names, of which any may be bound and selected. */
static void find_names(struct chosen *chosen)
{
	for (uint32_t i = chosen->image.nsymbols - 1; i; i--) {
		const ElfW(Sym) *symbol = &chosen->image.symbols[i];
		uint32_t *first;

		if (!is_function(symbol))
			continue;
		first = first_of(chosen, symbol->st_value);
		chosen->next[i] = *first;
		*first = i;
	}
}

static bool make_tables(struct chosen *chosen)
{
	uint32_t places = 1;

	while (places < 2 * chosen->image.nsymbols)
		places *= 2;
	if (places > chosen->room) {
		chosen->slots = sys_map(places * sizeof(*chosen->slots));
		chosen->next = sys_map(places * sizeof(*chosen->next));
		chosen->first = sys_map(places * sizeof(*chosen->first));
		chosen->room = chosen->slots && chosen->next && chosen->first ? places : 0;
	} else {
		/* Of the library that had the record before, whether any of it was bound or not. */
		for (uint32_t i = 0; i < chosen->room; i++) {
			atomic_store_explicit(&chosen->slots[i], 0, memory_order_relaxed);
			chosen->next[i] = chosen->first[i] = 0;
		}
	}
	if (chosen->room)
		find_names(chosen);
	return chosen->room;
}

/* The record of one that was open before is used again, with its tables. */
static struct chosen *find_chosen(struct link_object *object)
{
	struct object_detail *detail = object_detail(object);

	if (detail && !detail->chosen)
		detail->chosen = sys_alloc(sizeof(*detail->chosen));
	return detail ? detail->chosen : NULL;
}

void chosen_open(struct link_object *object, struct elf_image *image)
{
	const char *named = image->soname && image->soname[0] ? image->soname : object->name;
	struct link_driver *record = elf_count(image) ? chosen_record(object->path, named) : NULL;
	struct chosen *chosen = record ? find_chosen(object) : NULL;

	if (chosen) {
		chosen->image = *image;
		chosen->record = record;
		chosen->known = record->nfunctions;
		chosen->listed = is_listed(object, image);
	}
	if (!chosen || !make_tables(chosen)) {
		escape_record(CUAUDIT_ESCAPE_PROVIDER, object->path, object, 1);
		return;
	}
	record->without_slot = 0;
	atomic_store_explicit(&record->live, 1, memory_order_release);
	object->flags |= LINK_OBJECT_PROVIDER;
}

/* As a process ends its libraries are closed one by one, and those that are left bind functions yet. */
void chosen_close(struct link_object *object)
{
	atomic_store_explicit(&object->detail->chosen->record->live, 0, memory_order_release);
}

/* By any of its names: they are one function, and share its slot or its address. */
static bool is_unfit(const struct chosen *chosen, uint32_t symbol)
{
	uint32_t i = *first_of(chosen, chosen->image.symbols[symbol].st_value);

	for (; i; i = chosen->next[i]) {
		const char *function = elf_name(&chosen->image, &chosen->image.symbols[i]);

		if (unfit_name(function, sys_strlen(function)))
			return true;
	}
	return false;
}

/* name = "LIBRARY:name", with "@VERSION" where that is not the default: its length, 0 for one that is too long. */
static size_t full_name(const struct chosen *chosen, uint32_t symbol)
{
	const char *version = elf_version(&chosen->image, symbol);
	const char *const parts[] = {
		chosen->record->name, ":", elf_name(&chosen->image, &chosen->image.symbols[symbol]),
		version ? "@" : "", version ? version : "",
	};
	size_t used = 0;

	for (int i = 0; i < 5; i++)
		for (const char *from = parts[i]; *from; from++) {
			if (used == MOST - 1)
				return 0;
			name[used++] = *from;
		}
	name[used] = '\0';
	return used;
}

/* FNV-1a. */
static uint32_t hash_of(const char *text)
{
	uint32_t hash = 2166136261u;

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash;
}

static uint16_t *chain_of(const char *of)
{
	return &names[hash_of(of) % (sizeof(names) / sizeof(names[0]))];
}

/* The slot that a library of that path had by the name before, or -1. */
static int known_slot(uint32_t driver)
{
	for (uint32_t at = *chain_of(name); at; at = next_of_name[at - 1]) {
		const struct link_slot *slot = &object_table.slots[at - 1];

		if (slot->driver == driver && sys_equal(slot->name, name))
			return (int)at - 1;
	}
	return -1;
}

/* Under the lock: the slot of a name, which it had before or is new. */
static int name_slot(struct chosen *chosen, size_t length)
{
	uint32_t own = (uint32_t)(chosen->record - object_table.drivers);
	int slot = length && chosen->known ? known_slot(own) : -1;

	if (!length || slot >= 0)
		return slot;
	slot = slot_add(own, name, length);
	if (slot < 0)
		return -1;
	next_of_name[slot] = *chain_of(name);
	*chain_of(name) = (uint16_t)(slot + 1);
	chosen->record->nfunctions++;
	return slot;
}

/*
 * Under the lock. All names of a function share a slot, so that their addresses are equal, as
 * they are in the library. It is called by the one that was bound first.
 */
static int make_slot(struct chosen *chosen, uint32_t symbol, uintptr_t address)
{
	uint32_t first = *first_of(chosen, chosen->image.symbols[symbol].st_value);
	int slot = name_slot(chosen, full_name(chosen, symbol));
	size_t length;

	if (slot < 0)
		return -1;
	/* The core looks at all names once the slot is filled. */
	for (uint32_t i = first; i; i = chosen->next[i])
		if (i != symbol && (length = full_name(chosen, i)))
			slot_add_name((uint32_t)slot, name, length);
	slot_fill((uint32_t)slot, (void *)address);
	/* Pairs with the first look of chosen_slot. */
	for (uint32_t i = first; i; i = chosen->next[i])
		atomic_store_explicit(&chosen->slots[i], (uint16_t)(slot + 1), memory_order_release);
	return slot;
}

/* All names of a function that has no slot, for who wants to know what no hook sees. */
static void tell_unfit(const struct chosen *chosen, uint32_t symbol)
{
	uint64_t signals = slot_lock_take();
	uint32_t first = *first_of(chosen, chosen->image.symbols[symbol].st_value);
	bool known = !full_name(chosen, first) || slot_knows_unfit(name);

	for (uint32_t i = first; i && !known; i = chosen->next[i]) {
		size_t length = full_name(chosen, i);

		if (length)
			slot_add_unfit(nunfit, name, length);
	}
	nunfit += !known;
	slot_lock_release(signals);
}

static int refuse(struct link_object *object, struct chosen *chosen, enum cuaudit_escape_kind kind)
{
	__atomic_fetch_add(&chosen->record->without_slot, 1, __ATOMIC_RELAXED);
	escape_record(kind, object->path, object, 1);
	return -1;
}

int chosen_slot(struct link_object *object, uint32_t symbol, uintptr_t address)
{
	struct chosen *chosen = object->detail->chosen;
	const char *function;
	uint64_t signals;
	int slot;

	if (symbol >= chosen->image.nsymbols || !is_function(&chosen->image.symbols[symbol]))
		return -1;
	slot = atomic_load_explicit(&chosen->slots[symbol], memory_order_acquire);
	if (slot)
		return slot - 1;
	function = elf_name(&chosen->image, &chosen->image.symbols[symbol]);
	/* What compilers call is nobody's to see who asks for the runtime's functions. */
	if (!chosen->listed && !sys_starts(function, "cuda"))
		return -1;
	if (is_unfit(chosen, symbol)) {
		tell_unfit(chosen, symbol);
		return refuse(object, chosen, CUAUDIT_ESCAPE_UNFIT);
	}
	signals = slot_lock_take();
	slot = atomic_load_explicit(&chosen->slots[symbol], memory_order_relaxed) - 1;
	if (slot < 0)
		slot = make_slot(chosen, symbol, address);
	slot_lock_release(signals);
	return slot < 0 ? refuse(object, chosen, CUAUDIT_ESCAPE_SLOTS) : slot;
}
