/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the core begins and ends a call, by itself: what is read of the caller's stack, what a
 * thread has when hooks have run on it, who is inside of which hook.
 */
#include <stdint.h>

#include "hooks/dispatch.c"
#include "hooks/fast_path.c"
#include "hooks/guard.c"
#define place place_of_word
#include "layout_arch.c"
#undef place

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "t/fuzz/chance.h"
#include "t/tap.h"
#include "hooks/runtime_row.h"

void thread_count_lost(uint64_t *counter)
{
	thread_count(counter);
}

const struct layout *runtime_row_layout(uint32_t slot)
{
	(void)slot;
	return NULL;
}

const struct runtime_row *runtime_row_bound(uint32_t slot)
{
	(void)slot;
	return NULL;
}

static bool reported;	/* by the runtime, whose calls nothing is passed on of */

const struct runtime_row *runtime_row_of_slot(uint32_t slot)
{
	static const struct runtime_row row;

	(void)slot;
	return reported ? &row : NULL;
}

enum { SEEDS = 20000, CLOSINGS = 20000, PAGE = 4096, MARK = 0x5a, HOOKS = 9 };

static struct link_object objects[2];
static struct link_table table = { .chunks = { objects }, .generation = 1 };
struct link_table *cuaudit_core_link = &table;
struct cuaudit_clock_state cuaudit_clock;

uint64_t cuaudit_clock_monotonic(void)
{
	return 0;
}

__thread struct thread *thread_self;
static struct thread_caller callers[THREAD_CALLERS];
static struct thread threads[2];
static unsigned int nbegun;

struct thread *thread_begin(void)
{
	nbegun++;
	return NULL;
}

bool thread_any_guarded(uint32_t number)
{
	return number == 3;
}

static uint64_t outer;		/* what a call is in, and how deep */
static uint32_t outer_depth;

uint64_t unwound_drop(struct thread *thread, const struct frame *frame, uint32_t *depth)
{
	(void)thread, (void)frame;
	*depth = outer_depth;
	return outer;
}

const void *unwound_caller(const struct thread *thread, const void *caller, uint64_t state, uint32_t depth)
{
	return thread == &threads[0] && state == outer && depth == outer_depth ? caller : NULL;
}

static uintptr_t moved;

void unwound_move(struct thread *from, uintptr_t frame, uint64_t correlation)
{
	(void)correlation;
	moved = from == &threads[0] ? frame : 0;
}

uint32_t stack_readable_words(struct thread *thread, const uint64_t *stack, uint32_t words)
{
	uintptr_t there = (((uintptr_t)stack - 1) / PAGE + 1) * PAGE - (uintptr_t)stack;

	return thread && words < there / 8 ? words : (uint32_t)(there / 8);
}

bool entry_mixed(const struct entry *entry)
{
	(void)entry;
	return false;
}

static struct cuaudit_library library = { "/library", "library", 1 };
static bool excluded;

const struct cuaudit_library *library_look_up(const struct cuaudit_call *call)
{
	(void)call;
	return &library;
}

const struct cuaudit_library *cuaudit_call_library(const struct cuaudit_call *call)
{
	(void)call;
	return &library;
}

bool library_is_excluded(const struct cuaudit_library *of)
{
	return of != &library || excluded;
}

void *cuaudit_pages(size_t size)
{
	return calloc(1, size);
}

static struct {
	struct hook_list list;
	struct hook_entry hooks[HOOKS + 1];
} lists;
static struct hook_list *const list = &lists.list;
static struct entry entry;

static unsigned int nentered, nexited;

static int enter(struct cuaudit_call *call, void *data)
{
	nentered += data == &entry;
	return call ? CUAUDIT_CONTINUE : CUAUDIT_SKIP;
}

/* A call inside of it, by a handler say, may leave the thread's depth as that of its own. */
static void exit_hook(struct cuaudit_call *call, void *data)
{
	struct thread *thread = frame_thread((struct frame *)call);

	nexited += data == &entry && thread->state & THREAD_INSIDE && !(thread->state & THREAD_NESTED);
	thread->depth = 99;
}

static void begin(void)
{
	memset(&lists, 0, sizeof(lists));
	memset(threads, 0, sizeof(threads));
	threads[0].callers = callers;
	memset(&entry, 0, sizeof(entry));
	entry.function.id = CUAUDIT_ID_cuInit;
	atomic_store(&entry.list, list);
	thread_self = &threads[0];
	nentered = nexited = nbegun = 0;
	outer = 0;
	outer_depth = 0;
	*list = (struct hook_list){ .enter = enter, .exit = exit_hook, .data = &entry, .begin = { .nwords = 3 } };
}

