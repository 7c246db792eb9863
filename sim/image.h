/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a kernel image, whatever form it came in, and its modules. */
#ifndef SIM_IMAGE_H
#define SIM_IMAGE_H

#include "sim/sim.h"

struct image_param {
	size_t offset;
	size_t size;
};

struct image_function {
	char *name;
	struct image_param *params;
	unsigned int nparams;
	unsigned int max_threads;	/* 0: the device's limit */
	size_t shared;			/* static shared memory */
};

struct image_global {
	char *name;
	size_t size;
	void *data;	/* its first contents, NULL for zeroes */
	bool managed;
};

struct image {
	atomic_uint users;
	unsigned int nfunctions;
	unsigned int nglobals;
	struct image_function *functions;
	struct image_global *globals;
};

/*
 * Reads PTX text, a cubin or a fat binary. size is SIZE_MAX where the caller
 * has a pointer alone: then the image says itself where it ends.
 */
CUresult image_load(const void *data, size_t size, struct image **image);

/* A whole file, for image_load; free() it. NULL: it cannot be read. */
char *image_file(const char *path, size_t *size);

void image_get(struct image *image);
void image_put(struct image *image);

/* For the readers; NULL when there is no memory. */
struct image_function *image_function(struct image *image, const char *name,
				      size_t length);
struct image_param *image_param(struct image_function *function);
struct image_global *image_global(struct image *image, const char *name,
				  size_t length);

/* The index of a name, -1 if the image has none such. */
int image_find_function(const struct image *image, const char *name);
int image_find_global(const struct image *image, const char *name);

CUresult ptx_read(const char *text, size_t size, struct image *image);
CUresult cubin_read(const char *data, size_t size, struct image *image);
CUresult fatbin_read(const char *data, size_t size, struct image *image);
bool cubin_is(const char *data, size_t size);
bool fatbin_is(const char *data, size_t size);

struct CUmod_st {
	struct object object;
	uint64_t id;
	struct image *image;
	CUlibrary library;	/* whose instance it is, or NULL */
	CUfunction *functions;	/* made when first asked for */
	CUdeviceptr *globals;
};

/* What may be set of a function or kernel. */
struct function_settings {
	int max_dynamic;	/* dynamic shared memory allowed, -1: unless asked */
	int carveout;
	bool non_portable;
};

static const struct function_settings function_defaults = { -1, -1, false };

struct CUfunc_st {
	struct object object;
	CUmodule module;
	CUkernel kernel;	/* whose instance it is, or NULL */
	const struct image_function *image;
	struct function_settings settings;
};

struct CUkern_st {
	struct object object;
	CUlibrary library;
	unsigned int index;
	const struct image_function *image;
	struct function_settings settings;
};

/* Takes over the caller's reference to image, also where it fails. */
CUresult module_new(CUcontext context, struct image *image, CUlibrary library,
		    CUmodule *module);

/* Frees a module that was retired, and its functions and variables. */
void module_drop(CUmodule module);

/* The function of that index. */
CUresult module_function(CUmodule module, unsigned int index,
			 CUfunction *function);

/* The library's instance in a context, made if there is none. */
CUresult library_module(CUlibrary library, CUcontext context,
			CUmodule *module);

static inline CUresult kernel_find(CUkernel handle, CUkernel *kernel)
{
	if (!sim_ready())
		return CUDA_ERROR_NOT_INITIALIZED;
	*kernel = object_find(handle, KIND_KERNEL);
	return *kernel ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

/* The function a handle names; a kernel's is that of the current context. */
CUresult function_find(CUfunction handle, CUfunction *function);

/* The blocks of a function that fit a multiprocessor at once. */
int occupancy_blocks(CUfunction function, int threads, size_t dynamic);

#endif
