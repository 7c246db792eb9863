/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory a process held, by what its calls took and gave back. */
#include "analysis/device_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cuaudit/cuda_types.h>

#include "analysis/live.h"
#include "analysis/series.h"
#include "tables/array.h"
#include "tracefile/arguments.h"

enum {
	STEP_NS = 1000,
	WINDOWS = 16 << 20	/* bytes of all threads' windows together */
};

bool memory_known(const struct trace *trace, const struct fact *facts)
{
	bool gives = false;

	for (size_t i = 0; i < trace->nfunctions; i++)
		gives |= facts[i].action == FACT_ALLOCATES;
	return gives && trace->header.flags & CUAUDIT_TRACE_ARGUMENTS;
}

static bool value_of(const struct trace_arguments *arguments, uint8_t word, uint64_t *value)
{
	bool known = word < TRACE_WORDS && arguments->known >> word & 1;

	*value = known ? arguments->words[word] : 0;
	return known;
}

/* By the size of what was recorded of the description, false where nobody knows. */
static bool array_size(const struct trace_arguments *arguments, const struct fact *fact,
		       uint64_t *bytes)
{
	const struct trace_piece *piece = trace_arguments_behind(arguments, fact->size);
	bool cubic = fact->how == FACT_ARRAY3D;
	enum array_form form = cubic ? ARRAY_CUBE : ARRAY_FLAT;
	CUDA_ARRAY3D_DESCRIPTOR array;
	uint64_t levels = 1;

	if (piece && piece->size != array_form_size(form))
		form = cubic ? ARRAY_CUBE_V1 : ARRAY_FLAT_V1;
	if (!piece || piece->size != array_form_size(form) ||
	    (fact->levels != FACT_NO_WORD && !value_of(arguments, fact->levels, &levels)))
		return false;
	array = array_describe(piece->data, form);
	return array_bytes(&array, (uint32_t)levels, bytes);
}

/* False where nobody knows. */
static bool size_of(const struct trace_arguments *arguments, const struct fact *fact,
		    uint64_t *bytes)
{
	uint64_t height;

	switch (fact->how) {
	case FACT_PITCH:
		if (!trace_arguments_number(arguments, fact->size, bytes) ||
		    !value_of(arguments, fact->height, &height))
			return false;
		*bytes *= height;
		return true;
	case FACT_ARRAY:
	case FACT_ARRAY3D:
		return array_size(arguments, fact, bytes);
	default:
		return value_of(arguments, fact->size, bytes);
	}
}

static bool on_device(uint8_t kind)
{
	return kind != SUMMARY_HOST;
}

static void give(struct summary_bytes *bytes, uint64_t size, bool sized)
{
	bytes->allocations++;
	bytes->unsized += !sized;
	bytes->allocated += size;
	bytes->held += size;
	if (bytes->held > bytes->peak)
		bytes->peak = bytes->held;
}

static void take(struct summary_bytes *bytes, uint64_t size)
{
	bytes->frees++;
	bytes->held -= size;
}

static void end(struct memory_state *state, struct live_object *object)
{
	take(&state->memory->kinds[object->kind], object->size);
	if (on_device(object->kind))
		take(&state->memory->device, object->size);
	live_remove(&state->live, object);
}

static int begin(struct memory_state *state, const struct fact *fact, uint64_t handle,
		 const struct trace_arguments *arguments, uint64_t ticks)
{
	uint64_t size = 0;
	bool sized = size_of(arguments, fact, &size);
	struct live_object object = { handle, sized ? size : 0, ticks, 1, fact->space, fact->kind };
	struct live_object *former = live_find(&state->live, fact->space, handle);
	uint64_t peak = state->memory->device.peak;

	/* The call that gave it back has not ended yet, or was not seen. */
	if (former)
		end(state, former);
	give(&state->memory->kinds[fact->kind], object.size, sized);
	if (on_device(fact->kind))
		give(&state->memory->device, object.size, sized);
	if (state->memory->device.peak > peak)
		state->peak = ticks;
	return live_add(&state->live, &object);
}

