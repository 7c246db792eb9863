/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses reserved, memory made, and the one mapped into the other. */
#include "sim/sim.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { GRANULARITY = 2 << 20 };

struct physical {
	struct object object;
	CUmemAllocationProp prop;
	size_t size;
	int fd;
	unsigned int uses;	/* the handle's and the mappings' */
	unsigned int handles;
};

static_assert(sizeof(struct physical) <= OBJECT_SIZE, "fits an object");

/* Address ranges that cuMemAddressReserve gave out. */
struct reservation {
	uintptr_t start;
	size_t size;
	struct reservation *next;
};

/* Over reservations, and the uses and handles of what is mapped. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct reservation *reservations;

static bool aligned(uint64_t a, uint64_t b)
{
	return !((a | b) & (GRANULARITY - 1));
}

static CUresult check_prop(const CUmemAllocationProp *prop)
{
	if (!prop || prop->type != CU_MEM_ALLOCATION_TYPE_PINNED)
		return CUDA_ERROR_INVALID_VALUE;
	if (prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
	    prop->requestedHandleTypes)
		return CUDA_ERROR_NOT_SUPPORTED;
	return device_valid(prop->location.id) ? CUDA_SUCCESS :
						 CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuMemGetAllocationGranularity(size_t *granularity,
				       const CUmemAllocationProp *prop,
				       CUmemAllocationGranularity_flags option)
{
	CUresult rc;

	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!granularity || (unsigned int)option > 1)
		return CUDA_ERROR_INVALID_VALUE;
	rc = check_prop(prop);
	if (!rc)
		*granularity = GRANULARITY;
	return rc;
}

CUresult cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment,
			     CUdeviceptr addr, unsigned long long flags)
{
	struct reservation *r;
	uintptr_t start, extra;
	void *mem;

	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (alignment < GRANULARITY)
		alignment = GRANULARITY;
	if (!ptr || !size || !aligned(size, addr) || flags ||
	    alignment & (alignment - 1) || size + alignment < size)
		return CUDA_ERROR_INVALID_VALUE;
	r = malloc(sizeof(*r));
	mem = mmap(pointer(addr), size + alignment, PROT_NONE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!r || mem == MAP_FAILED) {
		free(r);
		if (mem != MAP_FAILED)
			munmap(mem, size + alignment);
		return CUDA_ERROR_OUT_OF_MEMORY;
	}
	start = ((uintptr_t)mem + alignment - 1) & ~(alignment - 1);
	extra = start - (uintptr_t)mem;
	if (extra)
		munmap(mem, extra);
	munmap((void *)(start + size), alignment - extra);
	pthread_mutex_lock(&lock);
	*r = (struct reservation){ start, size, reservations };
	reservations = r;
	pthread_mutex_unlock(&lock);
	*ptr = start;
	return CUDA_SUCCESS;
}

/* Whether anything is mapped in the range; under the lock. */
static bool in_use(uintptr_t start, size_t size)
{
	struct range range;

	for (size_t at = 0; at < size; at += GRANULARITY)
		if (range_find(start + at, &range))
			return true;
	return false;
}

CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size)
{
	struct reservation **link, *r;
	CUresult rc = CUDA_ERROR_INVALID_VALUE;

	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	pthread_mutex_lock(&lock);
	for (link = &reservations; (r = *link); link = &r->next)
		if (r->start == ptr && r->size == size)
			break;
	if (r && !in_use(r->start, r->size)) {
		*link = r->next;
		munmap((void *)r->start, r->size);
		free(r);
		rc = CUDA_SUCCESS;
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

static struct physical *physical_find(CUmemGenericAllocationHandle handle)
{
	return object_find(pointer(handle), KIND_PHYSICAL);
}

/* Under the lock. */
static void physical_put(struct physical *p)
{
	if (--p->uses)
		return;
	close(p->fd);
	device_give(p->prop.location.id, p->size);
	object_retire(p, KIND_PHYSICAL);
	object_free(p);
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
		     const CUmemAllocationProp *prop, unsigned long long flags)
{
	struct physical *p;
	CUresult rc;

	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!handle || !size || !aligned(size, 0) || flags)
		return CUDA_ERROR_INVALID_VALUE;
	rc = check_prop(prop);
	if (rc)
		return rc;
	if (!device_take(prop->location.id, size))
		return CUDA_ERROR_OUT_OF_MEMORY;
	p = object_new(KIND_PHYSICAL, NULL);
	if (p) {
		p->prop = *prop;
		p->size = size;
		p->uses = 1;
		p->handles = 1;
		p->fd = memfd_create("cuaudit-sim", MFD_CLOEXEC);
		if (p->fd >= 0 && !ftruncate(p->fd, (off_t)size)) {
			*handle = (uintptr_t)p;
			return CUDA_SUCCESS;
		}
		if (p->fd >= 0)
			close(p->fd);
		object_retire(p, KIND_PHYSICAL);
		object_free(p);
	}
	device_give(prop->location.id, size);
	return CUDA_ERROR_OUT_OF_MEMORY;
}

/* The memory lives on while it is mapped. */
CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
	struct physical *p;

	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	pthread_mutex_lock(&lock);
	p = physical_find(handle);
	if (p && !p->handles)
		p = NULL;
	if (p) {
		p->handles--;
		physical_put(p);
	}
	pthread_mutex_unlock(&lock);
	return p ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Under the lock. */
static bool reserved(uintptr_t start, size_t size)
{
	for (struct reservation *r = reservations; r; r = r->next)
		if (start >= r->start && start - r->start <= r->size &&
		    size <= r->size - (start - r->start))
			return true;
	return false;
}

static CUresult map(uintptr_t ptr, size_t size, struct physical *p)
{
	struct range range = {
		.start = ptr,
		.size = size,
		.kind = RANGE_MAPPED,
		.device = p->prop.location.id,
		.physical = p,
	};
	CUresult rc;

	if (!reserved(ptr, size) || size != p->size)
		return CUDA_ERROR_INVALID_VALUE;
	rc = range_add(&range);
	if (rc)
		return rc;
	if (mmap((void *)ptr, size, PROT_NONE, MAP_SHARED | MAP_FIXED, p->fd,
		 0) == MAP_FAILED) {
		range_take(ptr, RANGE_MAPPED, &range);
		return CUDA_ERROR_MAP_FAILED;
	}
	p->uses++;
	return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset,
		  CUmemGenericAllocationHandle handle,
		  unsigned long long flags)
{
	CUresult rc = CUDA_ERROR_INVALID_VALUE;
	struct physical *p;

	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!size || !aligned(ptr, size) || offset || flags)
		return rc;
	pthread_mutex_lock(&lock);
	p = physical_find(handle);
	if (p && p->handles)
		rc = map(ptr, size, p);
	pthread_mutex_unlock(&lock);
	return rc;
}

