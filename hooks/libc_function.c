/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the C library that the auditor has bound to stubs: see audit/libc.h. */
#include "hooks/libc_function.h"

#include <assert.h>
#include <errno.h>

#include "hooks/core_link.h"
#include "hooks/python.h"
#include "hooks/thread.h"

static_assert((int)LIBC_FUNCTIONS == (int)LINK_LIBC_FUNCTIONS, "one list");

const char *libc_function_libraries(void)
{
	return cuaudit_core_link->libc_libraries;
}

bool libc_function_reported(void)
{
	return cuaudit_core_link->libc_reported;
}

void libc_function_check(enum libc_function function, void *check)
{
	struct link_libc_function *its = &cuaudit_core_link->libc[function];
	_Atomic(void *) *route = &cuaudit_core_link->routes[LINK_SLOTS + (uint32_t)function];

	/* Among seq_cst with libc_bind of the auditor: either this or that sees the other. */
	atomic_store_explicit(&its->check, check, memory_order_seq_cst);
	if (atomic_load_explicit(route, memory_order_seq_cst))
		atomic_store_explicit(route, check, memory_order_release);
}

void *libc_function_real(enum libc_function function)
{
	return atomic_load_explicit(&cuaudit_core_link->libc[function].real, memory_order_relaxed);
}

void libc_function_thread(bool for_python)
{
	int error = errno;

	/* Others need no memory of ours, which may come to lie where they read too far. */
	if (!thread_self && (!for_python || python_get()))
		thread_begin();
	errno = error;
}

bool libc_function_missed(void)
{
	return !atomic_load_explicit(&cuaudit_core_link->libc_bound, memory_order_relaxed) &&
	       core_link_any_provider();
}

uint32_t libc_function_others(void)
{
	return atomic_load_explicit(&cuaudit_core_link->libc_others, memory_order_relaxed);
}
