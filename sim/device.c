/* SPDX-License-Identifier: Apache-2.0 */
/* The simulated devices: names, attributes, how much of their memory is taken. */
#include "sim/sim.h"

#include <stdio.h>
#include <string.h>

#define A(name) CU_DEVICE_ATTRIBUTE_##name

/* Attributes that are equal on all devices; those not named are 0. */
static const int attributes[] = {
	[A(MAX_THREADS_PER_BLOCK)] = 1024,
	[A(MAX_BLOCK_DIM_X)] = 1024,
	[A(MAX_BLOCK_DIM_Y)] = 1024,
	[A(MAX_BLOCK_DIM_Z)] = 64,
	[A(MAX_GRID_DIM_X)] = 2147483647,
	[A(MAX_GRID_DIM_Y)] = 65535,
	[A(MAX_GRID_DIM_Z)] = 65535,
	[A(MAX_SHARED_MEMORY_PER_BLOCK)] = 49152,
	[A(TOTAL_CONSTANT_MEMORY)] = 65536,
	[A(WARP_SIZE)] = 32,
	[A(MAX_PITCH)] = 2147483647,
	[A(MAX_REGISTERS_PER_BLOCK)] = 65536,
	[A(CLOCK_RATE)] = 1000000,
	[A(TEXTURE_ALIGNMENT)] = 512,
	[A(GPU_OVERLAP)] = 1,
	[A(MULTIPROCESSOR_COUNT)] = 16,
	[A(CAN_MAP_HOST_MEMORY)] = 1,
	[A(MAXIMUM_TEXTURE1D_WIDTH)] = 131072,
	[A(MAXIMUM_TEXTURE2D_WIDTH)] = 131072,
	[A(MAXIMUM_TEXTURE2D_HEIGHT)] = 65536,
	[A(MAXIMUM_TEXTURE3D_WIDTH)] = 16384,
	[A(MAXIMUM_TEXTURE3D_HEIGHT)] = 16384,
	[A(MAXIMUM_TEXTURE3D_DEPTH)] = 16384,
	[A(MAXIMUM_TEXTURE2D_LAYERED_WIDTH)] = 32768,
	[A(MAXIMUM_TEXTURE2D_LAYERED_HEIGHT)] = 32768,
	[A(MAXIMUM_TEXTURE2D_LAYERED_LAYERS)] = 2048,
	[A(SURFACE_ALIGNMENT)] = 512,
	[A(CONCURRENT_KERNELS)] = 1,
	[A(MEMORY_CLOCK_RATE)] = 1000000,
	[A(GLOBAL_MEMORY_BUS_WIDTH)] = 64,
	[A(L2_CACHE_SIZE)] = 1 << 20,
	[A(MAX_THREADS_PER_MULTIPROCESSOR)] = 2048,
	[A(ASYNC_ENGINE_COUNT)] = 2,
	[A(UNIFIED_ADDRESSING)] = 1,
	[A(MAXIMUM_TEXTURE1D_LAYERED_WIDTH)] = 32768,
	[A(MAXIMUM_TEXTURE1D_LAYERED_LAYERS)] = 2048,
	[A(MAXIMUM_TEXTURE2D_GATHER_WIDTH)] = 32768,
	[A(MAXIMUM_TEXTURE2D_GATHER_HEIGHT)] = 32768,
	[A(MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE)] = 8192,
	[A(MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE)] = 8192,
	[A(MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE)] = 32768,
	[A(TEXTURE_PITCH_ALIGNMENT)] = 32,
	[A(MAXIMUM_TEXTURECUBEMAP_WIDTH)] = 32768,
	[A(MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH)] = 32768,
	[A(MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS)] = 2046,
	[A(MAXIMUM_SURFACE1D_WIDTH)] = 32768,
	[A(MAXIMUM_SURFACE2D_WIDTH)] = 131072,
	[A(MAXIMUM_SURFACE2D_HEIGHT)] = 65536,
	[A(MAXIMUM_SURFACE3D_WIDTH)] = 16384,
	[A(MAXIMUM_SURFACE3D_HEIGHT)] = 16384,
	[A(MAXIMUM_SURFACE3D_DEPTH)] = 16384,
	[A(MAXIMUM_SURFACE1D_LAYERED_WIDTH)] = 32768,
	[A(MAXIMUM_SURFACE1D_LAYERED_LAYERS)] = 2048,
	[A(MAXIMUM_SURFACE2D_LAYERED_WIDTH)] = 32768,
	[A(MAXIMUM_SURFACE2D_LAYERED_HEIGHT)] = 32768,
	[A(MAXIMUM_SURFACE2D_LAYERED_LAYERS)] = 2048,
	[A(MAXIMUM_SURFACECUBEMAP_WIDTH)] = 32768,
	[A(MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH)] = 32768,
	[A(MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS)] = 2046,
	[A(MAXIMUM_TEXTURE1D_LINEAR_WIDTH)] = 268435456,
	[A(MAXIMUM_TEXTURE2D_LINEAR_WIDTH)] = 131072,
	[A(MAXIMUM_TEXTURE2D_LINEAR_HEIGHT)] = 65000,
	[A(MAXIMUM_TEXTURE2D_LINEAR_PITCH)] = 2097120,
	[A(MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH)] = 32768,
	[A(MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT)] = 32768,
	[A(COMPUTE_CAPABILITY_MAJOR)] = 9,
	[A(COMPUTE_CAPABILITY_MINOR)] = 0,
	[A(MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH)] = 32768,
	[A(STREAM_PRIORITIES_SUPPORTED)] = 1,
	[A(GLOBAL_L1_CACHE_SUPPORTED)] = 1,
	[A(LOCAL_L1_CACHE_SUPPORTED)] = 1,
	[A(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)] = 233472,
	[A(MAX_REGISTERS_PER_MULTIPROCESSOR)] = 65536,
	[A(MANAGED_MEMORY)] = 1,
	[A(SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO)] = 2,
	[A(CONCURRENT_MANAGED_ACCESS)] = 1,
	[A(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM)] = 1,
	[A(COOPERATIVE_LAUNCH)] = 1,
	[A(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)] = 232448,
	[A(HOST_REGISTER_SUPPORTED)] = 1,
	[A(DIRECT_MANAGED_MEM_ACCESS_FROM_HOST)] = 1,
	[A(VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED)] = 1,
	[A(MAX_BLOCKS_PER_MULTIPROCESSOR)] = 32,
	[A(RESERVED_SHARED_MEMORY_PER_BLOCK)] = 1024,
	[A(MEMORY_POOLS_SUPPORTED)] = 1,
	[A(CLUSTER_LAUNCH)] = 1,
	[A(MEM_SYNC_DOMAIN_COUNT)] = 1,
	[A(NUMA_ID)] = -1,
	[A(MAX) - 1] = 0,
};

