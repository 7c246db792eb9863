/* SPDX-License-Identifier: Apache-2.0 */
/* Compares rows of driver_api.def with the prototypes of a toolkit's headers. */
/*
 * Only ever compiled with -fsyntax-only. ROWS is the file of rows: those of
 * the table that the headers declare.
 */
#define __CUDA_API_VERSION_INTERNAL 1
#include <vdpau/vdpau.h>
#include <cuda.h>
#include <cudaEGL.h>
#include <cudaGL.h>
#include <cudaProfiler.h>
#include <cudaVDPAU.h>

/* An empty list is compatible with any prototype, so they are counted first. */
#define SEP ,
#define P(direction, type, name) 0
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, ...)		\
	_Static_assert(sizeof((char []){ 0, __VA_ARGS__ }) == 1 + (nparams),			\
		"the row does not have the parameters it counts: " #symbol);
#include ROWS
#undef P
#undef CUAPI

#define P(direction, type, name) type name
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, ...)		\
	_Static_assert((nparams) == 0 ?								\
		__builtin_types_compatible_p(__typeof__(&symbol), CUresult (*)(void)) :		\
		__builtin_types_compatible_p(__typeof__(&symbol), CUresult (*)(__VA_ARGS__)),	\
		"the row is not the prototype of " #symbol);
#include ROWS
