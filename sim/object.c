/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps what handles point to in one range of addresses, so that any can be checked. */
#include "sim/sim.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

char *objects;
_Atomic size_t objects_end;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object *oldest, *newest;

CUresult object_setup(void)
{
	void *mem = mmap(NULL, (size_t)OBJECTS_MAX * OBJECT_SIZE,
			 PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (mem == MAP_FAILED)
		return CUDA_ERROR_OUT_OF_MEMORY;
	objects = mem;
	return CUDA_SUCCESS;
}

/* Fresh ones first: a handle just destroyed stays invalid for long. */
static struct object *take(void)
{
	size_t end = atomic_load_explicit(&objects_end, memory_order_relaxed);
	struct object *object = oldest;

	if (end < (size_t)1024 * OBJECT_SIZE || !object) {
		if (end == (size_t)OBJECTS_MAX * OBJECT_SIZE)
			return NULL;
		object = (struct object *)(objects + end);
		/* Pairs with the acquire in object_find. */
		atomic_store_explicit(&objects_end, end + OBJECT_SIZE,
				      memory_order_release);
		return object;
	}
	oldest = object->next;
	if (!oldest)
		newest = NULL;
	memset(object, 0, OBJECT_SIZE);
	return object;
}

void *object_new(enum kind kind, CUcontext context)
{
	struct object *object;

	pthread_mutex_lock(&lock);
	object = take();
	if (object) {
		object->context = context;
		atomic_store_explicit(&object->kind, kind,
				      memory_order_release);
	}
	pthread_mutex_unlock(&lock);
	return object;
}

bool object_retire(void *handle, enum kind kind)
{
	struct object *object = handle;
	uint32_t was = kind;

	return atomic_compare_exchange_strong(&object->kind, &was, KIND_FREE);
}

void object_free(void *handle)
{
	struct object *object = handle;

	pthread_mutex_lock(&lock);
	object->context = NULL;
	object->next = NULL;
	if (newest)
		newest->next = object;
	else
		oldest = object;
	newest = object;
	pthread_mutex_unlock(&lock);
}

void *object_next(CUcontext context, size_t *cursor)
{
	struct object *object = NULL;
	size_t end;

	pthread_mutex_lock(&lock);
	end = atomic_load_explicit(&objects_end, memory_order_relaxed);
	while (*cursor < end) {
		object = (struct object *)(objects + *cursor);
		*cursor += OBJECT_SIZE;
		if (object->context == context && object->kind != KIND_FREE)
			break;
		object = NULL;
	}
	pthread_mutex_unlock(&lock);
	return object;
}

CUresult object_get(const void *handle, enum kind kind, void *object)
{
	void *found;

	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	found = object_find(handle, kind);
	memcpy(object, &found, sizeof(found));
	return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult object_destroy(void *handle, enum kind kind)
{
	if (!object_retire(handle, kind))
		return CUDA_ERROR_INVALID_HANDLE;
	object_free(handle);
	return CUDA_SUCCESS;
}
