/* SPDX-License-Identifier: Apache-2.0 */
/* The names of kernels, by their handles. */
#ifndef HOOKS_KERNEL_H
#define HOOKS_KERNEL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What the driver handed the handle out as; it need not know one of the other kind. */
enum kernel_kind {
	KERNEL_UNSEEN,
	KERNEL_FUNCTION,	/* CUfunction */
	KERNEL_KERNEL		/* CUkernel */
};

struct kernel {
	const char *name;	/* NULL: not known; equal names are one pointer, for good */
	enum kernel_kind kind;
	bool settled;		/* it is the same until kernel_epoch changes */
};

/* Changes whenever a handle may have become another kernel's. */
extern _Atomic uint32_t kernel_epoch;

/* Context: call. No call of the driver, and no lock but for a handle that was not seen before. */
struct kernel kernel_of(uint64_t handle);

/* Context: call. Whether cuaudit_kernel_prepare was called. */
bool kernel_is_prepared(void);

#endif
