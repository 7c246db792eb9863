/* SPDX-License-Identifier: Apache-2.0 */
/* Gives memory functions of the C library slots, for the libraries of CUAUDIT_LIBC and of dbgmem. */
#include "audit/libc.h"

#include "audit/chosen.h"
#include "audit/env.h"
#include "audit/escape.h"
#include "audit/filter.h"
#include "audit/slot.h"
#include "audit/slot_lock.h"
#include "audit/stub.h"
#include "audit/sys.h"

#define LIBRARY "libc.so.6"

static const char *const names[LINK_LIBC_FUNCTIONS] = {
#define LIBC_FUNCTION(name, how) LIBRARY ":" #name,
#include <internal/libc_functions.def>
#undef LIBC_FUNCTION
};

enum { NEVER = LINK_OBJECT_CORE | LINK_OBJECT_DRIVER | LINK_OBJECT_DRIVER_PRIVATE | LINK_OBJECT_EXCLUDED };

static const char *listed = "", *checked = "";	/* the libraries of CUAUDIT_LIBC, of dbgmem */
static const struct link_object *libc;

/* The end of a word of CUAUDIT_HOOKS or of an option: what is within brackets belongs to it. */
static const char *end_of(const char *at, char stop)
{
	for (int open = 0; *at; at++) {
		if (!open && (*at == stop || *at == ')'))
			break;
		open += (*at == '(') - (*at == ')');
	}
	return at;
}

/* The text of dbgmem's option, as the core will read it: the last one that is given. */
static void read_options(const char *at)
{
	static const char key[] = "libraries=";

	while (*at && *at != ')') {
		const char *end = end_of(at, ';');

		if (sys_starts(at, key)) {
			const char *copy = sys_copy(at + sizeof(key) - 1,
						    (size_t)(end - at) - sizeof(key) + 1);

			checked = copy ? copy : "";
		}
		at = end + (*end == ';');
	}
}

void libc_start(const struct link_environment *environment)
{
	static const char module[] = "dbgmem";
	bool on = env_has_domain(environment->domains, "libc");
	const char *at = environment->hooks;

	while (*at) {
		const char *options = at + sizeof(module) - 1;

		if (sys_starts(at, module)) {
			object_table.libc_dbgmem = true;
			if (on && *options == '(')
				read_options(options + 1);
		}
		at = end_of(at, ',');
		at += *at != '\0';
	}
	if (on)
		listed = environment->libc;
	object_table.libc_libraries = checked;
}

bool libc_wanted(void)
{
	return object_table.libc_dbgmem || *listed;
}

/* What the loader and hooks go through, and what is of ours: calls of their own are nobody's to see. */
static bool is_ours(const struct elf_image *image)
{
	const char *soname = image->soname ? image->soname : "";

	return sys_starts(soname, "ld-") || sys_equal(soname, "libgcc_s.so.1") ||
	       sys_equal(soname, "libcuaudit-nvtx.so");
}

/* A plug-in, or what one needs. */
static bool is_of_core(void)
{
	return atomic_load_explicit(&object_table.setup_thread, memory_order_relaxed) == sys_thread();
}

static int function_of(const char *name)
{
	for (int i = 0; i < LINK_LIBC_FUNCTIONS; i++)
		if (sys_equal(name, names[i] + sizeof(LIBRARY)))
			return i;
	return -1;
}

bool libc_is_function(const char *name)
{
	return function_of(name) >= 0;
}

/* Whether it has such a function itself, by which the core may come to the C library's. */
static bool defines_any(struct elf_image *image)
{
	for (uint32_t i = 1; elf_count(image) && i < image->nsymbols; i++) {
		const ElfW(Sym) *symbol = &image->symbols[i];

		if ((elf_exports(symbol, STT_FUNC) || elf_exports(symbol, STT_GNU_IFUNC)) &&
		    libc_is_function(elf_name(image, symbol)))
			return true;
	}
	return false;
}

static bool is_chosen(const struct link_object *object, Lmid_t space, struct elf_image *image)
{
	bool is_main = object->flags & LINK_OBJECT_MAIN;

	if (object->flags & NEVER ||
	    !(filter_list(listed, object->path, is_main) || filter_list(checked, object->path, is_main)))
		return false;
	if (space == LM_ID_BASE && !defines_any(image))
		return true;
	object_table.libc_left = object->path;
	object_table.libc_left_why = space == LM_ID_BASE ? "it has one of its own, which hooks may come to call" :
							    "it is in a namespace of dlmopen";
	return false;
}

/* All have a slot before the core comes, which nothing leads to yet: each is filled when it is bound. */
static bool add_slots(uint32_t driver)
{
	uint64_t signals = slot_lock_take();
	int slot = 0;

	for (int i = 0; i < LINK_LIBC_FUNCTIONS && slot >= 0; i++) {
		slot = slot_add(driver, names[i], sys_strlen(names[i]));
		if (slot < 0)
			break;
		if (!i)
			object_table.libc_slots = (uint32_t)slot;
		slot_fill((uint32_t)slot, NULL);
		stub_route((uint32_t)slot, NULL);
	}
	slot_lock_release(signals);
	return slot >= 0;
}

static void take_libc(const struct link_object *object)
{
	struct link_driver *record = chosen_record(object->path, LIBRARY);

	if (!record || !add_slots((uint32_t)(record - object_table.drivers))) {
		escape_record(CUAUDIT_ESCAPE_PROVIDER, object->path, object, 1);
		return;
	}
	record->nfunctions = LINK_LIBC_FUNCTIONS;
	atomic_store_explicit(&record->live, 1, memory_order_release);
	libc = object;
	object_table.libc_driver = (uint32_t)(record - object_table.drivers);
}

bool libc_open(struct link_object *object, Lmid_t space, struct elf_image *image)
{
	if ((!*listed && !*checked) || object_table.symtab_interposed)
		return false;
	if (image->soname && sys_equal(image->soname, LIBRARY)) {
		if (libc || space != LM_ID_BASE)
			return false;
		take_libc(object);
		return libc;
	}
	image->spares_libc = object->flags & LINK_OBJECT_CORE || is_ours(image) || is_of_core();
	image->calls_libc = !image->spares_libc && is_chosen(object, space, image);
	if (image->calls_libc) {
		object->flags |= LINK_OBJECT_LIBC;
		atomic_fetch_add_explicit(&object_table.libc_chosen, 1, memory_order_relaxed);
	}
	return false;
}

/* Two versions of a name may be two functions: the first one that is bound has the slot. */
static bool take(uint32_t slot, uintptr_t value)
{
	_Atomic(void *) *real = &object_table.slots[slot].real;

	if (!atomic_load_explicit(real, memory_order_relaxed)) {
		uint64_t signals = slot_lock_take();

		if (!atomic_load_explicit(real, memory_order_relaxed))
			slot_fill(slot, (void *)value);
		slot_lock_release(signals);
	}
	return atomic_load_explicit(real, memory_order_relaxed) == (void *)value;
}

int libc_slot(const struct link_object *from, const struct link_object *to, uintptr_t value, const char *name)
{
	uint32_t slot;
	int number;

	if (!libc || to != libc || !from || !(from->flags & LINK_OBJECT_LIBC))
		return -1;
	number = function_of(name);
	if (number < 0 || !value)
		return -1;
	slot = object_table.libc_slots + (uint32_t)number;
	if (!take(slot, value)) {
		atomic_fetch_add_explicit(&object_table.libc_others, 1, memory_order_relaxed);
		return -1;
	}
	atomic_fetch_add_explicit(&object_table.libc_bound, 1, memory_order_relaxed);
	return (int)slot;
}