/* At the end of what can be read of the stack, as many words as there are; 0 for others if all may be arguments. */
static void test_stack(void)
{
	char *pages = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int wrong = 0;

	mprotect(pages + 2 * PAGE, PAGE, PROT_NONE);
	begin();
	for (int kind = DISPATCH_REGISTERS; kind <= DISPATCH_FULL; kind++)
		for (uint32_t words = 0; words <= FRAME_NSTACK_ARGS; words++) {
			uint32_t taken = kind == DISPATCH_STACK ? words :
					 kind == DISPATCH_FULL ? words + words % 2 : 0;
			uint64_t others = kind == DISPATCH_FULL ? 0 : 0x5a5a5a5a5a5a5a5au;
			uint64_t *stack = (uint64_t *)(void *)(pages + 2 * PAGE) - words - words % 2;
			struct frame *frame = (struct frame *)(void *)(stack - 2) - 1;

			memset(pages, MARK, 2 * PAGE);
			for (uint64_t *at = stack; at < (uint64_t *)(void *)(pages + 2 * PAGE); at++)
				*at = (uintptr_t)at;
			taken = taken < FRAME_NSTACK_ARGS ? taken : FRAME_NSTACK_ARGS;
			list->stack_words = words;
			threads[0].state = 0;
			wrong += dispatch(frame, &entry, pages, (uint32_t)kind) != CUAUDIT_CONTINUE;
			for (uint32_t i = 0; i < FRAME_NSTACK_ARGS; i++)
				wrong += frame->stack_args[i] != (i < taken ? (uintptr_t)(stack + i) : others);
			if (kind != DISPATCH_STACK)
				continue;
			for (uint32_t i = 0; i < words; i++)
				frame->stack_args[i] = i + 1;
			dispatch_give_back(frame);
			for (uint32_t i = 0; i < words; i++)
				wrong += stack[i] != i + 1;
			wrong += words % 2 && stack[words] != (uintptr_t)(stack + words);
		}
	is_int(wrong, 0, "of the stack is read and written what there is");
	munmap(pages, 3 * PAGE);
}

/* Of any depth: the thread has its marks while the hook runs. */
static void test_depths(void)
{
	struct frame frame;
	unsigned int wrong = 0;

	begin();
	for (uint32_t depth = 0; depth < 3 * THREAD_FRAMES; depth++) {
		uint64_t is = depth ? (uint64_t)0x7000 | (depth > 1 ? THREAD_NESTED : 0) : 0;

		outer = is;
		outer_depth = depth;
		threads[0].state = is;
		threads[0].correlation = depth * 10;
		wrong += dispatch(&frame, &entry, &table, DISPATCH_REGISTERS) != CUAUDIT_CONTINUE ||
			 threads[0].state != ((uintptr_t)&frame | THREAD_INSIDE | (depth ? THREAD_NESTED : 0)) ||
			 threads[0].depth != depth || threads[0].outer[depth % THREAD_FRAMES] != is ||
			 frame.call.depth != depth || frame.call.caller != &table || frame.call.words != frame.regs ||
			 frame.call.correlation != depth * 10 + 1 || frame.call.nwords != 3 ||
			 frame.call.function != &entry.function || frame_thread(&frame) != &threads[0] ||
			 frame.outer != is || frame.own != (threads[0].state & ~(uint64_t)THREAD_INSIDE);
		frame.call.result = 7;
		frame.call.flags = CUAUDIT_CALL_UNKNOWN;
		frame.call.start = frame.call.end = 3;
		frame.entered = 0;
		wrong += dispatch_skipped(&frame) != 7 ||
			 frame.call.flags != (CUAUDIT_CALL_UNKNOWN | CUAUDIT_CALL_SKIPPED) ||
			 frame.call.start || frame.call.end || threads[0].state != is ||
			 (depth > 1 && threads[0].depth != depth - 1);
	}
	is_int(wrong, 0, "calls within calls");
	ok(nentered == 3 * THREAD_FRAMES && nexited == 1, "have their hooks");
	threads[0].state = outer = 0x7000 | THREAD_INSIDE;
	is_int(dispatch(&frame, &entry, &table, DISPATCH_REGISTERS), DISPATCH_STRAIGHT, "not within hooks");
	is_int((long long)threads[0].bypassed, 1, "which is counted");
	threads[0].state = outer = 0;
	atomic_store(&entry.list, NULL);
	is_int(dispatch(&frame, &entry, &table, DISPATCH_REGISTERS), DISPATCH_STRAIGHT, "nor without");
	atomic_store(&entry.list, list);
	thread_self = NULL;
	is_int(dispatch(&frame, &entry, &table, DISPATCH_REGISTERS), DISPATCH_STRAIGHT, "nor without a thread");
}

