/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the core knows of threads and their stacks, by itself: what may be read of a stack, which
 * calls and hooks were left, what an ended thread leaves to the next one.
 */
#include <stdint.h>

#include "hooks/maps.c"
#include "hooks/stack.c"
#include "hooks/thread.c"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned int asked;	/* for the signal stack */

static long ask_kernel(long number, const stack_t *set, stack_t *now)
{
	asked++;
	return syscall(number, set, now);
}

#define look look_for
#define syscall ask_kernel
#include "hooks/unwound.c"
#undef syscall
#undef look

#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "t/fuzz/chance.h"
#include "t/tap.h"

enum { SEEDS = 20000, PAGE = 4096, PAGES = 8, TOGETHER = 5, SIGNAL_STACK = 64 * 1024 };

static struct link_table table;
struct link_table *cuaudit_core_link = &table;

void cuaudit_log(enum cuaudit_level level, const char *format, ...)
{
	(void)level;
	bail_out("%s", format);
}

/* Runs in a thread of its own, on stack if there is one; what it answers. */
static void *in_thread(void *(*run)(void *), void *stack, size_t size)
{
	pthread_attr_t attributes;
	pthread_t thread;
	void *result;

	pthread_attr_init(&attributes);
	if (stack && pthread_attr_setstack(&attributes, stack, size))
		bail_out("no stack");
	if (pthread_create(&thread, &attributes, run, stack))
		bail_out("no thread");
	pthread_join(thread, &result);
	pthread_attr_destroy(&attributes);
	return result;
}

static char *map(size_t size)
{
	char *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

static int next_descriptor(void)
{
	int fd = dup(STDOUT_FILENO);

	close(fd);
	return fd;
}

/* Of pages that can be read and others: words to the end of those that can. */
static void test_words(void)
{
	static struct thread thread;
	char *pages = map(PAGES * PAGE);
	unsigned int wrong = 0, some = 0, readable = 0;

	thread.stack_looks = LOOKS;
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		bool can[PAGES];
		uint32_t words, want = 0;
		uint64_t *stack;
		uintptr_t from, to;

		chance_begin(seed, 0);
		for (int i = 0; i < PAGES; i++) {
			can[i] = i == 1 || chance(2);
			mprotect(pages + i * PAGE, PAGE, can[i] ? PROT_READ : PROT_NONE);
		}
		words = (uint32_t)chance(40);
		stack = (uint64_t *)(void *)(pages + 2 * PAGE) - chance(chance(2) ? 3 : 60);
		while (want < words && can[((char *)(stack + want) - pages) / PAGE])
			want++;
		wrong += stack_readable_words(&thread, stack, words) != want;
		some += want && want < words;
		from = (uintptr_t)pages + 3 * PAGE - chance(40);
		to = from + 1 + chance(40);
		readable += stack_readable(&thread, from, to) !=
			    (can[(from - (uintptr_t)pages) / PAGE] && can[(to - 1 - (uintptr_t)pages) / PAGE]);
	}
	is_int(wrong, 0, "words are read as far as there are pages");
	ok(some > 1000, "%u times some of them", some);
	is_int(readable, 0, "what can be read");
	is_int(thread.stack_looks, LOOKS, "nobody has looked for the stack again");
	munmap(pages, PAGES * PAGE);
}

/* A stack of PAGES pages, guarded: known from its first byte to where the thread's data are. */
static void *on_own_stack(void *given)
{
	static struct thread thread;
	uintptr_t low = (uintptr_t)given, high = (uintptr_t)&thread_self, far = (uintptr_t)&thread;
	const uintptr_t places[] = { low - 1, low, low + PAGE, high - 1, high, far };
	bool own[] = { false, true, true, true, false, false };
	int before = next_descriptor();
	unsigned int wrong = 0;

	for (int i = 0; i < 6; i++)
		for (int k = 0; k < 6; k++) {
			thread = (struct thread){ .state = 0 };
			errno = ENOTTY;
			wrong += stack_is_own(&thread, places[i], places[k]) != (own[i] && !own[k]) || errno != ENOTTY;
			wrong += own[i] && (thread.stack_low != low || thread.stack_high != high);
		}
	is_int(wrong, 0, "the own stack, to the byte");
	is_int(next_descriptor(), before, "no descriptor is left open");
	thread = (struct thread){ .state = 0 };
	for (int i = 0; i < 2 * LOOKS; i++)
		wrong += stack_readable(&thread, low - 1, low + 1);
	is_int(thread.stack_looks, LOOKS, "it is looked for a few times");
	ok(!wrong && !stack_is_own(&thread, low, far), "and then no more");
	thread = (struct thread){ .state = 0 };
	ok(stack_readable(&thread, low, high) && thread.stack_looks == 1 &&
		   stack_readable(&thread, high - 8, high) && thread.stack_looks == 1,
	   "once it is found, that is kept");
	thread_self = &thread;
	thread.stack_low = thread.stack_high = 0;
	ok(stack_own().low == low && stack_own().high == high, "it is the calling thread's");
	thread_self = NULL;
	return NULL;
}

