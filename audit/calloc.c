/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the loader from starting the program's malloc too early. */
#include "audit/calloc.h"

#include <stdatomic.h>

#include "audit/sys.h"

static const uintptr_t *program;
static void *(*real)(size_t count, size_t size);
static _Atomic bool settled;

void calloc_open(bool base, const uintptr_t *cookie)
{
	if (base && !program)
		program = cookie;
}

/*
 * ld.so's calloc. The first call before all is bound is for its own
 * relocation results, which nobody frees; there is one thread.
 */
static void *loaders_calloc(size_t count, size_t size)
{
	void *memory = NULL;

	if (!atomic_load_explicit(&settled, memory_order_relaxed)) {
		atomic_store_explicit(&settled, true, memory_order_relaxed);
		memory = sys_alloc(count * size);
	}
	return memory ? memory : real(count, size);
}

/* No constructor has run before all is bound: the look-up can only be ld.so's own. */
uintptr_t calloc_bind(const uintptr_t *from, uintptr_t value, const char *name)
{
	if (atomic_load_explicit(&settled, memory_order_relaxed) || real || from != program ||
	    !sys_equal(name, "calloc"))
		return value;
	real = (void *(*)(size_t, size_t))value;
	return (uintptr_t)loaders_calloc;
}

void calloc_settle(const uintptr_t *cookie)
{
	if (cookie == program && !atomic_load_explicit(&settled, memory_order_relaxed))
		atomic_store_explicit(&settled, true, memory_order_relaxed);
}
