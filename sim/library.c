/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries and kernels: images that belong to no context, with a module in each. */
#include "sim/image.h"

#include <pthread.h>
#include <stdlib.h>

/* A module of a library, for the context it was made in. */
struct instance {
	CUcontext context;
	uint64_t context_id;
	CUmodule module;
	uint64_t module_id;
	struct instance *next;
};

struct CUlib_st {
	struct object object;
	struct image *image;
	CUkernel *kernels;
	struct instance *instances;
};

static_assert(sizeof(struct CUlib_st) <= OBJECT_SIZE, "fits an object");
static_assert(sizeof(struct CUkern_st) <= OBJECT_SIZE, "fits an object");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static CUresult instance_new(CUlibrary library, CUcontext context,
			     CUmodule *module)
{
	struct instance *i = malloc(sizeof(*i));
	CUresult rc;

	if (!i)
		return CUDA_ERROR_OUT_OF_MEMORY;
	image_get(library->image);
	rc = module_new(context, library->image, library, &i->module);
	if (rc) {
		free(i);
		return rc;
	}
	i->context = context;
	i->context_id = context->id;
	i->module_id = i->module->id;
	i->next = library->instances;
	library->instances = i;
	*module = i->module;
	return CUDA_SUCCESS;
}

CUresult library_module(CUlibrary library, CUcontext context, CUmodule *module)
{
	CUresult rc = CUDA_SUCCESS;
	struct instance *i;

	pthread_mutex_lock(&lock);
	for (i = library->instances; i; i = i->next)
		if (i->context == context && i->context_id == context->id)
			break;
	if (i)
		*module = i->module;
	else
		rc = instance_new(library, context, module);
	pthread_mutex_unlock(&lock);
	return rc;
}

static void kernels_drop(CUlibrary library)
{
	for (unsigned int i = 0; library->kernels &&
	     i < library->image->nfunctions; i++)
		if (library->kernels[i] &&
		    object_retire(library->kernels[i], KIND_KERNEL))
			object_free(library->kernels[i]);
	free(library->kernels);
}