/* What the kernel lists: the line of the stack, wherever it is, or none. */
static void test_lines(void)
{
	static const char *const names[] = { "",       "",	  "[heap]",	   "[stack",
					     "stack]", "[stack]", "/usr/lib/x.so", "0-1" };
	static struct thread thread;
	const uintptr_t tls = (uintptr_t)&thread_self;
	int fd = memfd_create("lines", 0);
	struct maps_line line;
	unsigned int wrong = 0, seen = 0;

	for (uint64_t seed = 0; seed < SEEDS / 4; seed++) {
		struct { uintptr_t from, to; bool main; } lines[20];
		uintptr_t low = 0, high = 0, address = 0, at = PAGE;
		uint64_t count, target;

		chance_begin(seed, 4);
		count = 1 + chance(20);
		target = chance(count);
		if (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET) || dprintf(fd, "%s", "") < 0)
			bail_out("no file");
		for (uint64_t i = 0; i < count; i++) {
			bool is_tls = i == target && chance(2);
			uintptr_t from = is_tls ? tls / PAGE * PAGE - chance(3) * PAGE : at + chance(2) * PAGE;
			uintptr_t to = is_tls ? tls / PAGE * PAGE + chance(3) * PAGE : from + (1 + chance(4)) * PAGE;
			const char *name = names[chance(sizeof(names) / sizeof(names[0]))];

			to = to > from ? to : from + PAGE;
			at = to;
			lines[i].from = from;
			lines[i].to = to;
			lines[i].main = !strcmp(name, "[stack]");
			if (i == target)
				address = chance(8) ? from + chance(to - from + 1) : chance(2) ? from : from - 1;
			if (dprintf(fd, "%0*lx-%lx rw-p %08x 00:%02x %-*d%*s%s\n", chance(2) ? 8 : 12, from, to, 0, 0,
				    (int)chance(30), 0, (int)(chance(20) ? 1 : 500 + chance(30)), "", name) < 0)
				bail_out("no file");
		}
		for (uint64_t i = 0; i < count; i++) {
			if (address < lines[i].from || address >= lines[i].to)
				continue;
			if (lines[i].main || (tls >= address && tls < lines[i].to)) {
				low = lines[i].from;
				high = lines[i].main ? lines[i].to : tls;
			}
			break;
		}
		thread = (struct thread){ .state = 0 };
		lseek(fd, 0, SEEK_SET);
		wrong += (find(fd, address, &line) && take(&thread, &line, address)) != (high != 0) ||
			  thread.stack_low != low || thread.stack_high != high;
		seen += high != 0;
	}
	is_int(wrong, 0, "the stack's line among others");
	ok(seen > 500, "%u times", seen);
	close(fd);
}

/* The kernel's, of the main thread; and where nothing can be opened. */
static void test_main_stack(void)
{
	static struct thread thread;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0), from, to, low = 0, high = 0;
	struct rlimit before, none;
	char line[1024];
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx", &from, &to) == 2 && here >= from && here < to) {
			low = from;
			high = to;
		}
	if (maps)
		fclose(maps);
	ok(stack_is_own(&thread, here, high) && !stack_is_own(&thread, high, low) && thread.stack_low == low &&
	   thread.stack_high == high, "the main thread's stack");
	thread = (struct thread){ .state = 0 };
	getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	errno = ENOTTY;
	ok(!stack_is_own(&thread, here, high) && errno == ENOTTY && thread.stack_looks == 1,
	   "unknown without descriptors");
	setrlimit(RLIMIT_NOFILE, &before);
}

static void test_own_stack(void)
{
	enum { STACK = 256 * 1024 };
	char *pages = map(STACK + 2 * PAGE);

	mprotect(pages, PAGE, PROT_NONE);
	mprotect(pages + PAGE + STACK, PAGE, PROT_NONE);
	in_thread(on_own_stack, pages + PAGE, STACK);
}

/* The unwinder, which finds what it is given. */
struct _Unwind_Context {
	uintptr_t ip, cfa;
};

static struct _Unwind_Context contexts[40];
static size_t ncontexts;

static _Unwind_Reason_Code each_context(_Unwind_Trace_Fn function, void *data)
{
	for (size_t i = 0; i < ncontexts; i++)
		if (function(&contexts[i], data) != _URC_NO_REASON)
			return _URC_END_OF_STACK;
	return _URC_END_OF_STACK;
}

static _Unwind_Word cfa_of(struct _Unwind_Context *context)
{
	return context->cfa;
}

static _Unwind_Ptr ip_of(struct _Unwind_Context *context)
{
	return context->ip;
}

static void set_unwinder(bool is)
{
	unwinder.each = is ? each_context : NULL;
	unwinder.cfa = cfa_of;
	unwinder.ip = ip_of;
}

