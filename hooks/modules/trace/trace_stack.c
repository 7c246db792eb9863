/* SPDX-License-Identifier: Apache-2.0 */
/* Backtraces. */
#include "hooks/modules/trace/trace_stack.h"

#include <errno.h>

#include <cuaudit/coverage.h>
#include <cuaudit/hook.h>
#include <cuaudit/trace.h>

#include "hooks/modules/trace/trace_describe.h"
#include "hooks/modules/trace/trace_lock.h"
#include "hooks/modules/trace/trace_table.h"

static uint8_t wanted[CUAUDIT_SLOTS_MAX];
static bool any;
static uint32_t most;

static struct trace_table stacks;
static uint32_t nstacks;

int trace_stack_setup(const char *functions, uint32_t frames)
{
	int taken;

	if (!functions)
		return 0;
	most = frames;
	taken = cuaudit_selector_rows(functions, wanted, CUAUDIT_SLOTS_MAX);
	if (taken <= 0) {
		cuaudit_log(CUAUDIT_ERROR, "trace: backtrace takes a selector that names a "
			    "function, not '%s'", functions);
		return -ECANCELED;
	}
	if (cuaudit_backtrace_prepare()) {
		cuaudit_log(CUAUDIT_WARN, "trace: there is no unwinder; backtrace is left out");
		return 0;
	}
	any = true;
	return 0;
}

bool trace_stack_wanted(int32_t id)
{
	return any && id >= 0 && id < CUAUDIT_SLOTS_MAX && wanted[id];
}

static void sum_up(const void *const *frames, uint32_t count, uint64_t hash[2])
{
	hash[0] = 0x9e3779b97f4a7c15u;
	hash[1] = *cuaudit_generation;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t address = (uintptr_t)frames[i];

		hash[0] = (hash[0] ^ address) * 0xff51afd7ed558ccdu;
		hash[0] ^= hash[0] >> 32;
		hash[1] = (hash[1] + address) * 0xc4ceb9fe1a85ec53u;
		hash[1] ^= hash[1] >> 29;
	}
}

static bool describe(const void *const *frames, uint32_t count, uint32_t *number)
{
	uint32_t libraries[TRACE_STACK_MOST], why;
	struct cuaudit_trace_callers *record;
	struct cuaudit_trace_frame *frame;

	for (uint32_t i = 0; i < count; i++)
		if (!trace_describe_library(cuaudit_library_at(frames[i]), &libraries[i], &why))
			return false;
	record = trace_describe(sizeof(*record), count * sizeof(*frame), &why);
	if (!record)
		return false;
	record->number = nstacks;
	record->nframes = count;
	frame = (struct cuaudit_trace_frame *)(record + 1);
	for (uint32_t i = 0; i < count; i++) {
		frame[i].address = (uintptr_t)frames[i];
		frame[i].library = libraries[i];
	}
	trace_describe_publish(record, CUAUDIT_TRACE_CALLERS);
	*number = nstacks++;
	return true;
}

static bool find(const void *const *frames, uint32_t count, const uint64_t hash[2],
		 uint32_t *number)
{
	struct trace_lock saved;
	bool good;

	trace_lock(&saved);
	*number = (uint32_t)trace_table_get(&stacks, hash[0], hash[1]) - 1;
	good = *number != UINT32_MAX;
	if (!good) {
		good = describe(frames, count, number);
		if (good)
			trace_table_put(&stacks, hash[0], hash[1], *number + 1);
	}
	trace_unlock(&saved);
	return good;
}

bool trace_stack(struct trace_writer *writer, const struct cuaudit_call *call, uint32_t *number)
{
	const void *frames[TRACE_STACK_MOST];
	uint32_t count = cuaudit_call_backtrace(call, frames, most, CUAUDIT_BACKTRACE_UNWIND);
	struct trace_known_stack *known;
	uint64_t hash[2];

	if (!count)
		return false;
	sum_up(frames, count, hash);
	known = &writer->stacks[hash[0] % TRACE_STACKS];
	if (known->hash[0] != hash[0] || known->hash[1] != hash[1]) {
		if (!find(frames, count, hash, number))
			return false;
		*known = (struct trace_known_stack){ { hash[0], hash[1] }, *number };
	}
	*number = known->number;
	return true;
}

void trace_stack_forked(void)
{
	trace_table_clear(&stacks);
	nstacks = 0;
}
