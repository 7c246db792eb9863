/* SPDX-License-Identifier: Apache-2.0 */
/* Backtraces. */
#include "hooks/modules/trace/trace_stack.h"

#include <errno.h>
#include <string.h>

#include <cuaudit/clock.h>
#include <cuaudit/coverage.h>
#include <cuaudit/hook.h>
#include <cuaudit/trace.h>

#include "hooks/modules/trace/trace_describe.h"
#include "hooks/modules/trace/trace_lock.h"
#include "hooks/modules/trace/trace_plan.h"
#include "hooks/modules/trace/trace_table.h"
#include "util/selector.h"

static struct selector *all_frames, *python_frames;	/* NULL: of no function */
static uint32_t most;

static struct trace_table stacks, locations;
static uint32_t nstacks, nlocations;
static bool marked;	/* the file says that Python's frames cannot be read */
static char name[CUAUDIT_TRACE_TEXT_MOST + 2], file[CUAUDIT_TRACE_TEXT_MOST + 2];	/* locked */

int trace_stack_setup(const char *functions, const char *python, uint32_t frames)
{
	most = frames;
	all_frames = functions ? selector_open(functions) : NULL;
	python_frames = python ? selector_open(python) : NULL;
	if ((functions && !all_frames) || (python && !python_frames))
		return -ENOMEM;
	if (functions && cuaudit_backtrace_prepare()) {
		cuaudit_log(CUAUDIT_WARN, "trace: there is no unwinder; backtrace is left out");
		all_frames = NULL;
	}
	return 0;
}

uint8_t trace_stack_wanted(const struct cuaudit_function *function)
{
	if (all_frames && selector_takes(all_frames, function))
		return TRACE_AFTER_STACK | TRACE_AFTER_NATIVE;
	return python_frames && selector_takes(python_frames, function) ? TRACE_AFTER_STACK : 0;
}

static void add_up(uint64_t hash[2], uint64_t word)
{
	hash[0] = (hash[0] ^ word) * 0xff51afd7ed558ccdu;
	hash[0] ^= hash[0] >> 32;
	hash[1] = (hash[1] + word) * 0xc4ceb9fe1a85ec53u;
	hash[1] ^= hash[1] >> 29;
}

static void sum_up(const struct cuaudit_stack_frame *frames, uint32_t count, uint64_t hash[2])
{
	hash[0] = 0x9e3779b97f4a7c15u;
	hash[1] = *cuaudit_generation;
	add_up(hash, count > most);
	for (uint32_t i = 0; i < count && i < most; i++) {
		add_up(hash, (uintptr_t)frames[i].address);
		if (!frames[i].address) {
			add_up(hash, frames[i].python.key[0]);
			add_up(hash, frames[i].python.key[1]);
		}
	}
}

/* The number of a Python frame's location; one of all that have the same name, file and line. */
static bool locate(const struct cuaudit_python *frame, uint32_t *number, uint32_t *why)
{
	struct cuaudit_trace_python *record;
	size_t sizes[2];

	*number = (uint32_t)trace_table_get(&locations, frame->key[0], frame->key[1]) - 1;
	if (*number != UINT32_MAX)
		return true;
	cuaudit_python_text(frame, CUAUDIT_PYTHON_NAME, name, sizeof(name));
	cuaudit_python_text(frame, CUAUDIT_PYTHON_FILE, file, sizeof(file));
	sizes[0] = trace_describe_size(name);
	sizes[1] = trace_describe_size(file);
	record = trace_describe(sizeof(*record), sizes[0] + sizes[1], why);
	if (!record)
		return false;
	*why = CUAUDIT_TRACE_LOST_MEMORY;
	if (trace_table_put(&locations, frame->key[0], frame->key[1], nlocations + 1))
		return false;
	*number = record->number = nlocations++;
	record->line = frame->line;
	trace_describe_text(trace_describe_text(record + 1, name, sizes[0]), file, sizes[1]);
	trace_describe_publish(record, CUAUDIT_TRACE_PYTHON);
	return true;
}

/* More than are wanted: the last one says so. */
static bool describe(const struct cuaudit_stack_frame *frames, uint32_t count, uint32_t *number)
{
	uint32_t numbers[TRACE_STACK_MOST + 1], why;
	struct cuaudit_trace_callers *record;
	struct cuaudit_trace_frame *frame;
	bool cut = count > most;

	for (uint32_t i = 0; i < count - cut; i++)
		if (!(frames[i].address ?
		      trace_describe_library(cuaudit_library_at(frames[i].address), &numbers[i], &why) :
		      locate(&frames[i].python, &numbers[i], &why)))
			return false;
	record = trace_describe(sizeof(*record), count * sizeof(*frame), &why);
	if (!record)
		return false;
	record->number = nstacks;
	record->nframes = count;
	frame = (struct cuaudit_trace_frame *)(record + 1);
	for (uint32_t i = 0; i < count - cut; i++) {
		if (frames[i].address)
			frame[i] = (struct cuaudit_trace_frame){ (uintptr_t)frames[i].address, numbers[i],
								 CUAUDIT_TRACE_FRAME_NATIVE };
		else
			frame[i] = (struct cuaudit_trace_frame){ numbers[i], 0,
								 CUAUDIT_TRACE_FRAME_PYTHON };
	}
	if (cut)
		frame[count - 1].kind = CUAUDIT_TRACE_FRAME_CUT;
	trace_describe_publish(record, CUAUDIT_TRACE_CALLERS);
	*number = nstacks++;
	return true;
}

/* Once in a file. */
static void mark_fault(const struct trace_writer *writer, const char *fault)
{
	static const char says[] = "Python frames are not recorded: ";
	size_t size = trace_describe_size(fault);
	struct cuaudit_trace_mark *record;
	struct trace_lock saved;
	uint32_t why;

	trace_lock(&saved);
	record = marked ? NULL : trace_describe(sizeof(*record), sizeof(says) - 1 + size, &why);
	if (record) {
		char *text = (char *)(record + 1);

		record->ticks = cuaudit_ticks();
		record->thread = writer->number;
		record->kind = CUAUDIT_TRACE_MARK_NO_PYTHON;
		memcpy(text, says, sizeof(says) - 1);
		trace_describe_text(text + sizeof(says) - 1, fault, size);
		trace_describe_publish(record, CUAUDIT_TRACE_MARK);
		__atomic_store_n(&marked, true, __ATOMIC_RELAXED);
	}
	trace_unlock(&saved);
}

static bool find(const struct cuaudit_stack_frame *frames, uint32_t count, const uint64_t hash[2],
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

bool trace_stack(struct trace_writer *writer, const struct cuaudit_call *call, bool native,
		 uint32_t *number)
{
	struct cuaudit_stack_frame *frames = writer->frames;
	struct trace_known_stack *known;
	const char *fault = __atomic_load_n(&marked, __ATOMIC_RELAXED) ? NULL : cuaudit_python_fault();
	uint32_t count = 0;
	uint64_t hash[2];

	if (fault)
		mark_fault(writer, fault);
	if (most)
		count = cuaudit_call_stack(call, frames, most + 1,
					   native ? CUAUDIT_STACK_MERGED : CUAUDIT_STACK_PYTHON);
	/* The caller alone is the call's site. */
	if (!count || (!native && count == 1))
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
	trace_table_clear(&locations);
	nstacks = nlocations = 0;
	marked = false;
}