/* From the caller on, up to what is damaged. */
static void test_backtrace(void)
{
	enum { CALLER = 0x1000, MOST = sizeof(contexts) / sizeof(contexts[0]) };
	/* What ours is here. */
	const uintptr_t own = (uintptr_t)test_backtrace;
	unsigned int wrong = 0, found = 0;

	set_unwinder(true);
	for (uint64_t seed = 0; seed < SEEDS; seed++) {
		const void *frames[MOST + 1], *wanted[MOST];
		uintptr_t cfas[MOST + 1], wanted_cfas[MOST];
		uint32_t max, count = 0, whole = 0, first_whole;
		size_t at = 0;
		bool all;

		chance_begin(seed, 1);
		ncontexts = chance(MOST + 1);
		all = chance(2);
		for (size_t i = 0; i < ncontexts; i++)
			/* Frames alike in one of both, and in both. */
			contexts[i] = (struct _Unwind_Context){
				!chance(30) ? 0 : !chance(5) ? own : CALLER + (chance(6) ? i + 1 : chance(2)), 0x7000 + chance(3),
			};
		max = (uint32_t)chance(MOST);
		while (at < ncontexts && !all && contexts[at].ip != CALLER)
			at++;
		if (at > OWN_FRAMES)
			at = ncontexts;
		for (; at < ncontexts && count < max && contexts[at].ip; at++) {
			if (count && contexts[at].ip == contexts[at - 1].ip && contexts[at].cfa == contexts[at - 1].cfa)
				break;
			if (count && contexts[at].ip == own) {
				whole = whole ? whole : count;
				continue;
			}
			wanted_cfas[count] = contexts[at].cfa;
			wanted[count++] = (const void *)contexts[at].ip;
		}
		whole = whole ? whole : count;
		for (size_t i = 0; i <= MOST; i++)
			frames[i] = (const void *)(CALLER + chance(3));
		frames[max] = &frames;
		errno = ENOTTY;
		for (size_t i = 0; i <= MOST; i++)
			cfas[i] = 1;
		wrong += unwound_stack(all ? NULL : (const void *)CALLER, frames, cfas, &first_whole, max) != count ||
			 cfas[count] != 1 || first_whole != whole;
		for (uint32_t i = 0; i < count; i++)
			wrong += cfas[i] != wanted_cfas[i];
		wrong += unwound_backtrace(all ? NULL : (const void *)CALLER, frames, max) != count ||
			 memcmp(frames, wanted, count * sizeof(*frames)) != 0 || frames[max] != &frames || errno != ENOTTY;
		found += count > 1;
	}
	is_int(wrong, 0, "backtraces begin at the caller, have none of ours and end where they are damaged");
	ok(found > 1000, "%u of several frames", found);
	set_unwinder(false);
	is_int(unwound_backtrace(NULL, (const void *[1]){ NULL }, 1), 0, "none without an unwinder");
}

/* Frames of calls lie here, so many bytes apart. */
enum { NEAR = 512, PLACES = 64, MOST_CALLS = 3 * THREAD_FRAMES / 2 };
static char stack[PLACES * NEAR] __attribute__((aligned(4096)));
static char signal_stack[SIGNAL_STACK] __attribute__((aligned(4096)));
static bool on_signal_stack;

static uintptr_t any_place(void)
{
	return (uintptr_t)stack + chance(PLACES) * NEAR;
}

static bool in(uintptr_t at, uintptr_t low, uintptr_t high)
{
	return at >= low && at < high;
}

/* A chain of calls, of which those at or below the new one were left, and some ended elsewhere. */
static void drop_calls(uint64_t seed, unsigned int *wrong, unsigned int *left)
{
	static struct thread thread;
	uintptr_t frames[MOST_CALLS], frame, low = (uintptr_t)signal_stack, sp, high;
	uint32_t count, live, depth = 77, calls = 0, keep_depth;
	uint64_t state;
	bool judged = false, has_stack;
	stack_t alternate;

	memset(&thread, 0, sizeof(thread));
	chance_begin(seed, 2);
	count = 1 + (uint32_t)chance(chance(5) ? 6 : THREAD_FRAMES);
	for (uint32_t i = 0; i < count; i++) {
		frames[i] = any_place();
		if (!chance(6))	/* also at both of its ends */
			frames[i] = low + (chance(2) ? 0 : chance(2) ? SIGNAL_STACK : chance(SIGNAL_STACK / 16) * 16);
	}
	frame = chance(6) ? any_place() : low + chance(SIGNAL_STACK / 16) * 16;
	thread.stack_looks = LOOKS;
	if (chance(2)) {
		thread.stack_low = (uintptr_t)stack + chance(PLACES / 2) * NEAR;
		thread.stack_high = thread.stack_low + chance(PLACES / 2) * NEAR;
	}
	for (uint32_t i = 0; i < count; i++)
		thread.outer[i] = i ? frames[i - 1] | (i > 1 ? THREAD_NESTED : 0) : 0;
	thread.state = frames[count - 1] | (count > 1 ? THREAD_NESTED : 0);
	thread.depth = count > 1 ? count - 1 : 55;
	for (uint64_t i = chance(4); i; i--)
		exchange(&thread, 0, frames[chance(count)]);

	/* The model. */
	sigaltstack(NULL, &alternate);
	has_stack = !(alternate.ss_flags & SS_DISABLE);
	sp = (uintptr_t)alternate.ss_sp;
	high = sp + alternate.ss_size;
	keep_depth = thread.depth;
	{
		uintptr_t marks[THREAD_MOVED];

		for (int i = 0; i < THREAD_MOVED; i++)
			marks[i] = thread.moved[i];
		for (live = count; live; live--) {
			uintptr_t at = frames[live - 1];
			bool moved = false, was = has_stack && in(at, sp, high), is_left;

			for (int i = 0; i < THREAD_MOVED && !moved; i++)
				if (marks[i] == at) {
					moved = true;
					marks[i] = 0;
				}
			is_left = was != on_signal_stack ? was :
				  at <= frame && !(in(at, thread.stack_low, thread.stack_high) &&
						   !in(frame, thread.stack_low, thread.stack_high));
			if (!moved && !is_left)
				break;
			judged |= !moved;
			calls += !moved;
		}
	}
	state = live ? frames[live - 1] | (live > 1 ? THREAD_NESTED : 0) : 0;
	errno = ENOTTY;
	*wrong += unwound_drop(&thread, (const struct frame *)frame, &depth) != state || depth != live ||
		  thread.unwound_calls != calls || thread.unwound_hooks || errno != ENOTTY;
	if (judged) {
		*wrong += thread.state != state || (live > 1 && thread.depth != live - 1);
		for (int i = 0; i < THREAD_MOVED; i++)
			*wrong += thread.moved[i] && !is_named(&thread, thread.moved[i]);
	} else {
		*wrong += thread.depth != keep_depth;
	}
	*left += live && live < count;
}

