/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the kernels that are launched, and how their parameters lie. */
#include "hooks/modules/trace/trace_kernel.h"

#include <string.h>

#include <cuaudit/clock.h>

#include "hooks/driver_ask.h"
#include "hooks/modules/trace/trace_describe.h"
#include "hooks/modules/trace/trace_lock.h"
#include "hooks/modules/trace/trace_table.h"

#include "hooks/modules/trace/trace_driver.def"

/* By handle: the name that the file has of it, which is one pointer for equal names. */
static struct trace_table kernels;

/* By handle: the number of its layout, and above that the epoch + 1 in which it was asked for. */
static struct trace_table laid_out;

static bool describe(uint64_t handle, uint64_t ticks, const char *name, uint32_t *why)
{
	struct cuaudit_trace_kernel *record;
	size_t size = trace_describe_size(name);

	record = trace_describe(sizeof(*record), size, why);
	if (!record)
		return false;
	record->handle = handle;
	record->ticks = ticks;
	trace_describe_text(record + 1, name, size);
	trace_describe_publish(record, CUAUDIT_TRACE_KERNEL);
	return true;
}

/*
 * What a handle is called now; a name that it has in the file is not written again. False, and
 * why: the file would give it another's name.
 */
static bool note(uint64_t handle, uint64_t ticks, const char *name, uint32_t *why)
{
	uint64_t old = trace_table_get(&kernels, handle, 0);

	if (old == (uintptr_t)name)
		return true;
	if (!name || !describe(handle, ticks, name, why))
		return !old;
	trace_table_put(&kernels, handle, 0, (uintptr_t)name);
	return true;
}

static CUresult ask_parameter(uint64_t handle, enum kernel_kind kind, uint32_t index,
			      struct cuaudit_trace_parameter *parameter)
{
	CUfunction function = (CUfunction)(uintptr_t)handle;
	CUkernel kernel = (CUkernel)(uintptr_t)handle;
	size_t offset = 0, size = 0;
	CUresult result = kind == KERNEL_KERNEL ? ask(kernel_parameter, kernel, index, &offset, &size) :
			  kind == KERNEL_FUNCTION ? ask(function_parameter, function, index, &offset, &size) :
			  CUDA_ERROR_NOT_FOUND;

	*parameter = (struct cuaudit_trace_parameter){ (uint32_t)offset, (uint32_t)size };
	return result;
}

static uint32_t epoch(void)
{
	return atomic_load_explicit(&kernel_epoch, memory_order_relaxed);
}

/* What another thread has asked for. */
static const struct trace_layout *find_layout(uint64_t handle)
{
	const struct trace_layout *layout = NULL;
	struct trace_lock saved;
	uint64_t found;

	trace_lock(&saved);
	found = trace_table_get(&laid_out, handle, 0);
	if (found >> 32 == epoch() + 1)
		layout = trace_layout_numbered((uint32_t)found);
	trace_unlock(&saved);
	return layout;
}

/*
 * The driver tells of one after the other, until there is none; since CUDA 12.9 it also writes
 * so to its log. Thus it is asked once.
 */
static const struct trace_layout *ask_layout(struct trace_writer *writer, uint64_t handle,
					     enum kernel_kind kind)
{
	const struct trace_layout *layout = find_layout(handle);
	struct cuaudit_trace_parameter next;
	struct trace_lock saved;
	uint32_t count = 0;
	CUresult result;

	if (layout)
		return layout;
	for (;; count++) {
		result = ask_parameter(handle, kind, count, &next);
		if (result || count == TRACE_LAYOUT_PARAMETERS || next.offset >= TRACE_LAYOUT_MOST)
			break;
		writer->parameters[count] = next;
	}
	if (result && result != CUDA_ERROR_INVALID_VALUE)
		return NULL;
	trace_lock(&saved);
	layout = trace_layout(writer->parameters, count, !result);
	if (layout)
		trace_table_put(&laid_out, handle, 0, layout->number | (uint64_t)(epoch() + 1) << 32);
	trace_unlock(&saved);
	return layout;
}

static bool layouts_wanted;

bool trace_kernel_launched(struct trace_writer *writer, uint64_t handle, uint64_t ticks,
			   bool success, uint32_t *why)
{
	uint32_t now = epoch();
	struct kernel kernel = kernel_of(handle);
	const struct trace_layout **layouts;
	struct trace_lock saved;
	uint64_t *at;
	bool named;

	*why = CUAUDIT_TRACE_LOST_SIZE;
	if (writer->kernels_epoch != now)
		memset(writer->kernels, 0, sizeof(writer->kernels));
	writer->kernels_epoch = now;
	trace_lock(&saved);
	named = note(handle, ticks, kernel.name, why);
	trace_unlock(&saved);
	if (!named || !kernel.settled || !success)
		return named;
	at = trace_kernel_places(writer, handle);
	layouts = &writer->layouts[at - writer->kernels];
	at[1] = at[0];
	at[0] = handle;
	layouts[1] = layouts[0];
	layouts[0] = layouts_wanted ? ask_layout(writer, handle, kernel.kind) : NULL;
	return true;
}

const struct trace_layout *trace_kernel_layout(struct trace_writer *writer, uint64_t handle)
{
	const uint64_t *at = trace_kernel_places(writer, handle);

	if (!trace_kernel_is_known(writer, handle))
		return NULL;
	return writer->layouts[at - writer->kernels + (at[0] != handle)];
}

int trace_kernel_setup(bool parameters)
{
	layouts_wanted = parameters;
	return cuaudit_kernel_prepare();
}

void trace_kernel_forked(void)
{
	trace_table_clear(&kernels);
	trace_table_clear(&laid_out);
}
