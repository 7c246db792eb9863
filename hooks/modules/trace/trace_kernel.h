/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the kernels that are launched, and how their parameters lie. */
#ifndef HOOKS_MODULES_TRACE_TRACE_KERNEL_H
#define HOOKS_MODULES_TRACE_TRACE_KERNEL_H

#include <stdatomic.h>

#include "hooks/kernel.h"
#include "hooks/modules/trace/trace_writer.h"

/* Context: setup. parameters: those of kernels are wanted, too. 0 or -errno. */
int trace_kernel_setup(bool parameters);

/* Two handles that sum up alike each have a place; LAUNCH of trace_fast_path_x86_64.S knows which, too. */
static inline uint64_t *trace_kernel_places(struct trace_writer *writer, uint64_t handle)
{
	uint64_t sum = handle >> TRACE_KERNELS_LOW ^ handle >> TRACE_KERNELS_HIGH;

	return &writer->kernels[sum % TRACE_KERNELS & ~1u];
}

/* Context: call. Whether the thread has seen the handle lately. */
static inline bool trace_kernel_is_known(struct trace_writer *writer, uint64_t handle)
{
	const uint64_t *at = trace_kernel_places(writer, handle);

	return (at[0] == handle || at[1] == handle) &&
	       writer->kernels_epoch ==
	       atomic_load_explicit(&kernel_epoch, memory_order_relaxed);
}

/*
 * Context: call. Describes the kernel that was to be launched just now, at ticks; success: it was,
 * so that the driver can be asked for more. False, and why: the file had no room, and would name
 * another kernel that had the handle.
 */
bool trace_kernel_launched(struct trace_writer *writer, uint64_t handle, uint64_t ticks,
			   bool success, uint32_t *why);

/* Context: call. How the parameters of a kernel lie that is known; NULL: the driver did not tell. */
const struct trace_layout *trace_kernel_layout(struct trace_writer *writer, uint64_t handle);

/* Context: call, in the child of fork. */
void trace_kernel_forked(void);

#endif