static uint64_t answered_at;	/* a bit for each number of hooks that were entered */

static void answered(const struct cuaudit_call *call)
{
	answered_at |= (uint64_t)1 << ((const struct frame *)call)->entered;
}

/* Where one of several hooks answered, those inside of it are told; of one, nobody is. */
static void test_answered(void)
{
	unsigned int wrong = 0;

	for (uint32_t count = 1; count <= HOOKS; count++)
		for (uint32_t entered = 1; entered <= count; entered++)
			for (uint32_t telling = 0; telling <= HOOKS; telling++) {
				struct frame frame = { .call.blocks = threads[0].blocks, .list = list, .entered = entered };

				begin();
				list->count = count;
				list->exit = NULL;
				list->hooks[telling].answered = answered;
				answered_at = 0;
				dispatch_skipped(&frame);
				wrong += (answered_at != 0) != (count > 1 && telling >= entered && telling < count);
			}
	is_int(wrong, 0, "hooks inside of one that answered are told");
}

static uint32_t order[4 * (HOOKS + 1)], norder;	/* hooks by number, as they ran; + LEFT: their exits */
static uint32_t skipping;	/* the one that answers */

enum { LEFT = 100, SCRATCH = 1000 };

static int enter_nth(struct cuaudit_call *call, void *data)
{
	uint32_t n = (uint32_t)(uintptr_t)data;

	order[norder++] = n;
	call->scratch = SCRATCH + n;
	return n == skipping ? CUAUDIT_SKIP : CUAUDIT_CONTINUE;
}

static void exit_nth(struct cuaudit_call *call, void *data)
{
	uint32_t n = (uint32_t)(uintptr_t)data;

	/* Its own word, if it has an enter hook that wrote one. */
	order[norder++] = list->hooks[n].enter && call->scratch != SCRATCH + n ? 0 : LEFT + n;
	call->scratch = 0;
}

/* Any number of hooks, which enter, leave or both, of which one may answer. */
static void test_several(void)
{
	unsigned int wrong = 0, skipped = 0;

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct frame frame = { .list = list, .call.function = &entry.function };
		uint32_t expected[4 * (HOOKS + 1)], n = 0, entered;
		int action, answer = CUAUDIT_CONTINUE;
		bool exits = false;

		begin();
		chance_begin(seed, 2);
		reported = chance(2);
		list->count = 2 + (uint32_t)chance(HOOKS);
		skipping = (uint32_t)chance(2 * list->count);
		for (uint32_t i = 0; i < list->count; i++) {
			uint32_t has = 1 + (uint32_t)chance(3);

			list->hooks[i] = (struct hook_entry){
				.enter = has & 1 ? enter_nth : NULL, .exit = has & 2 ? exit_nth : NULL,
				.data = (void *)(uintptr_t)i,
			};
			exits |= list->hooks[i].exit != NULL;
		}
		for (entered = 0; entered < list->count && !answer; entered++) {
			if (!list->hooks[entered].enter)
				continue;
			expected[n++] = entered;
			answer = entered == skipping ? CUAUDIT_SKIP : CUAUDIT_CONTINUE;
		}
		for (uint32_t i = entered; i-- > 0;)
			if (list->hooks[i].exit)
				expected[n++] = LEFT + i;
		norder = 0;
		dispatch_prepare(list, &entry, false);
		action = list->enter ? list->enter(&frame.call, list->data) : CUAUDIT_CONTINUE;
		if (list->exit)
			list->exit(&frame.call, list->data);
		wrong += list->exit && reported && !exits;
		wrong += action != answer || norder != n || memcmp(order, expected, n * sizeof(*order)) != 0;
		skipped += action == CUAUDIT_SKIP;
	}
	reported = false;
	is_int(wrong, 0, "several hooks run in their order, each with its scratch");
	ok(skipped > SEEDS / 10, "%u times one answers", skipped);
}