/* Whether whole mappings make up [ptr, ptr + size); under the lock. */
static bool whole(uintptr_t ptr, size_t size)
{
	struct range range;
	size_t done = 0;

	while (done < size) {
		if (!range_find(ptr + done, &range) ||
		    range.kind != RANGE_MAPPED || range.start != ptr + done)
			return false;
		done += range.size;
	}
	return done == size && size;
}

CUresult cuMemUnmap(CUdeviceptr ptr, size_t size)
{
	CUresult rc = CUDA_ERROR_INVALID_VALUE;
	struct range range;

	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	pthread_mutex_lock(&lock);
	if (whole(ptr, size)) {
		for (size_t done = 0; done < size &&
		     range_take(ptr + done, RANGE_MAPPED, &range);
		     done += range.size)
			physical_put(range.physical);
		if (mmap(pointer(ptr), size, PROT_NONE, MAP_PRIVATE |
			 MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
			 0) != MAP_FAILED)
			rc = CUDA_SUCCESS;
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

static CUresult set_access(uintptr_t ptr, size_t size,
			   const CUmemAccessDesc *desc)
{
	struct range range;
	unsigned int all;

	for (size_t done = 0; done < size; done += range.size) {
		if (!range_find(ptr + done, &range))
			return CUDA_ERROR_INVALID_VALUE;
		range.access[desc->location.id] = desc->flags;
		range_update(&range);
		all = 0;
		for (int i = 0; i < SIM_DEVICES; i++)
			all |= range.access[i];
		if (mprotect((void *)range.start, range.size,
			     all ? PROT_READ | PROT_WRITE : PROT_NONE))
			return CUDA_ERROR_OPERATING_SYSTEM;
	}
	return CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size,
			const CUmemAccessDesc *desc, size_t count)
{
	CUresult rc = CUDA_ERROR_INVALID_VALUE;

	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!desc || !count)
		return rc;
	for (size_t i = 0; i < count; i++) {
		if (desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
		    desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
		    desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
			return rc;
		if (desc[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE)
			return CUDA_ERROR_NOT_SUPPORTED;
		if (!device_valid(desc[i].location.id))
			return CUDA_ERROR_INVALID_DEVICE;
	}
	pthread_mutex_lock(&lock);
	if (whole(ptr, size)) {
		rc = CUDA_SUCCESS;
		for (size_t i = 0; !rc && i < count; i++)
			rc = set_access(ptr, size, desc + i);
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

CUresult cuMemGetAccess(unsigned long long *flags,
			const CUmemLocation *location, CUdeviceptr ptr)
{
	struct range range;

	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!flags || !location || !range_find(ptr, &range) ||
	    range.kind != RANGE_MAPPED ||
	    location->type != CU_MEM_LOCATION_TYPE_DEVICE)
		return CUDA_ERROR_INVALID_VALUE;
	if (!device_valid(location->id))
		return CUDA_ERROR_INVALID_DEVICE;
	*flags = range.access[location->id];
	return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop,
		CUmemGenericAllocationHandle handle)
{
	struct physical *p;

	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	p = physical_find(handle);
	if (!prop || !p)
		return CUDA_ERROR_INVALID_VALUE;
	*prop = p->prop;
	return CUDA_SUCCESS;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle,
				     void *addr)
{
	CUresult rc = CUDA_ERROR_INVALID_VALUE;
	struct range range;

	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!handle)
		return rc;
	pthread_mutex_lock(&lock);
	if (range_find((uintptr_t)addr, &range) &&
	    range.kind == RANGE_MAPPED) {
		range.physical->uses++;
		range.physical->handles++;
		*handle = (uintptr_t)range.physical;
		rc = CUDA_SUCCESS;
	}
	pthread_mutex_unlock(&lock);
	return rc;
}