static unsigned int ncalls_wrong, ncalls_left;

static void drop_many(int number)
{
	on_signal_stack = number != 0;
	for (uint64_t seed = 0; seed < SEEDS; seed++)
		drop_calls(seed, &ncalls_wrong, &ncalls_left);
	on_signal_stack = false;
}

/* Elsewhere, with a signal stack that is not in use, and on that. */
static void test_calls(void)
{
	const struct sigaction action = { .sa_handler = drop_many, .sa_flags = SA_ONSTACK };
	stack_t own = { .ss_sp = signal_stack, .ss_size = SIGNAL_STACK }, none = { .ss_flags = SS_DISABLE };

	drop_many(0);
	is_int(ncalls_wrong, 0, "calls that were left");
	sigaltstack(&own, NULL);
	drop_many(0);
	is_int(ncalls_wrong, 0, "calls of a signal's stack that were left");
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	is_int(ncalls_wrong, 0, "calls before a signal stack that are there");
	ok(ncalls_left > SEEDS / 4, "%u times some of them", ncalls_left);
	sigaltstack(&none, NULL);
}

/* Whether a call at frame finds the one at at live, nested in nothing else. */
static bool finds_live(struct thread *thread, uintptr_t at, uintptr_t frame)
{
	uint32_t depth;

	thread->state = at;
	return unwound_drop(thread, (const struct frame *)frame, &depth) == at;
}

static void set_signal_stack(uintptr_t low, uintptr_t high)
{
	stack_t now = { .ss_sp = (void *)low, .ss_size = high - low, .ss_flags = low ? 0 : SS_DISABLE };

	if (sigaltstack(&now, NULL))
		bail_out("no signal stack");
}

/* The same pair of calls, that is asked about once, and again now and then. */
static void test_live(void)
{
	enum { TIMES = 10 * THREAD_TRUST };
	static struct thread thread;
	uintptr_t low = (uintptr_t)stack, high = low + sizeof(stack), at = high - 16 * NEAR, frame = at - 2 * NEAR;
	unsigned int live = 0, late = 0;

	thread.stack_low = low;
	thread.stack_high = high;
	asked = 0;
	for (int i = 0; i < TIMES; i++)
		live += finds_live(&thread, at, frame);
	is_int(live, TIMES, "a call that another one is inside of");
	ok(asked >= TIMES / THREAD_TRUST && asked < TIMES / THREAD_TRUST + 3, "asked about %u times", asked);
	asked = 0;
	finds_live(&thread, at, frame + 16);
	finds_live(&thread, at + 16, frame);
	is_int(asked, 2, "others for themselves");
	set_signal_stack(at - NEAR, high);
	while (late < 2 * THREAD_TRUST && finds_live(&thread, at, frame))
		late++;
	ok(late < THREAD_TRUST, "left on what is now a signal stack: noticed after %u calls", late);
	set_signal_stack(0, 0);
	asked = 0;
	finds_live(&thread, at + 16, frame);
	is_int(asked, 1, "nothing is kept where the signal stack has been found another one");
	set_signal_stack(at - NEAR, high);
	finds_live(&thread, low, low);
	ok(!finds_live(&thread, at, frame) && !finds_live(&thread, at, frame), "where that is known, at once");
	set_signal_stack(0, 0);
	thread.stack_looks = LOOKS;
	thread.stack_high = at;
	finds_live(&thread, low, low);
	asked = 0;
	for (int i = 0; i < TIMES; i++)
		live -= finds_live(&thread, at, frame);
	ok(!live && asked == TIMES, "on a stack that is not the thread's own, always");
}

