/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of the C library that the auditor has given slots: see audit/libc.h. */
#include "hooks/libc_function.h"

#include <assert.h>
#include <cuaudit/call.h>
#include <errno.h>
#include <string.h>

#include "hooks/core_link.h"
#include "hooks/python.h"
#include "hooks/thread.h"

static_assert((int)LIBC_FUNCTIONS == (int)LINK_LIBC_FUNCTIONS, "one list");

static uint32_t first;	/* the slot of the first one, where there are any */
static const struct link_slot *slots;	/* from that on */

void libc_function_setup(void)
{
	first = cuaudit_core_link->libc_slots;
	slots = &cuaudit_core_link->slots[first];
}

const char *libc_function_libraries(void)
{
	return cuaudit_core_link->libc_libraries;
}

bool libc_function_others_see(void)
{
	const char *listed = cuaudit_core_link->environment.libc;

	return *listed && strcmp(listed, cuaudit_core_link->libc_libraries) != 0;
}

bool libc_function_reported(void)
{
	return cuaudit_core_link->libc_driver;
}

enum libc_function libc_function_of(const struct cuaudit_function *function)
{
	return (enum libc_function)(function->slot - first);
}

bool libc_function_is(uint32_t slot)
{
	return libc_function_reported() && slot - first < LIBC_FUNCTIONS;
}

void *libc_function_real(enum libc_function function)
{
	return atomic_load_explicit(&slots[function].real, memory_order_relaxed);
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
