/* SPDX-License-Identifier: Apache-2.0 */
/* Memory pools, and memory allocated and freed in the order of a stream. */
#include "sim/sim.h"

static_assert(sizeof(struct CUmemPoolHandle_st) <= OBJECT_SIZE,
	      "fits an object");

static _Atomic(CUmemoryPool) default_pool[SIM_DEVICES];
static _Atomic(CUmemoryPool) current_pool[SIM_DEVICES];

static CUmemoryPool pool_new(CUdevice device)
{
	CUmemoryPool pool = object_new(KIND_POOL, NULL);

	if (!pool)
		return NULL;
	pool->device = device;
	pool->access = 1u << device;
	for (int i = 0; i < 3; i++)
		pool->reuse[i] = 1;
	return pool;
}

static CUresult default_of(CUdevice device, CUmemoryPool *out)
{
	CUmemoryPool none = NULL, pool = atomic_load(&default_pool[device]);

	if (!pool) {
		pool = pool_new(device);
		if (!pool)
			return CUDA_ERROR_OUT_OF_MEMORY;
		pool->is_default = true;
		if (!atomic_compare_exchange_strong(&default_pool[device],
						    &none, pool)) {
			object_retire(pool, KIND_POOL);
			object_free(pool);
			pool = none;
		}
	}
	*out = pool;
	return CUDA_SUCCESS;
}

static CUresult current_of(CUdevice device, CUmemoryPool *out)
{
	*out = object_find(atomic_load(&current_pool[device]), KIND_POOL);
	return *out ? CUDA_SUCCESS : default_of(device, out);
}

static CUresult find(CUmemoryPool handle, const void *argument)
{
	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!argument || !object_find(handle, KIND_POOL))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev)
{
	CUresult rc = device_check(pool_out, dev);

	return rc ? rc : default_of(dev, pool_out);
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev)
{
	CUresult rc = device_check(pool, dev);

	return rc ? rc : current_of(dev, pool);
}

CUresult cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
	CUresult rc = device_check(pool, dev);

	if (rc)
		return rc;
	rc = find(pool, pool);
	if (rc)
		return rc;
	if (pool->device != dev)
		return CUDA_ERROR_INVALID_VALUE;
	atomic_store(&current_pool[dev], pool);
	return CUDA_SUCCESS;
}

CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps)
{
	CUmemoryPool made;

	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!pool || !poolProps ||
	    poolProps->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
		return CUDA_ERROR_INVALID_VALUE;
	if (poolProps->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
	    poolProps->handleTypes != CU_MEM_HANDLE_TYPE_NONE)
		return CUDA_ERROR_NOT_SUPPORTED;
	if (!device_valid(poolProps->location.id))
		return CUDA_ERROR_INVALID_DEVICE;
	made = pool_new(poolProps->location.id);
	if (!made)
		return CUDA_ERROR_OUT_OF_MEMORY;
	made->max_size = poolProps->maxSize;
	*pool = made;
	return CUDA_SUCCESS;
}

/* What is still allocated from it lives on, as its users expect. */
CUresult cuMemPoolDestroy(CUmemoryPool pool)
{
	CUresult rc = find(pool, pool);

	if (rc)
		return rc;
	if (pool->is_default || !object_retire(pool, KIND_POOL))
		return CUDA_ERROR_INVALID_VALUE;
	return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep)
{
	(void)minBytesToKeep;	/* nothing unused is ever kept */
	return find(pool, pool);
}

/* Those are the first three, whose values are ints. */
static bool is_reuse(CUmemPool_attribute attr)
{
	return attr >= CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES &&
	       attr <= CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr,
			       void *value)
{
	CUresult rc = find(pool, value);

	if (rc)
		return rc;
	if (is_reuse(attr)) {
		pool->reuse[attr - 1] = *(int *)value;
		return CUDA_SUCCESS;
	}
	switch ((int)attr) {
	case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
		pool->threshold = *(cuuint64_t *)value;
		return CUDA_SUCCESS;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
	case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
		if (*(cuuint64_t *)value)
			return CUDA_ERROR_INVALID_VALUE;
		atomic_store(&pool->high, atomic_load(&pool->used));
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr,
			       void *value)
{
	CUresult rc = find(pool, value);

	if (rc)
		return rc;
	if (is_reuse(attr)) {
		*(int *)value = pool->reuse[attr - 1];
		return CUDA_SUCCESS;
	}
	switch ((int)attr) {
	case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
		*(cuuint64_t *)value = pool->threshold;
		return CUDA_SUCCESS;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
	case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
		*(cuuint64_t *)value = atomic_load(&pool->used);
		return CUDA_SUCCESS;
	case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
	case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
		*(cuuint64_t *)value = atomic_load(&pool->high);
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map,
			    size_t count)
{
	CUresult rc = find(pool, map);

	if (rc)
		return rc;
	for (size_t i = 0; i < count; i++) {
		if (map[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
		    !device_valid(map[i].location.id))
			return CUDA_ERROR_INVALID_DEVICE;
		if (!map[i].flags && map[i].location.id == pool->device)
			return CUDA_ERROR_INVALID_VALUE;
		if (map[i].flags)
			pool->access |= 1u << map[i].location.id;
		else
			pool->access &= ~(1u << map[i].location.id);
	}
	return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool,
			    CUmemLocation *location)
{
	CUresult rc = find(memPool, flags && location ? flags : NULL);

	if (rc)
		return rc;
	if (location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
	    !device_valid(location->id))
		return CUDA_ERROR_INVALID_DEVICE;
	*flags = memPool->access & (1u << location->id) ?
		CU_MEM_ACCESS_FLAGS_PROT_READWRITE :
		CU_MEM_ACCESS_FLAGS_PROT_NONE;
	return CUDA_SUCCESS;
}

static CUresult allocate(CUdeviceptr *dptr, size_t size, CUmemoryPool pool)
{
	struct range range = {
		.kind = RANGE_DEVICE,
		.device = pool->device,
		.pool = pool,
	};
	uint64_t used = atomic_fetch_add(&pool->used, size) + size;
	uint64_t high = atomic_load(&pool->high);
	CUresult rc = CUDA_ERROR_OUT_OF_MEMORY;

	if (!pool->max_size || used <= pool->max_size)
		rc = memory_new(&range, size, 0);
	if (rc) {
		atomic_fetch_sub(&pool->used, size);
		return rc;
	}
	while (used > high &&
	       !atomic_compare_exchange_weak(&pool->high, &high, used))
		;
	*dptr = range.start;
	return CUDA_SUCCESS;
}

CUresult cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream)
{
	CUcontext context;
	CUmemoryPool pool;
	CUstream stream;
	CUresult rc = context_current(&context);

	if (!rc)
		rc = stream_find(hStream, &stream);
	if (rc)
		return rc;
	if (!dptr)
		return CUDA_ERROR_INVALID_VALUE;
	rc = current_of(stream->object.context->device, &pool);
	return rc ? rc : allocate(dptr, bytesize, pool);
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize,
				 CUmemoryPool pool, CUstream hStream)
{
	CUstream stream;
	CUresult rc = stream_find(hStream, &stream);

	if (rc)
		return rc;
	rc = find(pool, dptr);
	return rc ? rc : allocate(dptr, bytesize, pool);
}

CUresult cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream)
{
	CUstream stream;
	CUresult rc = stream_find(hStream, &stream);

	if (rc)
		return rc;
	return cuMemFree_v2(dptr);
}
