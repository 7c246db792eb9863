/* SPDX-License-Identifier: Apache-2.0 */
/* Reserves, creates, maps and gives back virtual memory; one call is wrong. */
#include <stddef.h>
#include <stdint.h>

#include <cuaudit/cuda_types.h>

CUresult cuInit(unsigned int flags);
CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device);
CUresult cuMemAddressReserve(CUdeviceptr *address, size_t size, size_t alignment,
			     CUdeviceptr wish, unsigned long long flags);
CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size,
		     const CUmemAllocationProp *properties, unsigned long long flags);
CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset,
		  CUmemGenericAllocationHandle handle, unsigned long long flags);
CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc *access,
			size_t count);
CUresult cuMemUnmap(CUdeviceptr address, size_t size);
CUresult cuMemRelease(CUmemGenericAllocationHandle handle);
CUresult cuMemAddressFree(CUdeviceptr address, size_t size);

int main(void)
{
	const size_t size = 2 * 1024 * 1024;
	CUmemAllocationProp properties = {
		.type = CU_MEM_ALLOCATION_TYPE_PINNED,
		.location = { .type = CU_MEM_LOCATION_TYPE_DEVICE },
	};
	CUmemAccessDesc access = {
		.location = { .type = CU_MEM_LOCATION_TYPE_DEVICE },
		.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
	};
	CUmemGenericAllocationHandle handle;
	CUdeviceptr address;
	CUcontext context;

	return cuInit(0) || cuCtxCreate_v2(&context, 0, 0) ||
	       cuMemAddressReserve(&address, 2 * size, 0, 0, 0) ||
	       cuMemCreate(&handle, size, &properties, 0) ||
	       cuMemMap(address, size, 0, handle, 0) ||
	       cuMemSetAccess(address, size, &access, 1) ||
	       !cuMemMap(address, 1, 0, handle, 0) || cuMemUnmap(address, size) ||
	       cuMemRelease(handle) || cuMemAddressFree(address, 2 * size);
}
