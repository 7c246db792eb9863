/* SPDX-License-Identifier: Apache-2.0 */
/* Access from one device to another's memory. */
#include "sim/sim.h"

CUresult cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev,
			       CUdevice peerDev)
{
	CUresult rc = device_check(canAccessPeer, dev);

	if (!rc && !device_valid(peerDev))
		rc = CUDA_ERROR_INVALID_DEVICE;
	if (!rc)
		*canAccessPeer = dev != peerDev;
	return rc;
}

CUresult cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib,
				 CUdevice srcDevice, CUdevice dstDevice)
{
	CUresult rc = device_check(value, srcDevice);

	if (!rc && (!device_valid(dstDevice) || srcDevice == dstDevice))
		rc = CUDA_ERROR_INVALID_DEVICE;
	if (rc)
		return rc;
	switch (attrib) {
	case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
	case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
		*value = 1;
		return CUDA_SUCCESS;
	case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
	case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
	case CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED:
		*value = 0;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

static CUresult pair(CUcontext peer, CUcontext *mine, unsigned int *bit)
{
	CUresult rc = context_current(mine);
	CUcontext other;

	if (rc)
		return rc;
	if (!peer)
		return CUDA_ERROR_INVALID_CONTEXT;
	rc = context_find(peer, &other);
	if (rc)
		return rc;
	*bit = 1u << other->device;
	return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags)
{
	CUcontext mine;
	unsigned int bit;
	CUresult rc = pair(peerContext, &mine, &bit);

	if (rc)
		return rc;
	if (Flags)
		return CUDA_ERROR_INVALID_VALUE;
	if (bit == 1u << mine->device)
		return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
	if (atomic_fetch_or(&mine->peers, bit) & bit)
		return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
	return CUDA_SUCCESS;
}

CUresult cuCtxDisablePeerAccess(CUcontext peerContext)
{
	CUcontext mine;
	unsigned int bit;
	CUresult rc = pair(peerContext, &mine, &bit);

	if (rc)
		return rc;
	if (!(atomic_fetch_and(&mine->peers, ~bit) & bit))
		return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
	return CUDA_SUCCESS;
}