/* On another thread than it began on, in whatever that one is: it is left as it was. */
static void test_moved(void)
{
	static const uint64_t states[] = { 0, 0x7000, 0x7000 | THREAD_NESTED };
	struct frame frame = { 0 };

	begin();
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		frame.call = (struct cuaudit_call){ .blocks = threads[0].blocks, .result = 9 };
		frame.list = list;
		thread_self = &threads[1];
		threads[1].state = states[i];
		threads[1].depth = 5;
		ok(dispatch_moved(&frame) == 9 && nexited == i + 1 && moved == (uintptr_t)&frame &&
		   frame.own == frame_cfa(&frame) && frame_thread(&frame) == &threads[1],
		   "a call that ends on another thread has its exit hook there, case %zu", i);
		ok(threads[1].state == states[i] && threads[1].depth == 5, "... which has its own calls afterwards");
	}
	threads[1].state = 0x7000 | THREAD_INSIDE;
	ok(dispatch_exit_moved(&frame) == 9 && nexited == 3 && threads[1].bypassed == 1, "not inside of a hook");
	thread_self = NULL;
	ok(dispatch_exit_moved(&frame) == 9 && nexited == 3 && nbegun == 1, "nor without a thread");
}

#ifdef ARCH_FAST_PATH
/* As fast paths leave it, at the end of the stack: functions in registers have nothing there. */
static void test_fast(void)
{
	static struct { int id; uint32_t words; } cases[] = {
		{ CUAUDIT_ID_cuInit, 0 }, { CUAUDIT_ID_cuLaunchKernel, FAST_STACK }, { -1, 0 },
	};
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int shapes[3] = { 0 }, wrong = 0;

	mprotect(pages + PAGE, PAGE, PROT_NONE);
	begin();
	/* One that has all registers. */
	for (uint32_t id = 0; id < layout_count && cases[2].id < 0; id++)
		if (layout_regular(layout_row(id)) && layout_row(id)->nparams == FRAME_NREGS)
			cases[2].id = (int)id;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fast_call *fast = (struct fast_call *)(void *)(pages + PAGE - cases[i].words * 8 - sizeof(*fast));
		struct frame frame;

		memset(pages, MARK, PAGE);
		memset(&frame, 0, sizeof(frame));
		entry.function.id = cases[i].id;
		fast->thread = &threads[0];
		fast->function = &entry.function;
		for (uint32_t k = 0; k < cases[i].words; k++)
			fast->stack[k] = k + 1;
		fast_fill(&frame, fast, 12, 5);
		for (uint32_t k = 0; k < FRAME_NSTACK_ARGS; k++)
			wrong += frame.stack_args[k] != (k < cases[i].words ? k + 1 : 0);
		for (uint32_t k = 0; k < FRAME_NREGS; k++)
			wrong += frame.regs[k] != 0x5a5a5a5a5a5a5a5au;
		wrong += frame.call.result != 5 || frame.call.end != 12 || frame.own != (uintptr_t)fast->stack ||
			 frame.list != list || frame.call.nwords != layout_row((uint32_t)cases[i].id)->nparams ||
			 threads[0].state != ((uintptr_t)&frame | THREAD_INSIDE | THREAD_FILLED);
		fast_release(fast);
		wrong += threads[0].state != ((uintptr_t)&fast->frame_pointer - sizeof(frame)) + THREAD_INSIDE;
		thread_self = &threads[1];
		threads[1].state = 0;
		wrong += fast_moved(fast, 12, 5) != 5 || nexited != i + 1 ||
			 moved != (uintptr_t)&fast->frame_pointer - sizeof(frame);
		thread_self = &threads[0];
	}
	is_int(wrong, 0, "a fast path's call is filled in with what it has");
	for (uint32_t id = 0; id < layout_count; id++) {
		enum fast_shape shape;

		entry.function.id = (int)id;
		shape = fast_shape(&entry.function);
		shapes[shape]++;
		wrong += shape == FAST_REGISTERS ? layout_row(id)->nparams > FRAME_NREGS :
			 shape == FAST_LAUNCH ? layout_row(id)->nparams != FRAME_NREGS + FAST_STACK :
						layout_regular(layout_row(id)) && layout_row(id)->nparams <= FRAME_NREGS;
	}
	ok(!wrong && shapes[FAST_NONE] && shapes[FAST_REGISTERS] > 200 && shapes[FAST_LAUNCH] >= 1,
	   "functions have fast paths by where their arguments are");
	entry.function.id = -1;
	is_int(fast_shape(&entry.function), FAST_NONE, "none without a row");
	munmap(pages, 2 * PAGE);
}
#else
static void test_fast(void)
{
	skip(3, "no fast paths");
}
#endif

