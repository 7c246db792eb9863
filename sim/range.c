/* SPDX-License-Identifier: Apache-2.0 */
/* Every range of memory the driver gave out or was told of, found by address. */
#include "sim/sim.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void *root;

/* Ranges never overlap, so that one which touches the key is the one. */
static int compare(const void *va, const void *vb)
{
	const struct range *a = va, *b = vb;

	if (a->start + a->size <= b->start)
		return -1;
	return a->start >= b->start + b->size;
}

static struct range *lookup(CUdeviceptr addr)
{
	struct range key = { .start = (uintptr_t)addr, .size = 1 };
	struct range **node = tfind(&key, &root, compare);

	return node ? *node : NULL;
}

CUresult range_add(const struct range *range)
{
	struct range *mine = malloc(sizeof(*mine));
	struct range **node;
	CUresult rc = CUDA_SUCCESS;

	if (!mine)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*mine = *range;
	mine->id = sim_id();
	pthread_rwlock_wrlock(&lock);
	node = tsearch(mine, &root, compare);
	if (!node)
		rc = CUDA_ERROR_OUT_OF_MEMORY;
	else if (*node != mine)
		rc = CUDA_ERROR_INVALID_VALUE;
	pthread_rwlock_unlock(&lock);
	if (rc)
		free(mine);
	return rc;
}

bool range_find(CUdeviceptr addr, struct range *range)
{
	struct range *found;

	pthread_rwlock_rdlock(&lock);
	found = lookup(addr);
	if (found)
		*range = *found;
	pthread_rwlock_unlock(&lock);
	return found;
}

bool range_take(CUdeviceptr addr, unsigned int kinds, struct range *range)
{
	struct range *found;

	pthread_rwlock_wrlock(&lock);
	found = lookup(addr);
	if (found && (found->start != addr || !(found->kind & kinds)))
		found = NULL;
	if (found) {
		*range = *found;
		tdelete(found, &root, compare);
	}
	pthread_rwlock_unlock(&lock);
	free(found);
	return found;
}

/* Whose range the walk below looks for, and what it found; under the lock. */
static struct {
	CUcontext context;
	struct range *found;
} wanted;

static void visit(const void *node, VISIT which, int depth)
{
	struct range *range = *(struct range *const *)node;

	(void)depth;
	if ((which == postorder || which == leaf) && !wanted.found &&
	    range->context == wanted.context)
		wanted.found = range;
}

bool range_take_of(CUcontext context, struct range *range)
{
	struct range *found;

	pthread_rwlock_wrlock(&lock);
	wanted.context = context;
	wanted.found = NULL;
	twalk(root, visit);
	found = wanted.found;
	if (found) {
		*range = *found;
		tdelete(found, &root, compare);
	}
	pthread_rwlock_unlock(&lock);
	free(found);
	return found;
}

bool range_update(const struct range *range)
{
	struct range *found;

	pthread_rwlock_wrlock(&lock);
	found = lookup(range->start);
	if (found && found->id != range->id)
		found = NULL;
	if (found) {
		found->flags = range->flags;
		for (int i = 0; i < SIM_DEVICES; i++)
			found->access[i] = range->access[i];
	}
	pthread_rwlock_unlock(&lock);
	return found;
}

CUresult range_check(CUdeviceptr addr, size_t size)
{
	CUdeviceptr end = addr + size;
	const struct range *range;
	CUresult rc = CUDA_SUCCESS;

	if (end < addr)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_rwlock_rdlock(&lock);
	while (addr < end) {
		range = lookup(addr);
		if (!range || (range->kind == RANGE_MAPPED &&
			       !range->access[context_top->device])) {
			rc = CUDA_ERROR_INVALID_VALUE;
			break;
		}
		addr = range->start + range->size;
	}
	pthread_rwlock_unlock(&lock);
	return rc;
}
