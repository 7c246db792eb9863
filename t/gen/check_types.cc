/* SPDX-License-Identifier: Apache-2.0 */
/* Compares cuda_types.h and its tables with a toolkit's headers. */
/*
 * Only ever compiled with -fsyntax-only. Our header is read a second time in
 * a namespace, where its names stand beside the toolkit's. ROWS, ENUMS and
 * STRUCTS are the parts of our tables that the headers have as well.
 */
#define __CUDA_API_VERSION_INTERNAL 1
#define __CUDA_API_VERSION_INTERNAL_ODR 1
#include <stddef.h>
#include <stdint.h>
#include <vdpau/vdpau.h>
#include <cuda.h>
#include <cudaEGL.h>
#include <cudaGL.h>
#include <cudaProfiler.h>
#include <cudaVDPAU.h>

#define CUAUDIT_OWN_TYPES
#undef CUDAEGL_H
#undef CUDAGL_H
#undef CU_UUID_HAS_BEEN_DEFINED
#undef __CUDA_API_VERSION_INTERNAL
#undef __cuda_cuda_h__
#undef __egl_h_
#undef __eglext_h_
#undef __gl_h_
#undef _VDPAU_H
#undef cuda_profiler_H

/* Each row as a structure of its parameters, with either header's types. */
#define SEP
#define P(direction, type, name) type name;
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, ...)		\
	struct __attribute__((packed)) row_##symbol { __VA_ARGS__ };
namespace theirs {
#include ROWS
}
namespace ours {
#include <cuaudit/cuda_types.h>
#include ROWS
}
#undef CUAPI

#define CUAPI(id, symbol, ...)									\
	static_assert(sizeof(theirs::row_##symbol) == sizeof(ours::row_##symbol),		\
		"parameters of " #symbol);
#include ROWS

#define ENUM(type)
#define FLAGSET(type)
#define ENUM_END(type)
#define ENUM_ALIAS(alias, type) static_assert(sizeof(::alias) == sizeof(ours::type), #alias);
#define ENUMERATOR(type, name, value)								\
	static_assert((long long)::name == (value) && (long long)ours::name == (value), #name);
#include ENUMS

/* In the namespace a bare name is ours. */
#define STRUCT(type)										\
	static_assert(sizeof(::type) == sizeof(type) && alignof(::type) == alignof(type), #type);
#define STRUCT_END(type)
#define STRUCT_ALIAS(alias, type) static_assert(sizeof(::alias) == sizeof(type), #alias);
#define FIELD(type, field, path)								\
	static_assert(offsetof(::type, path) == offsetof(type, path) &&				\
		sizeof(((::type *)0)->path) == sizeof(((type *)0)->path) &&			\
		sizeof(((type *)0)->path) == sizeof(field), #type "." #path);
namespace ours {
#include STRUCTS
}
