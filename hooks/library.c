/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries by address. */
#include "hooks/library.h"

#include <cuaudit/hook.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hooks/library_call.h"
#include "hooks/loaded_image.h"

static const struct cuaudit_library unknown = { "[unknown]", "[unknown]", 0 };

const uint32_t *cuaudit_generation;

void library_setup(void)
{
	cuaudit_generation = (const uint32_t *)&cuaudit_core_link->generation;
}

/* Library i + 1 for object i, in chunks like the auditor's. */
static _Atomic(struct cuaudit_library *) chunks[LINK_CHUNKS];

const struct link_object *library_object(uintptr_t address)
{
	uint32_t count = atomic_load_explicit(&cuaudit_core_link->nobjects, memory_order_acquire);

	for (uint32_t i = 0; i < count; i++) {
		const struct link_object *object;
		uintptr_t lo, hi;

		if (!atomic_load_explicit(&cuaudit_core_link->live[i / LINK_CHUNK],
					  memory_order_relaxed)) {
			i |= LINK_CHUNK - 1;
			continue;
		}
		object = link_object(cuaudit_core_link, i);
		if (link_extent(object, &lo, &hi) && address >= lo && address < hi)
			return object;
	}
	return NULL;
}

const struct cuaudit_library *library_of(const struct link_object *object)
{
	_Atomic(struct cuaudit_library *) *chunk;
	struct cuaudit_library *libraries, *fresh;

	if (!object)
		return &unknown;
	chunk = &chunks[object->index / LINK_CHUNK];
	libraries = atomic_load_explicit(chunk, memory_order_acquire);
	if (!libraries) {
		fresh = cuaudit_pages(LINK_CHUNK * sizeof(*fresh));
		if (!fresh)
			return &unknown;
		/* The loser of a race leaves some pages unused. */
		if (atomic_compare_exchange_strong_explicit(chunk, &libraries, fresh,
							    memory_order_acq_rel,
							    memory_order_acquire))
			libraries = fresh;
	}
	libraries += object->index % LINK_CHUNK;
	if (__atomic_load_n(&libraries->index, __ATOMIC_ACQUIRE) == object->index + 1)
		return libraries;
	/* Every thread that comes this far writes the same. */
	__atomic_store_n(&libraries->path, object->path, __ATOMIC_RELAXED);
	__atomic_store_n(&libraries->name, object->name, __ATOMIC_RELAXED);
	__atomic_store_n(&libraries->index, object->index + 1, __ATOMIC_RELEASE);
	return libraries;
}

const struct cuaudit_library *cuaudit_library_get(uint32_t index)
{
	if (!index)
		return &unknown;
	if (index > atomic_load_explicit(&cuaudit_core_link->nobjects, memory_order_acquire))
		return NULL;
	return library_of(link_object(cuaudit_core_link, index - 1));
}

int cuaudit_main_called(void)
{
	return atomic_load_explicit(&cuaudit_core_link->main_called, memory_order_relaxed);
}

const struct cuaudit_library *library_look_up(const struct cuaudit_call *call)
{
	struct thread_caller *known = library_caller(call);
	/* Before the look-up: what changes meanwhile is looked up again. */
	uint32_t generation = atomic_load_explicit(&cuaudit_core_link->generation,
						   memory_order_acquire);

	/* A handler may come in between: the address is written last. */
	known->address = NULL;
	atomic_signal_fence(memory_order_seq_cst);
	known->library = library_of(library_object((uintptr_t)call->caller));
	known->generation = generation;
	atomic_signal_fence(memory_order_seq_cst);
	known->address = call->caller;
	return known->library;
}

const struct cuaudit_library *cuaudit_call_library(const struct cuaudit_call *call)
{
	return library_of_call(call);
}

bool library_is_excluded(const struct cuaudit_library *library)
{
	const struct link_object *object;

	if (!library->index)
		return false;
	object = link_object(cuaudit_core_link, library->index - 1);
	return object->flags & (LINK_OBJECT_EXCLUDED | LINK_OBJECT_DRIVER |
				LINK_OBJECT_DRIVER_PRIVATE | LINK_OBJECT_CORE);
}

bool library_image(const struct cuaudit_library *library, struct loaded_image *image)
{
	uintptr_t lo, hi;

	return library->index &&
	       link_extent(link_object(cuaudit_core_link, library->index - 1), &lo, &hi) &&
	       loaded_image_open(image, lo, hi);
}