static _Atomic size_t used[SIM_DEVICES];

int device_attribute(CUdevice device, int attribute)
{
	if (attribute < 1 || attribute >= A(MAX))
		return -1;
	if (attribute == A(PCI_BUS_ID))
		return device + 1;
	if (attribute == A(COMPUTE_MODE))
		return sim_config.compute_mode;
	return attributes[attribute];
}

bool device_take(CUdevice device, size_t bytes)
{
	size_t now = atomic_load(&used[device]);

	do {
		if (bytes > sim_config.memory - now)
			return false;
	} while (!atomic_compare_exchange_weak(&used[device], &now,
					       now + bytes));
	return true;
}

void device_give(CUdevice device, size_t bytes)
{
	atomic_fetch_sub(&used[device], bytes);
}

size_t device_used(CUdevice device)
{
	return atomic_load(&used[device]);
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
	CUresult rc = device_check(device, ordinal);

	if (!rc)
		*device = ordinal;
	return rc;
}

CUresult cuDeviceGetCount(int *count)
{
	CUresult rc = device_check(count, 0);

	if (!rc)
		*count = SIM_DEVICES;
	return rc;
}

CUresult cuDeviceGetName(char *name, int len, CUdevice dev)
{
	CUresult rc = device_check(name, dev);

	if (rc)
		return rc;
	if (len <= 0)
		return CUDA_ERROR_INVALID_VALUE;
	snprintf(name, (size_t)len, "cuaudit simulated device");
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice dev)
{
	CUresult rc = device_check(uuid, dev);

	if (rc)
		return rc;
	memcpy(uuid->bytes, "cuaudit-sim-dev", sizeof(uuid->bytes));
	uuid->bytes[15] = (char)('0' + dev);
	return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev)
{
	CUresult rc = device_check(bytes, dev);

	if (!rc)
		*bytes = sim_config.memory;
	return rc;
}

