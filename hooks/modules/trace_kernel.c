/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the kernels that are launched. */
#include "hooks/modules/trace_kernel.h"

#include <string.h>

#include <cuaudit/replace.h>

#include "hooks/modules/trace_describe.h"
#include "hooks/modules/trace_lock.h"
#include "hooks/modules/trace_table.h"

/* Calls the driver's own; CUDA_ERROR_NOT_FOUND where it has no such function: before 12.3. */
#define ASK(name, symbol, parameters) \
	typedef CUresult name##_fn parameters; \
	static name##_fn *name(void) \
	{ \
		return (name##_fn *)(uintptr_t)cuaudit_real(CUAUDIT_ID_##symbol); \
	}
#include "hooks/modules/trace_driver.def"

#define ask(name, ...) (name() ? name()(__VA_ARGS__) : CUDA_ERROR_NOT_FOUND)

_Atomic uint32_t trace_kernel_epoch;

/* By handle: 32 bits of the name's hash, then the epoch + 1 it was asked in. */
static struct trace_table kernels;

uint32_t trace_kernel_duties(int32_t id)
{
	switch (id) {
#define LEARN(symbol, handle, name) \
	case CUAUDIT_ID_##symbol: \
		return TRACE_DUTY_LEARN;
#define FORGET(symbol) \
	case CUAUDIT_ID_##symbol:
#include "hooks/modules/trace_driver.def"
		return TRACE_DUTY_FORGET;
	default:
		return 0;
	}
}

static uint64_t hash(const char *name)
{
	uint64_t sum = 0xcbf29ce484222325u;

	while (*name)
		sum = (sum ^ (unsigned char)*name++) * 0x100000001b3u;
	return sum >> 32 << 32;
}

static void describe(uint64_t handle, uint64_t ticks, const char *name)
{
	struct cuaudit_trace_kernel *record;
	uint32_t why;

	record = trace_describe(sizeof(*record), strlen(name) + 1, &why);
	if (!record)
		return;
	record->handle = handle;
	record->ticks = ticks;
	strcpy((char *)(record + 1), name);
	trace_describe_publish(record, CUAUDIT_TRACE_KERNEL);
}

/* What a handle is called now; a name that it had is not written again. NULL: nobody knows. */
static void note(uint64_t handle, uint64_t ticks, const char *name)
{
	uint64_t old = trace_table_get(&kernels, handle, 0);
	uint32_t epoch = atomic_load_explicit(&trace_kernel_epoch, memory_order_relaxed);
	uint64_t now = (name ? hash(name) : old >> 32 << 32) | (epoch + 1);

	if (name && (!old || old >> 32 != now >> 32))
		describe(handle, ticks, name);
	trace_table_put(&kernels, handle, 0, now);
}

static bool is_noted(uint64_t handle)
{
	uint32_t epoch = atomic_load_explicit(&trace_kernel_epoch, memory_order_relaxed);

	return (uint32_t)trace_table_get(&kernels, handle, 0) == epoch + 1;
}

/* The kernel was launched just now: it is there. */
static void launched(struct trace_writer *writer, uint64_t handle, uint64_t ticks)
{
	uint32_t epoch = atomic_load_explicit(&trace_kernel_epoch, memory_order_relaxed);
	struct trace_lock saved;
	const char *name = NULL;
	bool noted;

	if (writer->kernels_epoch != epoch)
		memset(writer->kernels, 0, sizeof(writer->kernels));
	writer->kernels_epoch = epoch;
	trace_lock(&saved);
	noted = is_noted(handle);
	trace_unlock(&saved);
	if (!noted) {
		/* Without the lock: the driver has its own. */
		if (ask(function_name, &name, (CUfunction)(uintptr_t)handle) &&
		    ask(kernel_name, &name, (CUkernel)(uintptr_t)handle))
			name = NULL;
		trace_lock(&saved);
		if (!is_noted(handle))
			note(handle, ticks, name);
		trace_unlock(&saved);
	}
	*trace_kernel_place(writer, handle) = handle;
}

/* Drivers that cannot be asked tell names only when kernels are looked up. */
static void learn(uint64_t handle, uint64_t ticks, const char *name)
{
	struct trace_lock saved;

	if (function_name() || !name)
		return;
	trace_lock(&saved);
	note(handle, ticks, name);
	trace_unlock(&saved);
}

static void learn_from(const struct cuaudit_call *call)
{
	switch (call->function->id) {
#define LEARN(symbol, handle, name) \
	case CUAUDIT_ID_##symbol: \
		learn((uintptr_t)*CUAUDIT_ARGS(call, symbol)->handle, call->start, \
		      CUAUDIT_ARGS(call, symbol)->name); \
		break;
#include "hooks/modules/trace_driver.def"
	}
}

void trace_kernel_see(struct trace_writer *writer, const struct cuaudit_call *call,
		      const struct trace_plan *plan)
{
	uint64_t handle = call->words[plan->kernel];

	if (plan->duties & TRACE_DUTY_FORGET)
		atomic_fetch_add_explicit(&trace_kernel_epoch, 1, memory_order_relaxed);
	if (plan->duties & TRACE_DUTY_LEARN)
		learn_from(call);
	if (plan->duties & TRACE_DUTY_KERNEL && handle && !trace_kernel_is_known(writer, handle))
		launched(writer, handle, call->start);
}

void trace_kernel_forked(void)
{
	trace_table_clear(&kernels);
}
