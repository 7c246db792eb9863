/* SPDX-License-Identifier: Apache-2.0 */
/* A prototype for each row of the table, which no definition can differ from. */
#ifndef SIM_API_H
#define SIM_API_H

/* What a <cuda.h> declares cannot be declared again under its macros. */
#ifndef CUAUDIT_OWN_TYPES
#define CUAUDIT_OWN_TYPES
#endif
#include <cuaudit/cuda_types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ARGUMENTS_0(...) void
#define ARGUMENTS_1(...) __VA_ARGS__
#define ARGUMENTS_2(...) __VA_ARGS__
#define ARGUMENTS_3(...) __VA_ARGS__
#define ARGUMENTS_4(...) __VA_ARGS__
#define ARGUMENTS_5(...) __VA_ARGS__
#define ARGUMENTS_6(...) __VA_ARGS__
#define ARGUMENTS_7(...) __VA_ARGS__
#define ARGUMENTS_8(...) __VA_ARGS__
#define ARGUMENTS_9(...) __VA_ARGS__
#define ARGUMENTS_10(...) __VA_ARGS__
#define ARGUMENTS_11(...) __VA_ARGS__
#define ARGUMENTS_12(...) __VA_ARGS__
#define ARGUMENTS_13(...) __VA_ARGS__
#define ARGUMENTS_14(...) __VA_ARGS__
#define ARGUMENTS_15(...) __VA_ARGS__
#define ARGUMENTS_16(...) __VA_ARGS__

#pragma GCC visibility push(default)
#define SEP ,
#define P(dir, type, name) type name
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, n, params) \
	CUresult symbol(ARGUMENTS_##n(params));
#include <cuaudit/driver_api.def>
#undef CUAPI
#undef P
#undef SEP
#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
