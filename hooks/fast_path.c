/* SPDX-License-Identifier: Apache-2.0 */
/* What the fast paths have in common. */
#include "hooks/fast_path.h"

#include <cuaudit/api.h>
#include <string.h>

#include "hooks/dispatch.h"
#include "hooks/entry.h"
#include "hooks/layout.h"
#include "hooks/unwound.h"

#ifdef ARCH_FAST_PATH

enum fast_shape fast_shape(const struct cuaudit_function *function)
{
	const struct layout *row = entry_row(entry_of_function(function));

	if (!row || !layout_regular(row) || entry_mixed(entry_of_function(function)))
		return FAST_NONE;
	if (row->nparams <= FRAME_NREGS)
		return FAST_REGISTERS;
	switch (function->id) {
#define LAUNCH(symbol) case CUAUDIT_ID_##symbol:
#include "hooks/core_functions.def"
		return FAST_LAUNCH;
	default:
		return FAST_NONE;
	}
}

static void fill(struct frame *frame, const struct fast_call *fast, uint64_t end, int result)
{
	const struct entry *entry = entry_of_function(fast->function);
	uint32_t nwords = entry_row(entry)->nparams;

	frame->call = (struct cuaudit_call){
		.function = fast->function, .words = frame->regs, .caller = fast->caller,
		.correlation = fast->correlation, .blocks = fast->thread->blocks,
		.nwords = nwords, .result = result, .start = fast->start, .end = end,
	};
	frame->list = atomic_load_explicit(&entry->list, memory_order_acquire);
	frame->own = (uintptr_t)fast->stack;
	memcpy(frame->regs, fast->words, sizeof(frame->regs));
	if (nwords > FRAME_NREGS)
		memcpy(frame->stack_args, fast->stack, FAST_STACK * sizeof(*frame->stack_args));
}

__attribute__((cold))
void fast_fill(struct frame *frame, const struct fast_call *fast, uint64_t end, int result)
{
	fill(frame, fast, end, result);
	atomic_signal_fence(memory_order_seq_cst);
	/* Where the hook is looked for by what it asks. */
	fast->thread->state = (uintptr_t)frame | THREAD_INSIDE | THREAD_FILLED;
}

/* What the state names: a frame where a trampoline's would be. */
static uintptr_t place(const struct fast_call *fast)
{
	return (uintptr_t)&fast->frame_pointer - sizeof(struct frame);
}

__attribute__((cold))
void fast_release(const struct fast_call *fast)
{
	atomic_signal_fence(memory_order_seq_cst);
	fast->thread->state = place(fast) | THREAD_INSIDE;
	atomic_signal_fence(memory_order_seq_cst);
}

int fast_moved(struct fast_call *fast, uint64_t end, int result)
{
	struct frame frame;

	fill(&frame, fast, end, result);
	unwound_move(fast->thread, place(fast), frame.call.correlation);
	return (int)dispatch_exit_moved(&frame);
}

#else

enum fast_shape fast_shape(const struct cuaudit_function *function)
{
	(void)function;
	return FAST_NONE;
}

#endif
