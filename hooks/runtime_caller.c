/* SPDX-License-Identifier: Apache-2.0 */
/* Who called the function of the runtime that reports a call. */
#include "hooks/runtime_caller.h"

#include <cuaudit/call.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "arch.h"
#include "hooks/library.h"

enum { FRAMES = 16 };

struct runtime_site runtime_sites[RUNTIME_SITES];

static void keep(uintptr_t key, intptr_t address, uintptr_t end)
{
	struct runtime_site *site = runtime_site_of(key);

	if (address != (int16_t)address || end > UINT16_MAX)
		return;
	atomic_store_explicit(&site->key, 0, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&site->where, (uint64_t)*cuaudit_generation << 32 | (uint32_t)end << 16 | (uint16_t)address,
			      memory_order_relaxed);
	atomic_store_explicit(&site->key, key, memory_order_release);
}

/* A runtime of its own library is not who calls; one that is linked into a library is that library's. */
static bool is_shared_runtime(const void *address)
{
	const struct link_object *object = library_object((uintptr_t)address);

	return object && !strncmp(object->name, "libcudart.so", strlen("libcudart.so"));
}

/*
 * Where in a frame, [from, end), the word is that the unwinder took for that return address; 0: it is not known. What
 * a call pushes is the last one; where a function keeps it as it likes, there may be another of an earlier call.
 */
static uintptr_t place_of(const void *address, uintptr_t from, uintptr_t end)
{
	uintptr_t place = 0;

	for (; end >= from + sizeof(uintptr_t); end -= sizeof(uintptr_t)) {
		if (arch_plain_address(((const void *const *)end)[-1]) != address)
			continue;
		if (place)
			return 0;
		place = end - sizeof(uintptr_t);
		if (ARCH_CALL_PUSHES)
			break;
	}
	return place;
}

/* The number of the frame that data is in, the function's; of the innermost, where it is in none. */
static uint32_t frame_of(uintptr_t data, const uintptr_t *at, uint32_t count)
{
	for (uint32_t i = 0; i + 1 < count; i++)
		if (data >= at[i] && data < at[i + 1])
			return i;
	return 0;
}

struct runtime_caller runtime_caller_find(const void *back, uintptr_t data, uintptr_t key)
{
	const void *frames[FRAMES];
	uintptr_t at[FRAMES], place;
	uint32_t whole, count = unwound_stack(back, frames, at, &whole, FRAMES), own, caller;

	own = frame_of(data, at, count);
	for (caller = own + 1; caller < count && is_shared_runtime(frames[caller]);)
		caller++;
	if (caller >= count)
		return (struct runtime_caller){ back, 0 };
	/* Between one function of the runtime and another there may be anything, and so it is around ours. */
	place = caller == own + 1 && caller < whole && data >= at[own] && data < at[caller] ?
		place_of(frames[caller], at[own], at[caller]) : 0;
	if (place)
		keep(key, (intptr_t)(place - data), at[caller] - data);
	return (struct runtime_caller){ frames[caller], at[own + 1] };
}
