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
		(*function)->settings = kernel->settings;
		(*function)->kernel = kernel;
	}
	return rc;
}

static CUresult get(const struct image_function *image, const struct function_settings *settings,
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
		*value = settings->max_dynamic < 0 ? unasked(image) : settings->max_dynamic;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		*value = settings->carveout;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
		*value = settings->non_portable;
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

static CUresult set(const struct image_function *image, struct function_settings *settings,
		    CUfunction_attribute attrib, int value)
{
	int most = device_attribute(0,
		CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);

	switch (attrib) {
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		if (value < 0 || value > most ||
		    image->shared > (size_t)(most - value))
			return CUDA_ERROR_INVALID_VALUE;
		settings->max_dynamic = value;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		if (value < -1 || value > 100)
			return CUDA_ERROR_INVALID_VALUE;
		settings->carveout = value;
		return CUDA_SUCCESS;
	case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
		settings->non_portable = value;
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

	if (!rc && !pi)
		rc = CUDA_ERROR_INVALID_VALUE;
	return rc ? rc : get(f->image, &f->settings, attrib, pi);
}

CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib,
			    int value)
{
	CUfunction f;
	CUresult rc = function_find(hfunc, &f);

	return rc ? rc : set(f->image, &f->settings, attrib, value);
}

static CUresult kernel_on(CUkernel handle, CUdevice dev, CUkernel *kernel)
{
	CUresult rc = kernel_find(handle, kernel);

	return !rc && !device_valid(dev) ? CUDA_ERROR_INVALID_DEVICE : rc;
}

CUresult cuKernelGetAttribute(int *pi, CUfunction_attribute attrib,
			      CUkernel handle, CUdevice dev)
{
	CUkernel kernel;
	CUresult rc = kernel_on(handle, pi ? dev : 0, &kernel);

	if (!rc && !pi)
		rc = CUDA_ERROR_INVALID_VALUE;
	return rc ? rc : get(kernel->image, &kernel->settings, attrib, pi);
}

/* Holds for the functions made of the kernel from now on. */
CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int val,
			      CUkernel handle, CUdevice dev)
{
	CUkernel kernel;
	CUresult rc = kernel_on(handle, dev, &kernel);

	return rc ? rc : set(kernel->image, &kernel->settings, attrib, val);
}

CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config)
{
	CUfunction f;
	CUresult rc = function_find(hfunc, &f);

	return !rc && (unsigned int)config > CU_FUNC_CACHE_PREFER_EQUAL ?
		CUDA_ERROR_INVALID_VALUE : rc;
}

#define FUNCTION_GETTER(symbol, type, value) \
	GETTER(symbol, (type *out, CUfunction handle), CUfunction f, \
	       function_find(handle, &f), value)

FUNCTION_GETTER(cuFuncGetModule, CUmodule, f->module)
FUNCTION_GETTER(cuFuncGetName, const char *, f->image->name)

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

CUresult cuKernelGetParamInfo(CUkernel handle, size_t paramIndex,
			      size_t *paramOffset, size_t *paramSize)
{
	CUkernel kernel;
	CUresult rc = kernel_find(handle, &kernel);

	return rc ? rc : param(kernel->image, paramIndex, paramOffset, paramSize);
}

FUNCTION_GETTER(cuFuncIsLoaded, CUfunctionLoadingState, CU_FUNCTION_LOADING_STATE_LOADED)

CUresult cuFuncLoad(CUfunction function)
{
	CUfunction f;

	return function_find(function, &f);
}

CUresult cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config)
{
	CUfunction f;
	CUresult rc = function_find(hfunc, &f);

	return !rc && (unsigned int)config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ?
		CUDA_ERROR_INVALID_VALUE : rc;
}

CUresult cuKernelSetCacheConfig(CUkernel handle, CUfunc_cache config, CUdevice dev)
{
	CUkernel kernel;
	CUresult rc = kernel_on(handle, dev, &kernel);

	return !rc && (unsigned int)config > CU_FUNC_CACHE_PREFER_EQUAL ?
		CUDA_ERROR_INVALID_VALUE : rc;
}
