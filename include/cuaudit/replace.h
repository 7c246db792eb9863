/* SPDX-License-Identifier: Apache-2.0 */
/* Functions in place of the driver's, and the driver's own. C11 and C++17. */
#ifndef CUAUDIT_REPLACE_H
#define CUAUDIT_REPLACE_H

#include <cuaudit/args.h>
#include <cuaudit/hook.h>

#define TAG(tag)
#define SEP ,

/* cuaudit_fn_cuMemAlloc_v2 is the type of that function. */
#define P(direction, type, name) type name
#define VIEW(symbol, params) typedef CUresult cuaudit_fn_##symbol(params);
#define VIEW_NONE(symbol) typedef CUresult cuaudit_fn_##symbol(void);
#include <cuaudit/driver_args.def>
#undef P
#undef VIEW
#undef VIEW_NONE

/* The enter hook of a replacement, which is its data and answers for the driver. */
#define P(direction, type, name) cuaudit_view->name
#define VIEW(symbol, params) \
	static inline int cuaudit_enter_##symbol(struct cuaudit_call *call, void *data) \
	{ \
		const struct cuaudit_args_##symbol *cuaudit_view = \
			(const struct cuaudit_args_##symbol *)call->words; \
		call->result = (int32_t)((cuaudit_fn_##symbol *)(uintptr_t)data)(params); \
		return CUAUDIT_SKIP; \
	}
#define VIEW_NONE(symbol) \
	static inline int cuaudit_enter_##symbol(struct cuaudit_call *call, void *data) \
	{ \
		call->result = (int32_t)((cuaudit_fn_##symbol *)(uintptr_t)data)(); \
		return CUAUDIT_SKIP; \
	}
#include <cuaudit/driver_args.def>
#undef TAG
#undef SEP
#undef P
#undef VIEW
#undef VIEW_NONE

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Context: call. The driver's own address of a row of the table, unhooked, in
 * the copy of the driver whose call the calling hook is in, else in the first
 * one. NULL where that driver has no such function.
 */
CUAUDIT_PUBLIC void *cuaudit_real(int id);

/* Context: setup. What CUAUDIT_REPLACE does; 0, or cuaudit_hook_add's error. */
CUAUDIT_PUBLIC int cuaudit_replace(const char *functions, cuaudit_enter_fn enter, void *function);

#ifdef __cplusplus
}
#endif

/*
 * CUAUDIT_REPLACE(cuMemAlloc_v2, mine), context setup: mine is called instead
 * of the driver's function from now on, inside of every other hook. A function
 * of another type does not compile. Other versions of the function and its
 * _ptds or _ptsz twin are not replaced with it.
 * CUAUDIT_REAL(cuMemAlloc_v2)(&address, size), context call: calls the driver's.
 */
#define CUAUDIT_REAL(symbol) \
	((cuaudit_fn_##symbol *)(uintptr_t)cuaudit_real(CUAUDIT_ID_##symbol))

#ifdef __cplusplus
template <typename Wanted, typename Given> struct cuaudit_same {
	static const bool value = false;
};
template <typename Type> struct cuaudit_same<Type, Type> {
	static const bool value = true;
};
#define CUAUDIT_REPLACE(symbol, function) \
	[&]() { \
		static_assert(cuaudit_same<cuaudit_fn_##symbol *, decltype(&*(function))>::value, \
			      "a replacement of " #symbol " must have its type, cuaudit_fn_" #symbol); \
		return cuaudit_replace("=" #symbol, cuaudit_enter_##symbol, \
				       reinterpret_cast<void *>(function)); \
	}()
#else
#define CUAUDIT_REPLACE(symbol, function) \
	(__extension__({ \
		_Static_assert(_Generic((function), cuaudit_fn_##symbol *: 1, default: 0), \
			       "a replacement of " #symbol " must have its type, cuaudit_fn_" #symbol); \
		cuaudit_replace("=" #symbol, cuaudit_enter_##symbol, \
				(void *)(uintptr_t)(function)); \
	}))
#endif

#endif
