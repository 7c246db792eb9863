/* SPDX-License-Identifier: Apache-2.0 */
/* The names of the kernels that are launched, and how their parameters lie. */
#include "hooks/modules/trace/trace_kernel.h"

#include <string.h>

#include <cuaudit/clock.h>
#include <cuaudit/replace.h>

#include "hooks/modules/trace/trace_describe.h"
#include "hooks/modules/trace/trace_lock.h"
#include "hooks/modules/trace/trace_table.h"

/* Calls the driver's own; CUDA_ERROR_NOT_FOUND where it has no such function: before 12.3. */
#define ASK(name, symbol, parameters) \
	typedef CUresult name##_fn parameters; \
	static name##_fn *name(void) \
	{ \
		return (name##_fn *)(uintptr_t)cuaudit_real(CUAUDIT_ID_##symbol); \
	}
#include "hooks/modules/trace/trace_driver.def"

#define ask(name, ...) (name() ? name()(__VA_ARGS__) : CUDA_ERROR_NOT_FOUND)

_Atomic uint32_t trace_kernel_epoch;

/*
 * By handle: 32 bits of its name's hash, what it was handed out as, then the
 * epoch + 1 in which it was asked for, 0 for never. Misnamed: the file had no
 * room for its name, and has that of another kernel which had the handle.
 */
#define OF_KERNEL ((uint64_t)1 << 31)
#define OF_FUNCTION ((uint64_t)1 << 30)
#define OF_EITHER (OF_KERNEL | OF_FUNCTION)
#define MISNAMED ((uint64_t)1 << 29)
#define ASKED (MISNAMED - 1)
static struct trace_table kernels;

/* By handle: the number of its layout, and above that the epoch + 1 in which it was asked for. */
static struct trace_table laid_out;

/* Answers without a name, of a handle the driver ought to know, until one is for good. */
enum { TRIES = 8 };

static uint32_t epoch(void)
{
	return atomic_load_explicit(&trace_kernel_epoch, memory_order_relaxed) & (uint32_t)(ASKED >> 1);
}

/* Of as much of a name as is written. */
static uint64_t hash(const char *name)
{
	uint64_t sum = 0xcbf29ce484222325u;

	for (uint32_t i = 0; i < CUAUDIT_TRACE_TEXT_MOST && name[i]; i++)
		sum = (sum ^ (unsigned char)name[i]) * 0x100000001b3u;
	return sum >> 32 << 32;
}

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
 * What a handle is called now; a name that it had is not written again. NULL: nobody knows.
 * False, and why: the file would give it another's name.
 */
static bool note(uint64_t handle, uint64_t ticks, const char *name, uint32_t *why)
{
	uint64_t old = trace_table_get(&kernels, handle, 0);
	uint64_t now = (old & OF_EITHER) | (name ? hash(name) : old >> 32 << 32) | (epoch() + 1);
	bool misnamed = false;

	if (name && (!(old & ASKED) || old >> 32 != now >> 32))
		misnamed = !describe(handle, ticks, name, why) &&
			   ((old & ASKED && old >> 32) || old & MISNAMED);
	if (misnamed)
		now = (old & OF_EITHER) | MISNAMED;
	trace_table_put(&kernels, handle, 0, now);
	return !misnamed;
}

/* Only what was seen as such: the driver need not know a handle of the other kind. */
static const char *ask_name(uint64_t handle, uint64_t as)
{
	CUfunction function = (CUfunction)(uintptr_t)handle;
	CUkernel kernel = (CUkernel)(uintptr_t)handle;
	const char *name = NULL;

	if (as & OF_KERNEL ? ask(kernel_name, &name, kernel) :
	    as & OF_FUNCTION ? ask(function_name, &name, function) : CUDA_ERROR_NOT_FOUND)
		name = NULL;
	return name;
}

/*
 * The driver did not tell its name; false: the next launch asks again, since the handle was handed out
 * while this one asked, or the driver may still learn it.
 */
static bool note_nameless(uint64_t handle, uint64_t ticks, uint64_t asked_as)
{
	uint64_t old = trace_table_get(&kernels, handle, 0), tries = old >> 32;

	if ((old & OF_EITHER) == asked_as && (!asked_as || tries >= TRIES)) {
		note(handle, ticks, NULL, NULL);
		return true;
	}
	tries += (old & OF_EITHER) == asked_as;
	trace_table_put(&kernels, handle, 0, (old & OF_EITHER) | tries << 32);
	return false;
}

static CUresult ask_parameter(uint64_t handle, uint64_t as, uint32_t index,
			      struct cuaudit_trace_parameter *parameter)
{
	CUfunction function = (CUfunction)(uintptr_t)handle;
	CUkernel kernel = (CUkernel)(uintptr_t)handle;
	size_t offset = 0, size = 0;
	CUresult result = as & OF_KERNEL ? ask(kernel_parameter, kernel, index, &offset, &size) :
			  as & OF_FUNCTION ? ask(function_parameter, function, index, &offset, &size) :
			  CUDA_ERROR_NOT_FOUND;

	*parameter = (struct cuaudit_trace_parameter){ (uint32_t)offset, (uint32_t)size };
	return result;
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
static const struct trace_layout *ask_layout(struct trace_writer *writer, uint64_t handle, uint64_t as)
{
	const struct trace_layout *layout = find_layout(handle);
	struct cuaudit_trace_parameter next;
	struct trace_lock saved;
	uint32_t count = 0;
	CUresult result;

	if (layout)
		return layout;
	for (;; count++) {
		result = ask_parameter(handle, as, count, &next);
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
			   uint32_t *why)
{
	const struct trace_layout **layouts;
	uint32_t now = atomic_load_explicit(&trace_kernel_epoch, memory_order_relaxed);
	struct trace_lock saved;
	uint64_t known, *at;
	bool good = true, misnamed = false;
	const char *name;

	*why = CUAUDIT_TRACE_LOST_SIZE;
	if (writer->kernels_epoch != now)
		memset(writer->kernels, 0, sizeof(writer->kernels));
	writer->kernels_epoch = now;
	trace_lock(&saved);
	known = trace_table_get(&kernels, handle, 0);
	trace_unlock(&saved);
	if ((known & ASKED) != epoch() + 1) {
		/* Without the lock: the driver has its own. */
		name = ask_name(handle, known & OF_EITHER);
		trace_lock(&saved);
		if (name)
			misnamed = !note(handle, ticks, name, why);
		else if (known & MISNAMED)
			misnamed = true;
		else
			good = note_nameless(handle, ticks, known & OF_EITHER);
		trace_unlock(&saved);
	}
	if (!good || misnamed)
		return !misnamed;
	at = trace_kernel_places(writer, handle);
	layouts = &writer->layouts[at - writer->kernels];
	at[1] = at[0];
	at[0] = handle;
	layouts[1] = layouts[0];
	layouts[0] = layouts_wanted ? ask_layout(writer, handle, known & OF_EITHER) : NULL;
	return true;
}

const struct trace_layout *trace_kernel_layout(struct trace_writer *writer, uint64_t handle)
{
	const uint64_t *at = trace_kernel_places(writer, handle);

	if (!trace_kernel_is_known(writer, handle))
		return NULL;
	return writer->layouts[at - writer->kernels + (at[0] != handle)];
}

/* Its name is written now where it cannot be asked for later. */
static void handed_out(uint64_t handle, const char *name, uint64_t as)
{
	bool silent = as == OF_KERNEL ? !kernel_name() : !function_name();
	struct trace_lock saved;
	uint32_t why;
	uint64_t old;

	trace_lock(&saved);
	old = trace_table_get(&kernels, handle, 0);
	if ((old & OF_EITHER) != as) {
		trace_table_put(&kernels, handle, 0, (old & ~OF_EITHER) | as);
		/* It was launched before, and its name asked for in vain: threads ask again. */
		if (old & ASKED)
			atomic_fetch_add_explicit(&trace_kernel_epoch, 1, memory_order_relaxed);
	}
	if (name && silent)
		note(handle, cuaudit_ticks(), name, &why);
	trace_unlock(&saved);
}

static void on_exit(struct cuaudit_call *call, void *data)
{
	unsigned int count = 0;

	(void)data;
	if (!cuaudit_call_succeeded(call))
		return;
	switch (call->function->id) {
#define ARGS(symbol) __typeof__(CUAUDIT_ARGS(call, symbol)) args = CUAUDIT_ARGS(call, symbol)
#define ONE(symbol, handle, name, as) \
	case CUAUDIT_ID_##symbol: { \
		ARGS(symbol); \
		if (args->handle) \
			handed_out((uintptr_t)*args->handle, name, OF_##as); \
		break; \
	}
/* The driver writes as many as there are, and the program's array may have room for these alone. */
#define SOME(symbol, handles, room, of, number, as) \
	case CUAUDIT_ID_##symbol: { \
		ARGS(symbol); \
		if (!args->handles || ask(number, &count, args->of)) \
			break; \
		if (count > args->room) \
			count = args->room; \
		for (uint32_t i = 0; i < count; i++) \
			handed_out((uintptr_t)args->handles[i], NULL, OF_##as); \
		break; \
	}
#include "hooks/modules/trace/trace_driver.def"
	default:
		atomic_fetch_add_explicit(&trace_kernel_epoch, 1, memory_order_relaxed);
	}
}

int trace_kernel_setup(int32_t priority, bool parameters)
{
	static const char functions[] =
#define ONE(symbol, handle, name, as) "=" #symbol ","
#define SOME(symbol, handles, room, of, number, as) "=" #symbol ","
#define FORGET(symbol) "=" #symbol ","
#include "hooks/modules/trace/trace_driver.def"
		"";
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .priority = priority, .name = "trace",
		.functions = functions, .exit = on_exit,
	};

	layouts_wanted = parameters;
	return cuaudit_hook_add(&hook);
}

void trace_kernel_forked(void)
{
	trace_table_clear(&kernels);
	trace_table_clear(&laid_out);
}
