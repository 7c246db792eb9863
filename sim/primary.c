/* SPDX-License-Identifier: Apache-2.0 */
/* The primary context of each device, retained and released by its users. */
#include "sim/sim.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	CUcontext context;
	unsigned int users;
	unsigned int flags;
} primary[SIM_DEVICES];

CUresult primary_setup(void)
{
	for (CUdevice dev = 0; dev < SIM_DEVICES; dev++) {
		CUcontext context = object_new(KIND_CONTEXT, NULL);

		if (!context)
			return CUDA_ERROR_OUT_OF_MEMORY;
		context->primary = true;
		context->device = dev;
		primary[dev].context = context;
	}
	return CUDA_SUCCESS;
}

CUcontext primary_context(CUdevice device)
{
	return primary[device].context;
}

static CUresult check(CUdevice dev)
{
	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	return device_valid(dev) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
{
	CUresult rc = check(dev);

	if (rc)
		return rc;
	if (!pctx)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	if (!primary[dev].users)
		rc = context_start(primary[dev].context, dev,
				   primary[dev].flags);
	if (!rc) {
		primary[dev].users++;
		*pctx = primary[dev].context;
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev)
{
	CUresult rc = check(dev);

	if (rc)
		return rc;
	pthread_mutex_lock(&lock);
	if (!primary[dev].users)
		rc = CUDA_ERROR_INVALID_CONTEXT;
	else if (!--primary[dev].users)
		context_stop(primary[dev].context);
	pthread_mutex_unlock(&lock);
	return rc;
}

/* Users keep their claims: the context starts anew at once if it has any. */
CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev)
{
	CUresult rc = check(dev);

	if (rc)
		return rc;
	pthread_mutex_lock(&lock);
	if (primary[dev].users) {
		context_stop(primary[dev].context);
		rc = context_start(primary[dev].context, dev,
				   primary[dev].flags);
	}
	pthread_mutex_unlock(&lock);
	return rc;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags,
				    int *active)
{
	CUresult rc = check(dev);

	if (rc)
		return rc;
	if (!flags || !active)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	*flags = primary[dev].flags;
	*active = primary[dev].users != 0;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags)
{
	CUresult rc = check(dev);

	if (rc)
		return rc;
	if (flags & ~(unsigned int)CU_CTX_FLAGS_MASK)
		return CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	primary[dev].flags = flags;
	if (primary[dev].users)
		primary[dev].context->flags = flags;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}
