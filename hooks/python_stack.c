/* SPDX-License-Identifier: Apache-2.0 */
/* One stack of native frames and Python's. */
#include <cuaudit/hook.h>
#include <errno.h>

#include "hooks/python.h"
#include "hooks/unwound.h"

/* A stack that is put together. */
struct stack {
	struct cuaudit_stack_frame *frames;
	uint32_t count, max;
	const struct python *python;
	struct python_thread *own;	/* whose frames ... */
	uint32_t next, ends;		/* ... from next on are still to come, up to ends */
};

static void put(struct stack *stack, const void *address, const struct cuaudit_python *python)
{
	if (stack->count == stack->max)
		return;
	stack->frames[stack->count] = (struct cuaudit_stack_frame){ .address = address };
	if (python)
		stack->frames[stack->count].python = *python;
	stack->count++;
}

/* Python's frames that one C frame runs: up to the one that names it. */
static void put_python(struct stack *stack)
{
	while (stack->next < stack->ends) {
		const struct python_frame *frame = &stack->own->frames[stack->next++];

		put(stack, NULL, &frame->is);
		if (frame->entry || !stack->python->at.thread_cframe)
			break;
	}
}

/* The C frame that the next of Python's are in; 0: the version does not say. */
static uint64_t next_entry(const struct stack *stack)
{
	for (uint32_t i = stack->next; i < stack->ends; i++)
		if (stack->own->frames[i].entry)
			return stack->own->frames[i].entry;
	return 0;
}

/* Whether a native frame, with its part of the C stack, runs the next of Python's. */
static bool runs_next(const struct stack *stack, uintptr_t at, uintptr_t low, uintptr_t high)
{
	uint64_t entry = next_entry(stack);

	if (stack->next == stack->ends)
		return false;
	if (!entry)
		return at >= stack->python->eval && at < stack->python->eval_end;
	return entry >= low && entry < high;
}

static void merge(struct stack *stack, uint32_t native)
{
	const struct python *python = stack->python;
	struct python_thread *own = stack->own;

	for (uint32_t i = 0; i < native; i++) {
		uintptr_t at = (uintptr_t)own->native[i];
		uintptr_t high = i + 1 < native ? own->native_at[i + 1] : UINTPTR_MAX;

		if (at < python->lo || at >= python->hi)
			put(stack, own->native[i], NULL);
		while (runs_next(stack, at, own->native_at[i], high)) {
			put_python(stack);
			if (!next_entry(stack))
				break;
		}
	}
	/* Where the native ones were not found, or too many. */
	while (stack->next < stack->ends)
		put_python(stack);
}

/* Without an interpreter, or memory for it. */
static uint32_t plain(const struct cuaudit_call *call, struct cuaudit_stack_frame *frames,
		      uint32_t max, enum cuaudit_stack what)
{
	enum { MOST = 128 };
	const void *native[MOST] = { call->caller };
	uint32_t count = 1;

	if (what == CUAUDIT_STACK_MERGED)
		count = cuaudit_call_backtrace(call, native, max < MOST ? max : MOST,
					       CUAUDIT_BACKTRACE_UNWIND);
	for (uint32_t i = 0; i < count; i++)
		frames[i] = (struct cuaudit_stack_frame){ .address = native[i] };
	return count;
}

uint32_t cuaudit_call_stack(const struct cuaudit_call *call, struct cuaudit_stack_frame *frames,
			    uint32_t max, enum cuaudit_stack what)
{
	const struct python *python = python_get();
	struct python_thread *own = python ? python_thread() : NULL;
	struct stack stack = { .frames = frames, .max = max, .python = python, .own = own };
	uint32_t native = 1;
	int error = errno;

	if (!max)
		return 0;
	if (!own)
		return plain(call, frames, max, what);
	stack.ends = python_frames(python, own, max, what == CUAUDIT_STACK_MERGED);
	own->native[0] = call->caller;
	own->native_at[0] = 0;
	if (what == CUAUDIT_STACK_MERGED)
		native = unwound_stack(call->caller, own->native, own->native_at, NULL, PYTHON_NATIVE);
	if (what == CUAUDIT_STACK_MERGED && native) {
		merge(&stack, native);
	} else {
		put(&stack, call->caller, NULL);
		while (stack.next < stack.ends)
			put_python(&stack);
	}
	errno = error;
	return stack.count;
}