CUresult cuDeviceTotalMem(unsigned int *bytes, CUdevice dev)
{
	CUresult rc = device_check(bytes, dev);

	if (rc)
		return rc;
	if (sim_config.memory > UINT32_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	*bytes = (unsigned int)sim_config.memory;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev)
{
	CUresult rc = device_check(pi, dev);

	if (rc)
		return rc;
	if ((int)attrib < 1 || attrib >= A(MAX))
		return CUDA_ERROR_INVALID_VALUE;
	*pi = device_attribute(dev, attrib);
	return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
	CUresult rc = device_check(major && minor ? major : NULL, dev);

	if (rc)
		return rc;
	*major = attributes[A(COMPUTE_CAPABILITY_MAJOR)];
	*minor = attributes[A(COMPUTE_CAPABILITY_MINOR)];
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetProperties(CUdevprop *prop, CUdevice dev)
{
	CUresult rc = device_check(prop, dev);

	if (rc)
		return rc;
	*prop = (CUdevprop){
		.maxThreadsPerBlock = attributes[A(MAX_THREADS_PER_BLOCK)],
		.maxThreadsDim = {
			attributes[A(MAX_BLOCK_DIM_X)],
			attributes[A(MAX_BLOCK_DIM_Y)],
			attributes[A(MAX_BLOCK_DIM_Z)],
		},
		.maxGridSize = {
			attributes[A(MAX_GRID_DIM_X)],
			attributes[A(MAX_GRID_DIM_Y)],
			attributes[A(MAX_GRID_DIM_Z)],
		},
		.sharedMemPerBlock = attributes[A(MAX_SHARED_MEMORY_PER_BLOCK)],
		.totalConstantMemory = attributes[A(TOTAL_CONSTANT_MEMORY)],
		.SIMDWidth = attributes[A(WARP_SIZE)],
		.memPitch = attributes[A(MAX_PITCH)],
		.regsPerBlock = attributes[A(MAX_REGISTERS_PER_BLOCK)],
		.clockRate = attributes[A(CLOCK_RATE)],
		.textureAlign = attributes[A(TEXTURE_ALIGNMENT)],
	};
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev)
{
	CUresult rc = device_check(pciBusId, dev);

	if (rc)
		return rc;
	if (len < 13)
		return CUDA_ERROR_INVALID_VALUE;
	snprintf(pciBusId, (size_t)len, "0000:%02X:00.0", dev + 1);
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId)
{
	CUresult rc = device_check(pciBusId ? dev : NULL, 0);
	unsigned int domain = 0, bus, slot, function = 0;

	if (rc)
		return rc;
	if (sscanf(pciBusId, "%x:%x:%x.%x", &domain, &bus, &slot,
		   &function) < 3) {
		domain = 0;
		function = 0;
		if (sscanf(pciBusId, "%x:%x.%x", &bus, &slot, &function) < 2)
			return CUDA_ERROR_INVALID_VALUE;
	}
	if (domain || slot || function || bus < 1 || bus > SIM_DEVICES)
		return CUDA_ERROR_INVALID_DEVICE;
	*dev = (CUdevice)(bus - 1);
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetExecAffinitySupport(int *pi, CUexecAffinityType type,
					CUdevice dev)
{
	CUresult rc = device_check(pi, dev);

	if (rc)
		return rc;
	if ((int)type < 0 || type >= CU_EXEC_AFFINITY_TYPE_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	*pi = 0;
	return CUDA_SUCCESS;
}
