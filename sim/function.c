/* SPDX-License-Identifier: Apache-2.0 */
/* Functions: their names, attributes and parameters. */
#include "sim/image.h"

/* Static shared memory and the rest a block may have unasked. */
static int unasked(const struct image_function *image)
{
	int most = device_attribute(0,
		CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);

	return image->shared < (size_t)most ? most - (int)image->shared : 0;
}

CUresult function_find(CUfunction handle, CUfunction *function)
{
	CUkernel kernel;
	CUcontext context;
	CUmodule module;
	CUresult rc = context_current(&context);

	if (rc)
		return rc;
	*function = object_find(handle, KIND_FUNCTION);
	if (*function)
		return CUDA_SUCCESS;
	kernel = object_find(handle, KIND_KERNEL);
	if (!kernel)
		return CUDA_ERROR_INVALID_HANDLE;
	rc = library_module(kernel->library, context, &module);
	if (!rc)
		rc = module_function(module, kernel->index, function);
	if (!rc && !(*function)->kernel) {
		(*function)->max_dynamic = kernel->max_dynamic;
		(*function)->carveout = kernel->carveout;
		(*function)->non_portable = kernel->non_portable;
		(*function)->kernel = kernel;
	}
	return rc;
}

static CUresult get(const struct image_function *image, int max_dynamic,
		    int carveout, bool non_portable,
		    CUfunction_attribute attrib, int *value)
{
	switch (attrib) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
		*value = image->max_threads ? (int)image->max_threads : 1024;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
		*value = (int)image->shared;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_NUM_REGS:
		*value = 32;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PTX_VERSION:
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
		*value = 90;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*value = max_dynamic < 0 ? unasked(image) : max_dynamic;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		*value = carveout;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
		*value = non_portable;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
	case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
	case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
	case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
	case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
	case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
		*value = 0;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

static CUresult set(const struct image_function *image, int *max_dynamic,
		    int *carveout, bool *non_portable,
		    CUfunction_attribute attrib, int value)
{
	int most = device_attribute(0,
		CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);

	switch (attrib) {
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		if (value < 0 || value > most ||
		    image->shared > (size_t)(most - value))
			return CUDA_ERROR_INVALID_VALUE;
		*max_dynamic = value;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		if (value < -1 || value > 100)
			return CUDA_ERROR_INVALID_VALUE;
		*carveout = value;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
		*non_portable = value;
		return CUDA_SUCCESS;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
}

CUresult cuFuncGetAttribute(int *pi, CUfunction_attribute attrib,
			    CUfunction hfunc)
{
	CUfunction f;
	CUresult rc = function_find(hfunc, &f);

	if (rc)
		return rc;
	if (!pi)
		return CUDA_ERROR_INVALID_VALUE;
	return get(f->image, f->max_dynamic, f->carveout, f->non_portable,
		   attrib, pi);
}

CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib,
			    int value)
{
	CUfunction f;
	CUresult rc = function_find(hfunc, &f);

	return rc ? rc : set(f->image, &f->max_dynamic, &f->carveout,
			     &f->non_portable, attrib, value);
}

CUresult cuKernelGetAttribute(int *pi, CUfunction_attribute attrib,
			      CUkernel kernel, CUdevice dev)
{
	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	kernel = object_find(kernel, KIND_KERNEL);
	if (!kernel)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!pi)
		return CUDA_ERROR_INVALID_VALUE;
	if (!device_valid(dev))
		return CUDA_ERROR_INVALID_DEVICE;
	return get(kernel->image, kernel->max_dynamic, kernel->carveout,
		   kernel->non_portable, attrib, pi);
}

/* Holds for the functions made of the kernel from now on. */
CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int val,
			      CUkernel kernel, CUdevice dev)
{
	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	kernel = object_find(kernel, KIND_KERNEL);
	if (!kernel)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!device_valid(dev))
		return CUDA_ERROR_INVALID_DEVICE;
	return set(kernel->image, &kernel->max_dynamic, &kernel->carveout,
		   &kernel->non_portable, attrib, val);
}

CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config)
{
	CUfunction f;
	CUresult rc = function_find(hfunc, &f);

	if (rc)
		return rc;
	return (unsigned int)config > CU_FUNC_CACHE_PREFER_EQUAL ?
		CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuFuncGetModule(CUmodule *hmod, CUfunction hfunc)
{
	CUfunction f;
	CUresult rc = function_find(hfunc, &f);

	if (rc)
		return rc;
	if (!hmod)
		return CUDA_ERROR_INVALID_VALUE;
	*hmod = f->module;
	return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char **name, CUfunction hfunc)
{
	CUfunction f;
	CUresult rc = function_find(hfunc, &f);

	if (rc)
		return rc;
	if (!name)
		return CUDA_ERROR_INVALID_VALUE;
	*name = f->image->name;
	return CUDA_SUCCESS;
}

static CUresult param(const struct image_function *image, size_t index,
		      size_t *offset, size_t *size)
{
	if (!offset || index >= image->nparams)
		return CUDA_ERROR_INVALID_VALUE;
	*offset = image->params[index].offset;
	if (size)
		*size = image->params[index].size;
	return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction func, size_t paramIndex,
			    size_t *paramOffset, size_t *paramSize)
{
	CUfunction f;
	CUresult rc = function_find(func, &f);

	return rc ? rc : param(f->image, paramIndex, paramOffset, paramSize);
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex,
			      size_t *paramOffset, size_t *paramSize)
{
	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	kernel = object_find(kernel, KIND_KERNEL);
	if (!kernel)
		return CUDA_ERROR_INVALID_HANDLE;
	return param(kernel->image, paramIndex, paramOffset, paramSize);
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction function)
{
	CUfunction f;
	CUresult rc = function_find(function, &f);

	if (rc)
		return rc;
	if (!state)
		return CUDA_ERROR_INVALID_VALUE;
	*state = CU_FUNCTION_LOADING_STATE_LOADED;
	return CUDA_SUCCESS;
}

CUresult cuFuncLoad(CUfunction function)
{
	CUfunction f;

	return function_find(function, &f);
}

CUresult cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config)
{
	CUfunction f;
	CUresult rc = function_find(hfunc, &f);

	if (rc)
		return rc;
	return (unsigned int)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ?
		CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config,
				CUdevice dev)
{
	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!object_find(kernel, KIND_KERNEL))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!device_valid(dev))
		return CUDA_ERROR_INVALID_DEVICE;
	return (unsigned int)config > CU_FUNC_CACHE_PREFER_EQUAL ?
		CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