/* Signal stacks that come and go: what is not noticed at once is one that has the outer call, and is soon. */
static void test_changes(void)
{
	enum { FEW = 6, CHANGE = 1000, LEAST = 8 };
	static struct thread thread;
	static bool before[PLACES][PLACES];
	/* Nothing is read there. Which pairs share a place depends on it, and with that how often is asked. */
	const uintptr_t low = 0x7f0000000000;
	uintptr_t sp = 0, end = 0;
	unsigned int late = 0, worst = 0, wrong = 0, changes = 0;

	thread.stack_low = low;
	thread.stack_high = low + sizeof(stack);
	asked = 0;
	for (uint64_t seed = 0; seed < 10 * SEEDS; seed++) {
		uint64_t at, frame;
		bool was, is_live;

		chance_begin(seed, 5);
		if (!chance(CHANGE)) {
			bool none = chance(3);

			sp = none ? 0 : low + chance(FEW) * NEAR;
			end = none ? 0 : sp + (LEAST + chance(FEW)) * NEAR;
			set_signal_stack(sp, end);
			changes++;
			late = 0;
		}
		at = chance(FEW);
		frame = chance(FEW);
		was = sp && in(low + at * NEAR, sp, end);
		is_live = !was && frame < at;
		if (finds_live(&thread, low + at * NEAR, low + frame * NEAR) != is_live) {
			late++;
			wrong += is_live || !was || frame >= at || !before[at][frame];
		}
		worst = late > worst ? late : worst;
		before[at][frame] |= is_live;
	}
	is_int(wrong, 0, "calls that were left are missed on new signal stacks alone");
	ok(worst > 0 && worst < THREAD_TRUST, "at most %u, of %u signal stacks", worst, changes);
	ok(asked < 10 * SEEDS * 3 / 4, "asked %u times of %u", asked, 10 * SEEDS);
	set_signal_stack(0, 0);
}

static uint32_t nunwound;	/* modules that were told that their hook was left, at last at */
static uint64_t unwound_at;

static void hook_unwound(void *block, uint64_t correlation)
{
	nunwound += block != NULL;
	unwound_at = correlation;
}

/* A hook's frame and what is behind it, at the end of what can be read. */
static void drop_hook_at(char *end, uint64_t seed, unsigned int *wrong, unsigned int *left)
{
	static struct thread thread;
	static char caller, other;
	struct frame_record *record;
	struct frame *frame;
	uintptr_t cfa, at;
	uint32_t depth = 77;
	uint64_t state;
	bool readable, above, is_left, found = false, passed = false, filled;
	bool is_fast, own_blocks, own_caller, unwinds;

	chance_begin(seed, 3);
	memset(&thread, 0, sizeof(thread));
	thread.stack_looks = LOOKS;
	thread.correlation = seed;
	/* A module with a block, which is told. */
	first_key = THREAD_KEYS - 1;
	keys[first_key].hook_unwound = hook_unwound;
	thread.blocks[first_key] = &thread;
	nunwound = 0;
	/* Of 16 bytes, none, one or all are there. */
	readable = chance(4);
	frame = (struct frame *)(void *)(end - (readable ? sizeof(*record) : 0)) - 1;
	record = (struct frame_record *)(frame + 1);
	filled = chance(2);
	is_fast = !chance(4);
	own_blocks = chance(4);
	own_caller = chance(4);
	unwinds = chance(2);
	frame->own = is_fast ? (uintptr_t)&thread : filled ? (uintptr_t)stack + 5 * NEAR : 1;
	frame->call.blocks = own_blocks ? thread.blocks : (void **)&other;
	frame->call.caller = &caller;
	if (readable)
		record->caller = own_caller ? &caller : &other;
	cfa = filled ? frame->own : (uintptr_t)frame + sizeof(*frame) + 16;
	set_unwinder(unwinds);
	ncontexts = chance(5);
	for (size_t i = 0; i < ncontexts; i++) {
		contexts[i].cfa = cfa + (chance(3) - 1) * 16;
		found |= contexts[i].cfa == cfa;
		passed |= contexts[i].cfa > cfa && !found;
	}
	at = (uintptr_t)frame;
	above = chance(5) == 0;
	thread.state = at | THREAD_INSIDE | (filled ? THREAD_FILLED : 0);
	is_left = (above && !on_signal_stack) || !readable ||
		  (!is_fast && (!own_blocks || (!filled && !own_caller))) || (unwinds && passed && !found);
	state = is_left ? 0 : thread.state;
	*wrong += unwound_drop(&thread,
			       (const struct frame *)(above ? at + 16 * chance(3) : at - 16),
			       &depth) != state ||
		  depth != !is_left || thread.unwound_hooks != is_left || thread.unwound_calls ||
		  thread.state != state;
	*wrong += nunwound != is_left || (is_left && unwound_at != seed);
	*left += is_left;
	set_unwinder(false);
}

static unsigned int nhooks_wrong, nhooks_left;
static char *hooks_end;

static void drop_hooks(int number)
{
	on_signal_stack = number != 0;
	for (uint64_t seed = 0; seed < SEEDS; seed++)
		drop_hook_at(hooks_end, seed, &nhooks_wrong, &nhooks_left);
	on_signal_stack = false;
}

