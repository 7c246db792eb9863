/* SPDX-License-Identifier: Apache-2.0 */
/* What the core's assembly has to know of C. */
#include <internal/link.h>
#include <internal/offsets.h>

#include "hooks/dispatch.h"
#include "hooks/fast_path.h"
#include "hooks/frame.h"
#include "hooks/registry.h"
#include "hooks/thread.h"

static __attribute__((used)) void offsets(void)
{
	VALUE(FRAME_SIZE, sizeof(struct frame));
	OFFSET(FRAME_FUNCTION, struct frame, call.function);
	OFFSET(FRAME_WORDS, struct frame, call.words);
	OFFSET(FRAME_CALLER, struct frame, call.caller);
	OFFSET(FRAME_CORRELATION, struct frame, call.correlation);
	OFFSET(FRAME_THREAD, struct frame, call.blocks);
	OFFSET(FRAME_NWORDS, struct frame, call.nwords);
	OFFSET(FRAME_DEPTH, struct frame, call.depth);
	OFFSET(FRAME_RESULT, struct frame, call.result);
	OFFSET(FRAME_START, struct frame, call.start);
	OFFSET(FRAME_END, struct frame, call.end);
	OFFSET(FRAME_LIST, struct frame, list);
	OFFSET(FRAME_ANSWER, struct frame, answer);
	OFFSET(FRAME_ANSWER_VECTORS, struct frame, answer_vectors);
	OFFSET(FRAME_REGS, struct frame, regs);
	OFFSET(FRAME_STACK_ARGS, struct frame, stack_args);
	OFFSET(FRAME_VECTORS, struct frame, vectors);
	OFFSET(FRAME_OUTER, struct frame, outer);
	OFFSET(FRAME_OWN, struct frame, own);
	VALUE(FRAME_NREGS, FRAME_NREGS);
	VALUE(FRAME_NSTACK_ARGS, FRAME_NSTACK_ARGS);
	VALUE(FRAME_WIDE_WORDS, FRAME_WIDE_WORDS);

	OFFSET(LIST_ENTER, struct hook_list, enter);
	OFFSET(LIST_EXIT, struct hook_list, exit);
	OFFSET(LIST_DATA, struct hook_list, data);
	OFFSET(LIST_STACK_WORDS, struct hook_list, stack_words);
	OFFSET(LIST_KIND, struct hook_list, kind);
	OFFSET(LIST_BEGIN, struct hook_list, begin);
	VALUE(LIST_TIMES, LIST_TIMES);
	VALUE(LIST_EXITS, LIST_EXITS);

	OFFSET(TABLE_WIDE_VECTORS, struct link_table, wide_vectors);

	VALUE(ENTRY_SHIFT, __builtin_ctz(sizeof(struct entry)));
	OFFSET(ENTRY_LIST, struct entry, list);
	OFFSET(ENTRY_REAL, struct entry, real);
	OFFSET(ENTRY_FUNCTION, struct entry, function);
	OFFSET(ENTRY_GENERATION, struct entry, generation);
	OFFSET(ENTRY_SELF, struct entry, self);
	OFFSET(FUNCTION_SLOT, struct cuaudit_function, slot);

	OFFSET(THREAD_STATE, struct thread, state);
	OFFSET(THREAD_CORRELATION, struct thread, correlation);
	OFFSET(THREAD_POINTER, struct thread, pointer);
	OFFSET(THREAD_DEPTH, struct thread, depth);
	OFFSET(THREAD_BYPASSED, struct thread, bypassed);
	VALUE(THREAD_INSIDE, THREAD_INSIDE);
	VALUE(THREAD_BLOCKS, THREAD_BLOCKS);

	VALUE(DISPATCH_REGISTERS, DISPATCH_REGISTERS);
	VALUE(DISPATCH_STACK, DISPATCH_STACK);
	VALUE(DISPATCH_FULL, DISPATCH_FULL);
	VALUE(DISPATCH_STRAIGHT, DISPATCH_STRAIGHT);

#ifdef ARCH_FAST_PATH
	OFFSET(FAST_START, struct fast_call, start);
	OFFSET(FAST_CORRELATION, struct fast_call, correlation);
	OFFSET(FAST_THREAD, struct fast_call, thread);
	OFFSET(FAST_FUNCTION, struct fast_call, function);
	OFFSET(FAST_WORDS, struct fast_call, words);
	OFFSET(FAST_MEMORY, struct fast_call, memory);
	VALUE(FAST_STACK, FAST_STACK);
#endif
}
