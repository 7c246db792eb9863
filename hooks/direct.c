/* SPDX-License-Identifier: Apache-2.0 */
/* What the ways of hooks that stand alone have in common. */
#include "hooks/direct.h"

#include <cuaudit/api.h>
#include <string.h>

#include "hooks/dispatch.h"
#include "hooks/layout.h"
#include "hooks/registry.h"
#include "hooks/unwound.h"

#ifdef ARCH_DIRECT

enum direct_shape direct_shape(const struct cuaudit_function *function)
{
	const struct layout *row = registry_row(registry_entry_of(function));

	if (!row || !layout_regular(row) || registry_mixed(registry_entry_of(function)))
		return DIRECT_NONE;
	if (row->nparams <= FRAME_NREGS)
		return DIRECT_FEW;
	switch (function->id) {
#define LOOKUP(symbol)
#define TABLES(symbol)
#define VERSION(symbol)
#define LAUNCH(symbol) case CUAUDIT_ID_##symbol:
#include "hooks/special.def"
#undef LOOKUP
#undef TABLES
#undef VERSION
#undef LAUNCH
		return DIRECT_LAUNCH;
	default:
		return DIRECT_NONE;
	}
}

static void fill(struct frame *frame, const struct direct *direct, uint64_t end, int result)
{
	const struct entry *entry = registry_entry_of(direct->function);
	uint32_t nwords = registry_row(entry)->nparams;

	frame->call = (struct cuaudit_call){
		.function = direct->function, .words = frame->regs, .caller = direct->caller,
		.correlation = direct->correlation, .blocks = direct->thread->blocks,
		.nwords = nwords, .result = result, .start = direct->start, .end = end,
	};
	frame->list = atomic_load_explicit(&entry->list, memory_order_acquire);
	frame->own = (uintptr_t)direct->stack;
	memcpy(frame->regs, direct->words, sizeof(frame->regs));
	if (nwords > FRAME_NREGS)
		memcpy(frame->window, direct->stack, DIRECT_STACK * sizeof(*frame->window));
}

__attribute__((cold))
void direct_fill(struct frame *frame, const struct direct *direct, uint64_t end, int result)
{
	fill(frame, direct, end, result);
	atomic_signal_fence(memory_order_seq_cst);
	/* Where the hook is looked for by what it asks. */
	direct->thread->state = (uintptr_t)frame | THREAD_INSIDE | THREAD_FILLED;
}

/* What the state names: a frame where a trampoline's would be. */
static uintptr_t place(const struct direct *direct)
{
	return (uintptr_t)&direct->frame_pointer - FRAME_SIZE;
}

__attribute__((cold))
void direct_release(const struct direct *direct)
{
	atomic_signal_fence(memory_order_seq_cst);
	direct->thread->state = place(direct) | THREAD_INSIDE;
	atomic_signal_fence(memory_order_seq_cst);
}

int direct_moved(struct direct *direct, uint64_t end, int result)
{
	struct frame frame;

	fill(&frame, direct, end, result);
	unwound_move(direct->thread, place(direct));
	return (int)dispatch_exit_moved(&frame);
}

#else

enum direct_shape direct_shape(const struct cuaudit_function *function)
{
	(void)function;
	return DIRECT_NONE;
}

#endif
