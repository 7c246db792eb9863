/* SPDX-License-Identifier: Apache-2.0 */
/* Notices that the program ends without exit(). */
#include "audit/exit.h"

#include "audit/sys.h"

typedef void (*end_fn)(int status);

enum { ENDS = 3 };

static const struct link_object *libc;
static _Atomic(end_fn) real[ENDS];	/* libc's, once it was asked for */

/*
 * Context: call, in a signal handler or a child of vfork too, on any stack. The
 * core knows whether this is the process it reports for.
 */
static void end(int which, int status)
{
	void (*tell)(int) = atomic_load_explicit(&object_table.process_exit, memory_order_acquire);

	if (tell)
		tell(status);
	atomic_load_explicit(&real[which], memory_order_relaxed)(status);
}

static void end_0(int status)
{
	end(0, status);
}

static void end_1(int status)
{
	end(1, status);
}

static void end_2(int status)
{
	end(2, status);
}

static const struct {
	const char *name;
	end_fn function;
} ends[ENDS] = {
	{ "_Exit", end_0 },
	{ "_exit", end_1 },
	{ "quick_exit", end_2 },
};

bool exit_open(const struct link_object *object, Lmid_t space, const struct elf_image *image)
{
	if (libc || object_table.symtab_interposed || space != LM_ID_BASE || !image->soname ||
	    !sys_equal(image->soname, "libc.so.6"))
		return false;
	libc = object;
	return true;
}

uintptr_t exit_bind(const struct link_object *to, uintptr_t value, const char *name)
{
	if (to != libc || !libc)
		return value;
	for (int i = 0; i < ENDS; i++) {
		end_fn known = NULL;

		if (!sys_equal(name, ends[i].name))
			continue;
		/* Of two versions of a function the one that was asked for first. */
		if (atomic_compare_exchange_strong_explicit(&real[i], &known, (end_fn)value,
							    memory_order_relaxed,
							    memory_order_relaxed) ||
		    known == (end_fn)value)
			return (uintptr_t)ends[i].function;
	}
	return value;
}
