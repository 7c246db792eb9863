/* SPDX-License-Identifier: Apache-2.0 */
/* Binds memory functions of the C library, where libraries that dbgmem names ask for them. */
#include "audit/libc.h"

#include "audit/env.h"
#include "audit/filter.h"
#include "audit/stub.h"
#include "audit/sys.h"

static const char *const names[LINK_LIBC_FUNCTIONS] = {
#define LIBC_FUNCTION(name, how) #name,
#include <internal/libc_functions.def>
#undef LIBC_FUNCTION
};

enum { NEVER = LINK_OBJECT_CORE | LINK_OBJECT_DRIVER | LINK_OBJECT_DRIVER_PRIVATE | LINK_OBJECT_EXCLUDED };

static const char *libraries = "";
static bool wanted;	/* dbgmem is to be started, perhaps wrongly */
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

			libraries = copy ? copy : "";
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
			wanted = true;
			if (on && *options == '(')
				read_options(options + 1);
		}
		at = end_of(at, ',');
		at += *at != '\0';
	}
	object_table.libc_libraries = libraries;
}

bool libc_wanted(void)
{
	return wanted;
}

static bool is_loader(const struct elf_image *image)
{
	return image->soname && sys_starts(image->soname, "ld-");
}

bool libc_open(struct link_object *object, Lmid_t space, struct elf_image *image)
{
	if (!*libraries || space != LM_ID_BASE || object_table.symtab_interposed)
		return false;
	if (!libc && image->soname && sys_equal(image->soname, "libc.so.6")) {
		libc = object;
		object_table.libc_reported = true;
		return true;
	}
	image->checked = !(object->flags & NEVER) && !is_loader(image) &&
			 filter_list(libraries, object->path, object->flags & LINK_OBJECT_MAIN);
	if (image->checked)
		object->flags |= LINK_OBJECT_CHECKED;
	return false;
}

static int function_of(const char *name)
{
	for (int i = 0; i < LINK_LIBC_FUNCTIONS; i++)
		if (sys_equal(name, names[i]))
			return i;
	return -1;
}

bool libc_is_function(const char *name)
{
	return function_of(name) >= 0;
}

/* Two versions of a name may be two functions: the first one is checked. */
static bool take(struct link_libc_function *function, void *value)
{
	void *known = NULL;

	return atomic_compare_exchange_strong_explicit(&function->real, &known, value,
						       memory_order_relaxed, memory_order_relaxed) ||
	       known == value;
}

uintptr_t libc_bind(const struct link_object *from, const struct link_object *to, uintptr_t value,
		    const char *name)
{
	struct link_libc_function *function;
	void *check;
	int number;

	if (!libc || to != libc || !from || !(from->flags & LINK_OBJECT_CHECKED))
		return value;
	number = function_of(name);
	if (number < 0 || !value)
		return value;
	function = &object_table.libc[number];
	if (!take(function, (void *)value)) {
		atomic_fetch_add_explicit(&object_table.libc_others, 1, memory_order_relaxed);
		return value;
	}
	atomic_fetch_add_explicit(&object_table.libc_bound, 1, memory_order_relaxed);
	/* Among seq_cst with libc_function_check of the core: either this or that sees the other. */
	stub_reroute(LINK_SLOTS + (uint32_t)number, NULL, (void *)value);
	check = atomic_load_explicit(&function->check, memory_order_seq_cst);
	if (check)
		stub_route(LINK_SLOTS + (uint32_t)number, check);
	return (uintptr_t)stub_address(LINK_SLOTS + (uint32_t)number);
}
