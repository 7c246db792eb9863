/* SPDX-License-Identifier: Apache-2.0 */
/* Memory functions that look at what they are given, then call libc's. */
#include <cuaudit/hook.h>
#include <stdatomic.h>

#include "hooks/modules/dbgmem/dbgmem.h"

typedef uintptr_t (*real_fn)(uintptr_t to, uintptr_t from, size_t size, size_t room);

static bool overlaps(uintptr_t to, size_t writes, uintptr_t from, size_t reads)
{
	return writes && reads && (to > from ? to - from < reads : from - to < writes);
}

static void judge(struct dbgmem_call *call)
{
	call->bad_from |= !dbgmem_look(call->from, call->reads, false);
	/* Pages of what is not copied to need not be made. */
	call->bad_to |= !dbgmem_look(call->to, call->bad_from ? !!call->writes : call->writes, true);
	if (call->bad_from || call->bad_to || call->overlap)
		dbgmem_report(call);
}

/* Compilers copy a structure to itself. */
static void check_COPY(struct dbgmem_call *call, size_t size)
{
	call->reads = call->writes = size;
	call->overlap = call->to != call->from && overlaps(call->to, size, call->from, size);
	judge(call);
}

static void check_MOVE(struct dbgmem_call *call, size_t size)
{
	call->reads = call->writes = size;
	judge(call);
}

static void check_SET(struct dbgmem_call *call, size_t size)
{
	call->from = 0;
	call->writes = size;
	judge(call);
}

/* The source's bytes, with the one that ends it or could not be read. */
static void measure(struct dbgmem_call *call, size_t most)
{
	call->bad_from = !dbgmem_string(call->from, most, &call->reads);
	call->reads += call->reads < most;
}

static void check_STRING(struct dbgmem_call *call, size_t size)
{
	(void)size;
	measure(call, SIZE_MAX);
	call->writes = call->reads;
	call->overlap = call->to != call->from &&
			overlaps(call->to, call->writes, call->from, call->reads);
	judge(call);
}

static void check_BOUNDED(struct dbgmem_call *call, size_t size)
{
	measure(call, size);
	call->writes = size;
	call->overlap = call->to != call->from &&
			overlaps(call->to, call->writes, call->from, call->reads);
	judge(call);
}

static void check_APPEND(struct dbgmem_call *call, size_t size)
{
	size_t length;

	(void)size;
	measure(call, SIZE_MAX);
	call->bad_to = !dbgmem_string(call->to, SIZE_MAX, &length);
	call->writes = length + call->reads;
	call->overlap = !call->bad_to && overlaps(call->to, call->writes, call->from, call->reads);
	judge(call);
}

/*
 * The only hook of a function stands in for it. It is called with the words that the function has, whatever is in the
 * others.
 */
#define LIBC_FUNCTION(name, how) \
	static uintptr_t checked_##name(uintptr_t to, uintptr_t from, size_t size, size_t room) \
	{ \
		struct dbgmem_call call = { \
			.function = #name, .caller = __builtin_return_address(0), \
			.to = to, .from = from, \
		}; \
\
		check_##how(&call, size); \
		return ((real_fn)libc_function_real(LIBC_##name))(to, from, size, room); \
	}
#include <internal/libc_functions.def>
#undef LIBC_FUNCTION

static const struct {
	const char *name;
	void (*check)(struct dbgmem_call *call, size_t size);
	uintptr_t (*checked)(uintptr_t to, uintptr_t from, size_t size, size_t room);
} functions[] = {
#define LIBC_FUNCTION(name, how) [LIBC_##name] = { #name, check_##how, checked_##name },
#include <internal/libc_functions.def>
#undef LIBC_FUNCTION
};

void *dbgmem_function(const struct cuaudit_function *function)
{
	return (void *)functions[libc_function_of(function)].checked;
}

static _Atomic bool entered;

bool dbgmem_entered(void)
{
	return atomic_load_explicit(&entered, memory_order_relaxed);
}

int dbgmem_enter(struct cuaudit_call *call, void *data)
{
	uint32_t number = libc_function_of(call->function);
	struct dbgmem_call its = {
		.function = functions[number].name, .caller = call->caller,
		.to = call->words[0], .from = call->words[1],
	};

	(void)data;
	if (!dbgmem_entered())
		atomic_store_explicit(&entered, true, memory_order_relaxed);
	functions[number].check(&its, call->words[2]);
	return CUAUDIT_CONTINUE;
}