static struct guard guards[HOOKS + 1];

/* The hooks that a call is inside of go along to the thread that it ends on; no others. */
static void test_guard_move(void)
{
	unsigned int wrong = 0, went = 0;

	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		struct frame frame = { .list = list };
		uint32_t from[HOOKS + 1], to[HOOKS + 1];

		begin();
		chance_begin(seed, 0);
		list->count = (uint32_t)chance(HOOKS + 1);
		frame.guarded = chance(1 << (HOOKS + 1));
		for (uint32_t i = 0; i <= HOOKS; i++) {
			bool goes, is_guard = chance(3);

			guards[i].number = i;
			list->hooks[i] = (struct hook_entry){
				.exit = is_guard ? guard_exit : exit_hook, .data = &guards[i],
			};
			from[i] = (uint32_t)chance(3);
			to[i] = (uint32_t)chance(3);
			atomic_store(&threads[0].guarded[i], from[i]);
			atomic_store(&threads[1].guarded[i], to[i]);
			goes = i < list->count && is_guard && frame.guarded >> i & 1;
			went += goes;
			to[i] += goes;
			from[i] -= goes && from[i];
		}
		guard_move(&frame, &threads[0], &threads[1]);
		for (uint32_t i = 0; i <= HOOKS; i++)
			wrong += threads[0].guarded[i] != from[i] || threads[1].guarded[i] != to[i];
	}
	is_int(wrong, 0, "who is inside of a hook, when calls move");
	ok(went > SEEDS / 2, "%u times", went);
}

static bool matches(const char *globs, const char *path, bool is_main)
{
	return strchr(globs, path[1]) && is_main;
}

/* Whether a call is let in: all of what may keep it out, and the thread's count before and after. */
static void test_guard(void)
{
	unsigned int wrong = 0, let_in = 0;

	table.library_matches = matches;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		static const char *const lists_of[] = { NULL, "", "l", "x", "xl" };
		struct frame frame = { .list = list, .guarded = (uint64_t)1 << 5 };
		struct guard *guard = &guards[2];
		bool open, selected, in, is_wanted, is_main, has_exit;
		const char *include, *exclude;

		begin();
		chance_begin(seed, 1);
		guard->number = 4;
		guard->hook = (struct cuaudit_hook){ .enter = enter, .data = &entry };
		open = chance(4);
		selected = chance(4);
		is_main = chance(2);
		has_exit = chance(2);
		include = guard->hook.include = lists_of[chance(5)];
		exclude = guard->hook.exclude = lists_of[chance(5)];
		guard->hook.exit = has_exit ? exit_hook : NULL;
		guard->hook.flags = chance(2) ? CUAUDIT_HOOK_TIMED : 0;
		list->timed = chance(2);
		objects[0].flags = is_main ? LINK_OBJECT_MAIN : LINK_OBJECT_DRIVER;
		if (guard_take_libraries(guard))
			bail_out("no memory");
		atomic_store(&guard->open, open);
		entry.function.slot = 64 + 7;
		atomic_store(&guard->slots[1], selected ? 1 << 7 : ~(uint64_t)(1 << 7));
		frame.call.function = &entry.function;
		frame.call.blocks = threads[0].blocks;
		threads[0].state = THREAD_INSIDE;
		threads[0].guarded[4] = 3;
		/* The thread knows the library that calls, or does not. */
		callers[0] = (struct thread_caller){ .library = &library, .generation = (uint32_t)chance(2) };
		is_wanted = !(exclude && strchr(exclude, 'l') && is_main) &&
			    (!include || !*include || (strchr(include, 'l') && is_main));
		in = open && selected && (list->timed || !guard->hook.flags) && is_wanted;
		for (int turn = 0; turn < 2; turn++) {
			nentered = nexited = 0;
			wrong += guard_enter(&frame.call, guard) != CUAUDIT_CONTINUE || nentered != in ||
				 threads[0].guarded[4] != 3u + in || frame.guarded != ((uint64_t)1 << 5 | (uint64_t)in << 4);
			guard_exit(&frame.call, guard);
			wrong += nexited != (in && has_exit) || threads[0].guarded[4] != 3;
			nentered = 0;
			wrong += guard_enter_only(&frame.call, guard) != CUAUDIT_CONTINUE ||
				 nentered != (in && !has_exit) || threads[0].guarded[4] != 3;
		}
		/* One that stays asks for the library alone, and counts nothing. */
		for (int turn = 0; turn < 2 && (include || exclude); turn++) {
			nentered = nexited = 0;
			frame.guarded = (uint64_t)1 << 5 | (uint64_t)chance(2) << 4;
			filter_enter(&frame.call, guard);
			wrong += nentered != is_wanted || frame.guarded != ((uint64_t)1 << 5 | (uint64_t)is_wanted << 4);
			guard->hook.exit = exit_hook;
			filter_exit(&frame.call, guard);
			filter_enter_only(&frame.call, guard);
			wrong += nentered != 2u * is_wanted || nexited != is_wanted;
			filter_exit_only(&frame.call, guard);
			wrong += nexited != 2u * is_wanted || threads[0].guarded[4] != 3;
		}
		let_in += in;
		guard_close(guard);
		nentered = 0;
		guard_enter(&frame.call, guard);
		wrong += nentered != 0;
	}
	is_int(wrong, 0, "calls are let in where all agree");
	ok(let_in > SEEDS / 20, "%u times", let_in);
	ok(guard_busy(&(struct guard){ .number = 3 }) &&
		   !guard_busy(&(struct guard){ .number = 4 }),
	   "who is inside is busy");
}