/* An object that was allocated after the call began is another of the same handle. */
static void release(struct memory_state *state, const struct fact *fact, uint64_t handle,
		    const struct trace_call *call)
{
	struct live_object *object = live_find(&state->live, fact->space, handle);

	if (object && object->allocated <= call->start && !--object->claims) {
		object->claims = 1;
		end(state, object);
	}
}

static int apply(struct memory_state *state, const struct fact *fact, const struct trace_call *call)
{
	struct trace_arguments arguments;
	struct live_object *object;
	uint64_t handle;

	if (!trace_arguments_read(&arguments, state->trace, call))
		return 0;
	if (fact->action == FACT_FREES) {
		if (value_of(&arguments, fact->handle, &handle) && handle)
			release(state, fact, handle, call);
		return 0;
	}
	if (!trace_arguments_number(&arguments, fact->handle, &handle) || !handle)
		return 0;
	if (fact->action == FACT_ALLOCATES)
		return begin(state, fact, handle, &arguments, call->end);
	object = live_find(&state->live, fact->space, handle);
	if (object)
		object->claims++;
	return 0;
}

int memory_call(struct memory_state *state, const struct trace_call *call)
{
	const struct fact *fact = &state->facts[state->trace->sites[call->site].function];

	if (fact->action < FACT_ALLOCATES || call->result || !call->arguments ||
	    call->status & CUAUDIT_TRACE_FAILED)
		return 0;
	return apply(state, fact, call) ?: 1;
}

void memory_end(struct memory_state *state)
{
	live_free(&state->live);
}

static int follow_calls(struct memory_state *state, struct series *series,
			struct trace_merge *merge)
{
	const struct trace_call *call;
	uint64_t last = 0;
	int changed = 0;

	while (changed >= 0 && (call = trace_merge_next(merge))) {
		last = call->end;
		changed = memory_call(state, call);
		if (changed > 0)
			series_set(series, call->end, state->memory->device.held);
	}
	if (changed >= 0 && last)
		series_set(series, last, state->memory->device.held);
	return changed < 0 ? changed : trace_merge_error(merge);
}

int memory_follow(struct summary_memory *memory, const struct trace *trace,
		  const struct fact *facts, size_t points)
{
	struct memory_state state = { .memory = memory, .trace = trace, .facts = facts };
	struct series series = { 0 };
	uint64_t step = trace->mult ? ((uint64_t)STEP_NS << trace->shift) / trace->mult : 1;
	struct trace_merge *merge = trace_merge_open(trace);
	int error = -ENOMEM;

	if (merge)
		trace_merge_limit(merge, WINDOWS);
	if (merge)
		error = series_begin(&series, points < 2 ? 2 : points, trace->start_ticks,
				     step);
	if (!error)
		error = follow_calls(&state, &series, merge);
	if (merge)
		trace_merge_close(merge);
	memory_end(&state);
	memory->known = true;
	memory->peak_ns = state.peak ? trace_ns(trace, state.peak) : 0;
	memory->points = series.points;
	memory->npoints = series.count;
	memory->start_ns = trace_ns(trace, series.start);
	memory->step_ns = trace_duration(trace, series.step);
	return error;
}

int memory_usage_begin(struct memory_usage *held, const struct trace *trace)
{
	memory_usage_free(held);
	held->facts = facts_of(trace);
	if (!held->facts)
		return -ENOMEM;
	held->known = memory_known(trace, held->facts);
	held->state = (struct memory_state){
		.memory = &held->memory, .trace = trace, .facts = held->facts };
	return 0;
}

void memory_usage_free(struct memory_usage *held)
{
	memory_end(&held->state);
	free(held->facts);
	*held = (struct memory_usage){ .known = false };
}
