/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: an image in a context, with its functions and variables. */
#include "sim/image.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static_assert(sizeof(struct CUmod_st) <= OBJECT_SIZE, "fits an object");
static_assert(sizeof(struct CUfunc_st) <= OBJECT_SIZE, "fits an object");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static CUresult globals_new(CUmodule module)
{
	const struct image *image = module->image;
	CUresult rc = CUDA_SUCCESS;

	for (unsigned int i = 0; !rc && i < image->nglobals; i++) {
		struct range range = {
			.kind = RANGE_GLOBAL,
			.context = module->object.context,
			.device = module->object.context->device,
			.flags = image->globals[i].managed,
		};

		if (!image->globals[i].size)
			continue;
		rc = memory_new(&range, image->globals[i].size, 0);
		if (rc)
			break;
		module->globals[i] = range.start;
		if (image->globals[i].data)
			memcpy(pointer(range.start), image->globals[i].data,
			       image->globals[i].size);
	}
	return rc;
}

CUresult module_new(CUcontext context, struct image *image, CUlibrary library,
		    CUmodule *out)
{
	CUmodule module = object_new(KIND_MODULE, context);
	CUresult rc = CUDA_ERROR_OUT_OF_MEMORY;

	if (!module) {
		image_put(image);
		return rc;
	}
	module->id = sim_id();
	module->image = image;
	module->library = library;
	module->functions = calloc(image->nfunctions + 1,
				   sizeof(*module->functions));
	module->globals = calloc(image->nglobals + 1, sizeof(*module->globals));
	if (module->functions && module->globals)
		rc = globals_new(module);
	if (rc) {
		object_retire(module, KIND_MODULE);
		module_drop(module);
		object_free(module);
		return rc;
	}
	*out = module;
	return CUDA_SUCCESS;
}

void module_drop(CUmodule module)
{
	struct range range;

	for (unsigned int i = 0; module->functions &&
	     i < module->image->nfunctions; i++) {
		CUfunction function = module->functions[i];

		if (function && object_retire(function, KIND_FUNCTION))
			object_free(function);
	}
	for (unsigned int i = 0; module->globals &&
	     i < module->image->nglobals; i++)
		if (module->globals[i] &&
		    range_take(module->globals[i], RANGE_GLOBAL, &range))
			memory_drop(&range);
	free(module->functions);
	free(module->globals);
	image_put(module->image);
}

CUresult module_function(CUmodule module, unsigned int index, CUfunction *out)
{
	CUfunction function;

	pthread_mutex_lock(&lock);
	function = module->functions[index];
	if (!function) {
		function = object_new(KIND_FUNCTION, module->object.context);
		if (function) {
			function->module = module;
			function->image = module->image->functions + index;
			function->settings = function_defaults;
			module->functions[index] = function;
		}
	}
	pthread_mutex_unlock(&lock);
	if (!function)
		return CUDA_ERROR_OUT_OF_MEMORY;
	*out = function;
	return CUDA_SUCCESS;
}

static CUresult load(CUmodule *module, const void *data, size_t size)
{
	struct image *image;
	CUcontext context;
	CUresult rc = context_current(&context);

	if (rc)
		return rc;
	if (!module || !data)
		return CUDA_ERROR_INVALID_VALUE;
	rc = image_load(data, size, &image);
	return rc ? rc : module_new(context, image, NULL, module);
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	return load(module, image, SIZE_MAX);
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image,
			    unsigned int numOptions, CUjit_option *options,
			    void **optionValues)
{
	if (numOptions && (!options || !optionValues))
		return sim_ready() ? CUDA_ERROR_INVALID_VALUE :
				     CUDA_ERROR_NOT_INITIALIZED;
	return load(module, image, SIZE_MAX);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin)
{
	return load(module, fatCubin, SIZE_MAX);
}

CUresult cuModuleLoad(CUmodule *module, const char *fname)
{
	CUcontext context;
	CUresult rc = context_current(&context);
	size_t size;
	char *data;

	if (rc)
		return rc;
	if (!module || !fname)
		return CUDA_ERROR_INVALID_VALUE;
	data = image_file(fname, &size);
	if (!data)
		return CUDA_ERROR_FILE_NOT_FOUND;
	rc = load(module, data, size);
	free(data);
	return rc;
}

CUresult cuModuleUnload(CUmodule hmod)
{
	CUmodule module;
	CUresult rc = context_object(hmod, KIND_MODULE, &module);

	if (rc)
		return rc;
	if (module->library)
		return CUDA_ERROR_NOT_PERMITTED;
	if (!object_retire(module, KIND_MODULE))
		return CUDA_ERROR_INVALID_HANDLE;
	module_drop(module);
	object_free(module);
	return CUDA_SUCCESS;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	if (!mode)
		return CUDA_ERROR_INVALID_VALUE;
	*mode = CU_MODULE_EAGER_LOADING;
	return CUDA_SUCCESS;
}

/* What has the name, of those that find looks through; usable: whether the result has somewhere to go. */
static CUresult named(CUmodule handle, const char *name, bool usable,
		      int (*find)(const struct image *image, const char *name),
		      CUmodule *module, int *index)
{
	CUresult rc = context_object(handle, KIND_MODULE, module);

	if (rc)
		return rc;
	if (!name || !usable)
		return CUDA_ERROR_INVALID_VALUE;
	*index = find((*module)->image, name);
	return *index < 0 ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod,
			     const char *name)
{
	CUmodule module;
	int index;
	CUresult rc = named(hmod, name, hfunc, image_find_function, &module, &index);

	return rc ? rc : module_function(module, (unsigned int)index, hfunc);
}

GETTER(cuModuleGetFunctionCount, (unsigned int *out, CUmodule handle), CUmodule module,
       context_object(handle, KIND_MODULE, &module), module->image->nfunctions)

CUresult cuModuleEnumerateFunctions(CUfunction *functions,
				    unsigned int numFunctions, CUmodule mod)
{
	CUmodule module;
	CUresult rc = context_object(mod, KIND_MODULE, &module);

	if (rc)
		return rc;
	if (!functions || !numFunctions)
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned int i = 0; !rc && i < numFunctions &&
	     i < module->image->nfunctions; i++)
		rc = module_function(module, i, functions + i);
	return rc;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod,
			      const char *name)
{
	CUmodule module;
	int index;
	CUresult rc = named(hmod, name, dptr || bytes, image_find_global, &module, &index);

	if (rc)
		return rc;
	if (dptr)
		*dptr = module->globals[index];
	if (bytes)
		*bytes = module->image->globals[index].size;
	return CUDA_SUCCESS;
}