static _Atomic bool over, given_back;
static unsigned int late;

static int enter_late(struct cuaudit_call *call, void *data)
{
	(void)call, (void)data;
	for (int i = 0; i < 4; i++)
		late += atomic_load_explicit(&given_back, memory_order_relaxed);
	return CUAUDIT_CONTINUE;
}

static void *call_on(void *guard)
{
	struct frame frame = { .list = list };

	frame.call.function = &entry.function;
	frame.call.blocks = threads[1].blocks;
	while (!over)
		guard_enter_only(&frame.call, guard);
	return NULL;
}

/* The other thread may want this one's processor. */
static void wait_for(_Atomic uint32_t *inside, bool wanted)
{
	for (unsigned int i = 1; (atomic_load(inside) != 0) != wanted; i++)
		if (!(i % 1024))
			sched_yield();
}

/* How often it was closed with nobody inside. */
static unsigned int close_often(int times)
{
	struct guard *guard = &guards[2];
	_Atomic uint32_t *inside = &threads[1].guarded[4];
	unsigned int idle = 0;
	pthread_t thread;

	begin();
	over = false;
	memset(guard, 0, sizeof(*guard));
	guard->number = 4;
	guard->hook = (struct cuaudit_hook){ .enter = enter_late };
	atomic_store(&guard->slots[0], 1);
	if (pthread_create(&thread, NULL, call_on, guard))
		bail_out("no thread");
	for (int i = 0; i < times; i++) {
		atomic_store(&guard->open, true);
		wait_for(inside, true);
		for (int spin = i % 64; spin; spin--)
			atomic_signal_fence(memory_order_seq_cst);
		guard_close(guard);
		if (!atomic_load(inside)) {
			given_back = true;
			for (int spin = 0; spin < 100; spin++)
				atomic_signal_fence(memory_order_seq_cst);
			given_back = false;
			idle++;
		}
		wait_for(inside, false);
	}
	over = true;
	pthread_join(thread, NULL);
	return idle;
}

/* Who closes a guard and sees nobody inside is right, however long processors keep what they wrote. */
static void test_closing(void)
{
	unsigned int idle = close_often(CLOSINGS);
	int status = -1;
	pid_t child;

	is_int((int)late, 0, "no hook runs that was given back");
	ok(idle > CLOSINGS / 1000, "%u times", idle);
	child = fork();
	if (!child) {
		idle = close_often(CLOSINGS / 20);
		_exit(late ? 1 : !idle ? 2 :
		      !barriers && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) ? 3 : 0);
	}
	waitpid(child, &status, 0);
	is_int(status, 0, "nor in a child of fork, which asks for nothing");
}

int main(void)
{
	layout_setup();
	guard_prepare();
	test_stack();
	test_depths();
	test_answered();
	test_several();
	test_moved();
	test_fast();
	test_guard_move();
	test_guard();
	test_closing();
	return done_testing();
}
