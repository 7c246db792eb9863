/* SPDX-License-Identifier: Apache-2.0 */
/* Who called the function of the runtime that reports a call. Context: call. */
#ifndef HOOKS_RUNTIME_CALLER_H
#define HOOKS_RUNTIME_CALLER_H

#include <stdint.h>

struct runtime_caller {
	const void *address;	/* the return address of the runtime's function */
	uintptr_t cfa;		/* its canonical frame address; 0: not known */
};

/*
 * Of the function of that callback, which reports by a call that returns to `back`, and has
 * `data` in its frame. Its address is back, where it is not found.
 */
struct runtime_caller runtime_caller(const void *back, const void *data, uint32_t callback);

#endif
