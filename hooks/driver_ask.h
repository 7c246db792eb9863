/* SPDX-License-Identifier: Apache-2.0 */
/* What code of ours asks of the driver itself: rows of ASK(name, symbol, parameters) become functions that find it. */
#ifndef HOOKS_DRIVER_ASK_H
#define HOOKS_DRIVER_ASK_H

#include <cuaudit/replace.h>

#define ASK(name, symbol, parameters) \
	typedef CUresult name##_fn parameters; \
	static name##_fn *name(void) \
	{ \
		return (name##_fn *)(uintptr_t)cuaudit_real(CUAUDIT_ID_##symbol); \
	}

/* Calls the driver's own; CUDA_ERROR_NOT_FOUND where it has no such function. It is looked up once: this is in launches. */
#define ask(name, ...) __extension__({ \
	name##_fn *asked_ = name(); \
	asked_ ? asked_(__VA_ARGS__) : CUDA_ERROR_NOT_FOUND; \
})

#endif