static CUresult kernels_new(CUlibrary library)
{
	unsigned int n = library->image->nfunctions;

	library->kernels = calloc(n + 1, sizeof(*library->kernels));
	for (unsigned int i = 0; library->kernels && i < n; i++) {
		CUkernel kernel = object_new(KIND_KERNEL, NULL);

		if (!kernel)
			return CUDA_ERROR_OUT_OF_MEMORY;
		kernel->library = library;
		kernel->index = i;
		kernel->image = library->image->functions + i;
		kernel->settings = function_defaults;
		library->kernels[i] = kernel;
	}
	return library->kernels ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult load(CUlibrary *out, const void *data, size_t size)
{
	CUlibrary library;
	struct image *image;
	CUresult rc = image_load(data, size, &image);

	if (rc)
		return rc;
	library = object_new(KIND_LIBRARY, NULL);
	rc = CUDA_ERROR_OUT_OF_MEMORY;
	if (library) {
		library->image = image;
		rc = kernels_new(library);
		if (!rc) {
			*out = library;
			return CUDA_SUCCESS;
		}
		kernels_drop(library);
		object_retire(library, KIND_LIBRARY);
		object_free(library);
	}
	image_put(image);
	return rc;
}

static CUresult check(const void *out, const void *from, unsigned int jit, const void *options,
		      const void *values, unsigned int n, const void *library_options,
		      const void *library_values)
{
	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	return !out || !from || (jit && (!options || !values)) ||
	       (n && !library_options && !library_values) ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *code,
			   CUjit_option *jitOptions, void **jitOptionsValues,
			   unsigned int numJitOptions,
			   CUlibraryOption *libraryOptions,
			   void **libraryOptionValues,
			   unsigned int numLibraryOptions)
{
	CUresult rc = check(library, code, numJitOptions, jitOptions, jitOptionsValues,
			    numLibraryOptions, libraryOptions, libraryOptionValues);

	return rc ? rc : load(library, code, SIZE_MAX);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *fileName,
			       CUjit_option *jitOptions,
			       void **jitOptionsValues,
			       unsigned int numJitOptions,
			       CUlibraryOption *libraryOptions,
			       void **libraryOptionValues,
			       unsigned int numLibraryOptions)
{
	CUresult rc = check(library, fileName, numJitOptions, jitOptions, jitOptionsValues,
			    numLibraryOptions, libraryOptions, libraryOptionValues);
	size_t size;
	char *data;

	if (rc)
		return rc;
	data = image_file(fileName, &size);
	if (!data)
		return CUDA_ERROR_FILE_NOT_FOUND;
	rc = load(library, data, size);
	free(data);
	return rc;
}

static CUresult find(CUlibrary handle, const void *out, CUlibrary *library)
{
	CUresult rc = object_get(handle, KIND_LIBRARY, library);

	return rc || out ? rc : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuLibraryUnload(CUlibrary handle)
{
	CUlibrary library;
	CUresult rc = find(handle, handle, &library);
	struct instance *i, *next;

	if (rc)
		return rc;
	if (!object_retire(library, KIND_LIBRARY))
		return CUDA_ERROR_INVALID_HANDLE;
	for (i = library->instances; i; i = next) {
		next = i->next;
		if (object_find(i->module, KIND_MODULE) &&
		    i->module->id == i->module_id &&
		    object_retire(i->module, KIND_MODULE)) {
			module_drop(i->module);
			object_free(i->module);
		}
		free(i);
	}
	kernels_drop(library);
	image_put(library->image);
	object_free(library);
	return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel *pKernel, CUlibrary handle,
			    const char *name)
{
	CUlibrary library;
	CUresult rc = find(handle, name ? pKernel : NULL, &library);
	int index;

	if (rc)
		return rc;
	index = image_find_function(library->image, name);
	if (index < 0)
		return CUDA_ERROR_NOT_FOUND;
	*pKernel = library->kernels[index];
	return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary lib)
{
	CUlibrary library;
	CUresult rc = find(lib, count, &library);

	if (!rc)
		*count = library->image->nfunctions;
	return rc;
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int numKernels,
				   CUlibrary lib)
{
	CUlibrary library;
	CUresult rc = find(lib, numKernels ? kernels : NULL, &library);

	for (unsigned int i = 0; !rc && i < numKernels &&
	     i < library->image->nfunctions; i++)
		kernels[i] = library->kernels[i];
	return rc;
}

CUresult cuLibraryGetModule(CUmodule *pMod, CUlibrary handle)
{
	CUlibrary library;
	CUcontext context;
	CUresult rc = context_current(&context);

	if (!rc)
		rc = find(handle, pMod, &library);
	return rc ? rc : library_module(library, context, pMod);
}

static CUresult global(CUdeviceptr *dptr, size_t *bytes, CUlibrary handle,
		       const char *name, bool managed)
{
	CUlibrary library;
	CUcontext context;
	CUmodule module;
	CUresult rc = context_current(&context);
	int index;

	if (!rc)
		rc = find(handle, name && (dptr || bytes) ? name : NULL,
			  &library);
	if (!rc)
		rc = library_module(library, context, &module);
	if (rc)
		return rc;
	index = image_find_global(library->image, name);
	if (index < 0 || (managed && !library->image->globals[index].managed))
		return CUDA_ERROR_NOT_FOUND;
	if (dptr)
		*dptr = module->globals[index];
	if (bytes)
		*bytes = library->image->globals[index].size;
	return CUDA_SUCCESS;
}

CUresult cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes,
			    CUlibrary library, const char *name)
{
	return global(dptr, bytes, library, name, false);
}

CUresult cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes,
			     CUlibrary library, const char *name)
{
	return global(dptr, bytes, library, name, true);
}

CUresult cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel)
{
	CUfunction function;
	CUcontext context;
	CUresult rc = context_current(&context);

	if (rc)
		return rc;
	if (!pFunc)
		return CUDA_ERROR_INVALID_VALUE;
	kernel = object_find(kernel, KIND_KERNEL);
	if (!kernel)
		return CUDA_ERROR_INVALID_HANDLE;
	rc = function_find((CUfunction)kernel, &function);
	if (!rc)
		*pFunc = function;
	return rc;
}

GETTER(cuKernelGetLibrary, (CUlibrary *out, CUkernel handle), CUkernel kernel,
       kernel_find(handle, &kernel), kernel->library)
GETTER(cuKernelGetName, (const char **out, CUkernel handle), CUkernel kernel,
       kernel_find(handle, &kernel), kernel->image->name)