static void test_hooks(void)
{
	const struct sigaction action = { .sa_handler = drop_hooks, .sa_flags = SA_ONSTACK };
	stack_t own = { .ss_sp = signal_stack, .ss_size = SIGNAL_STACK };
	static struct thread thread = { .state = THREAD_ENDING };
	char *pages = map(3 * PAGE);
	uint32_t depth = 0;

	mprotect(pages + 2 * PAGE, PAGE, PROT_NONE);
	hooks_end = pages + 2 * PAGE;
	drop_hooks(0);
	is_int(nhooks_wrong, 0, "hooks that were left");
	sigaltstack(&own, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	is_int(nhooks_wrong, 0, "hooks that a signal interrupted");
	ok(nhooks_left > SEEDS / 4 && nhooks_left < 2 * SEEDS, "%u were left", nhooks_left);
	is_int((long long)unwound_drop(&thread, (const struct frame *)&depth, &depth), THREAD_ENDING,
	       "an ending thread's none");
	munmap(pages, 3 * PAGE);
	memset(keys, 0, sizeof(keys));
	first_key = THREAD_KEYS;
	nunwound = 0;
}

/* Marks are made of what a thread still names, as many as have room. */
static void test_moves(void)
{
	static struct thread thread;
	unsigned int wrong = 0;

	for (uint32_t i = 0; i < THREAD_FRAMES; i++)
		thread.outer[i] = (uintptr_t)stack + i * NEAR + (i % 2 ? THREAD_NESTED : 0);
	thread.state = (uintptr_t)stack + THREAD_FRAMES * NEAR + THREAD_NESTED;
	for (uint32_t i = 0; i < PLACES; i++) {
		memset((void *)thread.moved, 0, sizeof(thread.moved));
		unwound_move(&thread, (uintptr_t)stack + i * NEAR, 0);
		wrong += (thread.moved[0] == (uintptr_t)stack + i * NEAR) != (i <= THREAD_FRAMES) || thread.moved[1];
	}
	is_int(wrong, 0, "calls that ended elsewhere are marked where they are known");
	memset((void *)thread.moved, 0, sizeof(thread.moved));
	for (uint32_t i = 0; i < 2 * THREAD_MOVED; i++)
		unwound_move(&thread, (uintptr_t)stack + i * NEAR, 0);
	for (uint32_t i = 0; i < THREAD_MOVED; i++)
		wrong += thread.moved[i] != (uintptr_t)stack + i * NEAR;
	is_int(wrong, 0, "as many as have room");
}

/* Calls that were counted as left, and end on another thread after all: each once. */
static void test_found(void)
{
	static struct thread thread;
	const uint64_t first = (uint64_t)7 << 40;
	unsigned int wrong = 0;

	found_calls = 0;
	for (uint32_t count = 1; count <= 2 * THREAD_LEFT; count++) {
		uint32_t depth, kept = count < THREAD_LEFT ? count : THREAD_LEFT;
		uint64_t before = thread.unwound_calls - found_calls;

		for (uint32_t i = 0; i < count; i++) {
			thread.correlation = first + 100 * count + i;
			thread.state = (uintptr_t)stack + i * NEAR;
			wrong += drop(&thread, NULL, ENDS, &depth) != 0;
		}
		wrong += thread.unwound_calls - found_calls != before + count;
		/* Others of that place: begun later, or by a thread that had the structure before. */
		unwound_move(&thread, (uintptr_t)stack + (count - 1) * NEAR, thread.correlation + 1);
		unwound_move(&thread, (uintptr_t)stack + (count - 1) * NEAR, first - 1);
		wrong += thread.unwound_calls - found_calls != before + count;
		for (int twice = 0; twice < 2; twice++)
			for (uint32_t i = 0; i < count; i++)
				unwound_move(&thread, (uintptr_t)stack + i * NEAR, first + 100 * count + i);
		wrong += thread.unwound_calls - found_calls != before + count - kept || thread.moved[0];
	}
	is_int(wrong, 0, "calls that were counted as left and end elsewhere");
}

enum { RACES = 10000 };

static struct thread racer;
static _Atomic uint32_t round_begun, round_ended;

static void *end_elsewhere(void *unused)
{
	for (uint32_t i = 1; i <= RACES; i++) {
		while (round_begun != i)
			sched_yield();
		unwound_move(&racer, (uintptr_t)stack + i % PLACES * NEAR, i);
		round_ended = i;
	}
	return unused;
}

/* One thread drops the call, another one ends it, whichever is first: nothing is left. */
static void test_races(void)
{
	pthread_t id;
	uint32_t depth;
	unsigned int wrong = 0;

	found_calls = 0;
	pthread_create(&id, NULL, end_elsewhere, NULL);
	for (uint32_t i = 1; i <= RACES; i++) {
		uintptr_t frame = (uintptr_t)stack + i % PLACES * NEAR;

		racer.correlation = i;
		/* It may be named where it is no more. */
		racer.outer[3] = chance(2) ? frame : 0;
		racer.state = frame;
		round_begun = i;
		for (volatile uint64_t wait = chance(200); wait; wait--)
			;
		drop(&racer, NULL, ENDS, &depth);
		while (round_ended != i)
			sched_yield();
		wrong += racer.unwound_calls != found_calls;
		/* Marks behind what is no more are no call's. */
		memset((void *)racer.moved, 0, sizeof(racer.moved));
	}
	pthread_join(id, NULL);
	is_int(wrong, 0, "calls that are dropped while they end elsewhere");
	found_calls = 0;
}

/* The last of what each module had in a thread, in the order in which that is given up. */
static struct { uint32_t key; void *block; } given_up[2 * TOGETHER * THREAD_KEYS];
static uint32_t ngiven_up;

#define MODULES(module)                                                                           \
	module(0) module(1) module(2) module(3) module(4) module(5) module(6) module(7) module(8) \
		module(9) module(10) module(11)
#define LEAVE(number) \
	static void leave_##number(void *block) \
	{ \
		given_up[ngiven_up].key = number; \
		given_up[ngiven_up++].block = block; \
	}
MODULES(LEAVE)

/* The last is of before threads' ends were told. */
#define MODULE(number) { \
	.size = number < 11 ? sizeof(struct cuaudit_module) : offsetof(struct cuaudit_module, thread_exit), \
	.thread_exit = leave_##number, .hook_unwound = hook_unwound },
static const struct cuaudit_module modules[THREAD_KEYS] = { MODULES(MODULE) };

static const size_t sizes[THREAD_KEYS] = { 1, 8, 64, 65, 4096, 100, 4097, 10000, 3, 16, 24, 40 };
static void *blocks[THREAD_KEYS];
static struct thread *before;
static uint64_t first_number;

static bool is_zero(const void *from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (((const char *)from)[i])
			return false;
	return true;
}

/* Leaves all that a thread can have behind. */
static void *fill(void *unused)
{
	struct thread *thread = thread_begin();

	for (uint32_t i = 0; i < THREAD_KEYS; i++)
		if ((blocks[i] = cuaudit_thread_block(i)))
			memset(blocks[i], 0x55, sizes[THREAD_KEYS - 1 - i]);
	thread->stack_low = (uintptr_t)stack;
	thread->stack_high = UINTPTR_MAX;
	thread->stack_looks = LOOKS;
	memset(thread->live, 0x55, sizeof(thread->live));
	for (int i = 0; i < THREAD_MOVED; i++)
		thread->moved[i] = 16;
	for (int i = 0; i < CUAUDIT_HOOKS_ALL; i++)
		thread->guarded[i] = 1;
	memset(thread->callers, 0x55, THREAD_CALLERS * sizeof(*thread->callers));
	thread->state = (uintptr_t)stack;
	before = thread;
	first_number = thread->correlation;
	return unused;
}

/* The next one has the same structure, as new. */
static void *inherit(void *unused)
{
	struct thread *thread = thread_begin();
	bool clear = true;

	for (uint32_t i = 0; i < THREAD_KEYS; i++) {
		void *block = cuaudit_thread_block(i);

		clear &= block == blocks[i] && (!block || is_zero(block, sizes[THREAD_KEYS - 1 - i]));
	}
	ok(thread == before, "a thread has the structure of one that ended");
	ok(clear, "... and its blocks, which are clear");
	ok(thread->correlation == first_number + ((uint64_t)1 << 40), "... a number of its own");
	ok(!thread->state && !thread->stack_low && !thread->stack_high && !thread->stack_looks &&
	   is_zero((const void *)thread->moved, sizeof(thread->moved)) &&
	   is_zero(thread->live, sizeof(thread->live)) &&
	   is_zero((const void *)thread->guarded, sizeof(thread->guarded)) &&
	   is_zero(thread->callers, THREAD_CALLERS * sizeof(*thread->callers)), "... and nothing else of it");
	return unused;
}

/* With so many modules, each of which is told of the end once; by its last key first. */
static void test_threads(void)
{
	bool right;

	for (uint32_t have = 0; have <= THREAD_KEYS; have++) {
		ngiven_up = 0;
		in_thread(fill, NULL, 0);
		right = ngiven_up == (have < 12 ? have : 11);
		for (uint32_t i = 0; i < ngiven_up; i++)
			right &= given_up[i].key == i && given_up[i].block == blocks[THREAD_KEYS - 1 - i];
		ok(right, "%u modules: each is told of a thread's end", have);
		in_thread(inherit, NULL, 0);
		if (have < THREAD_KEYS)
			is_int(cuaudit_thread_key(sizes[have], &modules[have]), (int)(THREAD_KEYS - 1 - have), "one more");
	}
	is_int(cuaudit_thread_key(8, &modules[0]), -ENOSPC, "there is no further key");
	thread_disown(&modules[3]);
	ngiven_up = 0;
	in_thread(fill, NULL, 0);
	right = ngiven_up == 10;
	for (uint32_t i = 0; i < ngiven_up; i++)
		right &= given_up[i].key == i + (i >= 3);
	ok(right, "one that did not start is not told");
}

static pthread_barrier_t together;

static void *begin_together(void *unused)
{
	struct thread *thread = thread_begin();

	(void)unused;
	pthread_barrier_wait(&together);
	return thread;
}

/* Threads that live at once, and those after them, which have the structures of the first. */
static void test_together(void)
{
	void *first[TOGETHER], *second[TOGETHER], **result = first;
	pthread_t other[TOGETHER];
	unsigned int twice = 0, found = 0;

	pthread_barrier_init(&together, NULL, TOGETHER);
	for (int turn = 0; turn < 2; turn++, result = second) {
		for (int i = 0; i < TOGETHER; i++)
			if (pthread_create(&other[i], NULL, begin_together, NULL))
				bail_out("no thread");
		for (int i = 0; i < TOGETHER; i++)
			pthread_join(other[i], &result[i]);
	}
	for (int i = 0; i < TOGETHER; i++)
		for (int k = 0; k < TOGETHER; k++) {
			twice += i != k && (first[i] == first[k] || second[i] == second[k]);
			found += first[i] == second[k];
		}
	ok(!twice && found == TOGETHER, "structures are those of threads that ended, each of one (%u, %u)", twice, found);
	pthread_barrier_destroy(&together);
}

/* Of the process's keys one is taken: the last of those that lie in the thread, else the first there is. */
static int takes_key(pthread_key_t taken)
{
	pthread_key_t first, next;

	do
		if (pthread_key_create(&next, NULL))
			return 1;
	while (next < taken);
	if (pthread_key_create(&first, NULL) || pthread_key_delete(first) || thread_setup())
		return 2;
	if (key != (first < 32 ? 31 : first))
		return 3;
	for (pthread_key_t i = first; i < first + 40; i++)
		if (i != key && (pthread_key_create(&next, NULL) || next != i))
			return 4;
	return 0;
}

/* With no key left there is none, and the error tells. */
static int takes_none(pthread_key_t unused)
{
	pthread_key_t next;

	(void)unused;
	while (!pthread_key_create(&next, NULL))
		;
	if (thread_setup() != -EAGAIN)
		return 1;
	/* The last one there is will do. */
	pthread_key_delete(next);
	return thread_setup() || key != next ? 2 : 0;
}

static int apart(int (*check)(pthread_key_t), pthread_key_t taken)
{
	int status = 99;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		pthread_key_delete(key);
		_exit(check(taken));
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

static void test_keys(void)
{
	int wrong = 0;

	for (pthread_key_t taken = 2; taken < 40 && !wrong; taken++)
		wrong = apart(takes_key, taken);
	is_int(wrong, 0, "one key is taken, however many are");
	is_int(apart(takes_none, 0), 0, "the last one, too");
}

/* Blocks are apart, in a thread's own memory or elsewhere. */
static void *check_blocks(void *unused)
{
	struct thread *thread = thread_begin();
	unsigned int wrong = 0;

	for (uint32_t i = 0; i < THREAD_KEYS; i++) {
		char *block = cuaudit_thread_block(i), *end = block + sizes[THREAD_KEYS - 1 - i];

		wrong += !block || (uintptr_t)block % 16 || cuaudit_thread_block(i) != block ||
			 (block < (char *)(thread + 1) && end > (char *)thread) ||
			 (block < (char *)(thread->callers + THREAD_CALLERS) && end > (char *)thread->callers);
		for (uint32_t k = 0; k < i; k++) {
			char *other = thread->blocks[k];

			wrong += block < other + sizes[THREAD_KEYS - 1 - k] && other < end;
		}
	}
	is_int(wrong, 0, "blocks are apart");
	ok(!cuaudit_thread_block(THREAD_KEYS) && !cuaudit_thread_block(UINT32_MAX), "and no more");
	thread->correlation = 42;
	thread_hook_unwound(thread);
	ok(nunwound == THREAD_KEYS - 2 && unwound_at == 42,
	   "modules are told of a hook that was left, %u", nunwound);
	return unused;
}

static void test_counters(void)
{
	struct thread *thread = thread_begin();

	is_int((long long)cuaudit_unhooked_calls(), 0, "no call has passed");
	ok(before->unwound_calls, "calls were left by their thread's end, %d", (int)before->unwound_calls);
	before->unwound_calls = 0;
	thread->bypassed = 2;
	before->bypassed = 3;
	thread->unwound_calls = 4;
	before->unwound_hooks = 5;
	thread_unseen = 6;
	atomic_store(&table.setup_calls, 7);
	is_int((long long)cuaudit_unhooked_calls(), 2 + 3 + 6 + 7, "of all threads and of none");
	ok(cuaudit_unwound_calls() == 4 && cuaudit_unwound_hooks() == 5, "what was left");
	ok(!thread_any_guarded(5), "nobody is inside");
	before->guarded[5] = 1;
	ok(thread_any_guarded(5) && !thread_any_guarded(4), "somebody is");
	thread_forked();
	ok(!cuaudit_unhooked_calls() && !cuaudit_unwound_calls() && !cuaudit_unwound_hooks() &&
	   !thread_any_guarded(5), "a child begins anew");
	ok(thread_any() && thread_begin() == thread, "with the thread that it has");
}

int main(void)
{
	pthread_key_t others[2] = { 0, 0 };

	lock_setup();
	is_int(thread_setup(), 0, "threads' ends are told");
	ok(!pthread_key_create(&others[0], NULL) && !pthread_key_create(&others[1], NULL) &&
	   others[0] < key && others[1] < key, "by one key, and those before it are free");
	pthread_key_delete(others[0]);
	pthread_key_delete(others[1]);
	ok(!thread_any(), "there was no thread yet");
	test_words();
	test_own_stack();
	test_lines();
	test_main_stack();
	test_backtrace();
	test_calls();
	test_live();
	test_changes();
	test_hooks();
	test_moves();
	test_found();
	test_races();
	thread_ends = thread_ended;
	test_threads();
	ngiven_up = 0;
	test_together();
	test_keys();
	/* One that is new, with all keys, and one that is older than they. */
	free_threads = NULL;
	in_thread(check_blocks, NULL, 0);
	test_counters();
	return done_testing();
}
