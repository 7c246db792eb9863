/* SPDX-License-Identifier: Apache-2.0 */
/* Judges calls by the rules that look at their function. */
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cuaudit/api.h>
#include <cuaudit/clock.h>
#include <cuaudit/coverage.h>
#include <cuaudit/params.h>
#include <cuaudit/range.h>

#include "hooks/blocking.h"
#include "hooks/modules/leak/leak_object.h"
#include "hooks/modules/rules/rules.h"
#include "hooks/modules/rules/rules_copied.h"
#include "hooks/modules/rules/rules_driver.h"
#include "hooks/modules/rules/rules_grown.h"
#include "hooks/provided.h"
#include "tables/query.h"
#include "util/selector.h"

/* Which rules and marks look at a function, by bit. */
struct wants {
	uint64_t rules;
	uint64_t failing;	/* those of them that look at failed calls alone, */
	uint64_t forked;	/* and in a child of fork alone */
	uint32_t marks;
	uint16_t device;	/* 1 + the word of its argument that is a device; 0: it has none */
	uint16_t known;
};

enum { NESTED = 8, KERNELS = 4096, KERNEL_PLACES = 2 * KERNELS, LOOKS = 256 };

/* What bits are of: rules, or the calls of marks. */
enum { OF_RULES, OF_MARKS, KINDS };

/*
 * What a library or kernel is to the rules that name some: whose name was compared with it, and for which a call of it is
 * none of theirs. So a call is asked once about either, however many rules look at it.
 */
struct answers {
	_Atomic uint64_t asked[KINDS], refused[KINDS];
};

struct kernel_answers {
	_Alignas(64) _Atomic uintptr_t name;	/* equal names are one pointer */
	struct answers answers;
};

/* A range of a rule that counts per range, which is open. */
struct level {
	uint64_t value;		/* so far; RULE_GROWTH: what there was at its beginning */
	uint64_t grown;		/* RULE_GROWTH: how many calls had allocated by then */
	uint32_t domain;
	bool inherited;		/* it began in the parent */
};

/* Of a thread. */
struct counts {
	uint64_t failed_rules;	/* RULE_UNCHECKED: those for which the last call failed, by bit */
	uint64_t failed_by;	/* who called the caller of that call */
	const void *failed_at;
	int32_t failed;
	uint64_t calls;		/* while a frame is sought */
	int32_t tid;		/* RULE_THREADS: the thread's number; 0: not asked */
	uint32_t depth[RULE_PER];	/* of levels, and of those there was no room for */
	struct level levels[RULE_PER][NESTED];
};

static struct wants wanted[CUAUDIT_SLOTS_MAX];	/* by slot */
static uint64_t unchecked;	/* RULE_UNCHECKED, by bit: they look at all functions */
static bool forking;		/* some rule is of children of fork */
static int key;
static _Atomic uint8_t initialized, forked, settled;
static uint32_t seen_generation;
struct rules_own rules_own;
static uint64_t absent;		/* rules with a library that is not there yet, by bit */
static _Atomic uint8_t callers[RULE_LIBRARIES];	/* by index: it is in the file */
static const struct cuaudit_library *program;
static uint64_t name_library[KINDS], name_kernel[KINDS];	/* by bit; those that count kernels, too */
static struct answers libraries[RULE_LIBRARIES];		/* by index */
static struct kernel_answers kernels[KERNEL_PLACES];		/* a set of at most KERNELS */
static _Atomic uint32_t nkernels;

extern const struct cuaudit_module rules_module;

/* NULL: a driver of the rule's version has it. */
static const char *lacks(const struct rule *rule, const struct cuaudit_function *function)
{
	return function->id < 0 ? "newer than this cuaudit" :
	       function->version > rule->version ? "a driver of that version lacks the function" :
						   NULL;
}

static uint16_t device_word(const struct cuaudit_function *function)
{
	struct cuaudit_param param;

	for (uint32_t i = 0; !cuaudit_param_get(function, i, &param); i++)
		if (!strcmp(param.type, "CUdevice"))
			return (uint16_t)(param.word + 1);
	return 0;
}

static const struct wants *make(const struct cuaudit_function *function)
{
	struct wants *to = &wanted[function->slot];
	struct wants made = { 0 };

	for (uint32_t i = 0; i < rules.nrules; i++) {
		const struct rule *rule = &rules.rules[i];

		if (!rule->functions || rule->what == RULE_UNCHECKED ||
		    !selector_takes(rule->selector, function) ||
		    (rule->what == RULE_VERSION && !lacks(rule, function)))
			continue;
		made.rules |= 1ull << i;
		if (rule->what == RULE_RESULTS)
			made.failing |= 1ull << i;
		if (rule->what == RULE_FORKED)
			made.forked |= 1ull << i;
	}
	for (uint32_t i = 0; i < rules.nmarks; i++)
		if (rules.marks[i].call.functions &&
		    selector_takes(rules.marks[i].call.selector, function))
			made.marks |= 1u << i;
	__atomic_store_n(&to->rules, made.rules, __ATOMIC_RELAXED);
	__atomic_store_n(&to->failing, made.failing, __ATOMIC_RELAXED);
	__atomic_store_n(&to->forked, made.forked, __ATOMIC_RELAXED);
	__atomic_store_n(&to->marks, made.marks, __ATOMIC_RELAXED);
	__atomic_store_n(&to->device, device_word(function), __ATOMIC_RELAXED);
	/* Pairs with wants_of: who sees it known sees the rest. */
	__atomic_store_n(&to->known, 1, __ATOMIC_RELEASE);
	return to;
}

static inline const struct wants *wants_of(const struct cuaudit_function *function)
{
	const struct wants *known = &wanted[function->slot];

	return __builtin_expect(__atomic_load_n(&known->known, __ATOMIC_ACQUIRE), 1) ?
	       known : make(function);
}

static bool library_is(const char *glob, const struct cuaudit_library *library)
{
	return rules_glob(glob, strchr(glob, '/') ? library->path : library->name) ||
	       (library == program && !strcmp(glob, "(main)"));
}

/* What the selector names of libraries of CUAUDIT_PROVIDERS. */
static void look_at_providers(void)
{
	bool any;

	for (uint32_t k = 0; k < rules.nrules; k++)
		if (rules.rules[k].provided && selector_libraries(rules.rules[k].selector, provided_came, &any))
			rules_reach(k, CHECK_REACH_PROVIDER);
}

void rules_libraries(void)
{
	const struct cuaudit_library *library;

	look_at_providers();
	for (uint32_t i = 1; (library = cuaudit_library_get(i)); i++)
		for (uint32_t k = 0; k < rules.nrules; k++) {
			const struct rule *rule = &rules.rules[k];

			if (rule->library && library_is(rule->library, library)) {
				rules_reach(k, CHECK_REACH_LIBRARY);
				__atomic_fetch_and(&absent, ~(1ull << k), __ATOMIC_RELAXED);
			}
			if (rule->frame_library && rules_tail_glob(rule->frame_library, library->path))
				rules_reach(k, CHECK_REACH_FRAME);
		}
}

/* Whatever was loaded by the first call since counts, though it may call nothing itself. */
static inline void look_at_libraries(void)
{
	uint32_t generation = __atomic_load_n(cuaudit_generation, __ATOMIC_RELAXED);

	if (__builtin_expect(generation == seen_generation, 1))
		return;
	__atomic_store_n(&seen_generation, generation, __ATOMIC_RELAXED);
	rules_libraries();
}

/* Who else calls, for a rule that no library keeps or breaks. */
static __attribute__((noinline)) void note_caller(const struct cuaudit_call *call)
{
	const struct cuaudit_library *library = cuaudit_call_library(call);
	uint32_t number;

	if (!library->index || library->index >= RULE_LIBRARIES ||
	    atomic_load_explicit(&callers[library->index], memory_order_relaxed) ||
	    atomic_exchange_explicit(&callers[library->index], 1, memory_order_relaxed))
		return;
	number = atomic_fetch_add_explicit(&rules_file->header.ncallers, 1, memory_order_relaxed);
	if (number < CHECK_CALLERS)
		memcpy(rules_file->callers[number].name, library->name,
		       strnlen(library->name, sizeof(rules_file->callers->name) - 1));
}

static inline struct rule *rule_of(int kind, uint64_t bits)
{
	int index = __builtin_ctzll(bits);

	return kind == OF_RULES ? &rules.rules[index] : &rules.marks[index].call;
}

/* Pairs with is_asked: who sees it asked sees the answer. */
static void keep(struct answers *answers, int kind, uint64_t asked, uint64_t refused)
{
	atomic_fetch_or_explicit(&answers->refused[kind], refused, memory_order_relaxed);
	atomic_fetch_or_explicit(&answers->asked[kind], asked, memory_order_release);
}

static inline bool is_asked(const struct answers *answers, int kind, uint64_t bits)
{
	return !(bits & ~atomic_load_explicit(&answers->asked[kind], memory_order_acquire));
}

static __attribute__((noinline)) uint64_t ask_library(const struct cuaudit_library *library, int kind, uint64_t named)
{
	uint64_t refused = 0;

	for (uint64_t left = named; left; left &= left - 1)
		if (!library_is(rule_of(kind, left)->library, library))
			refused |= left & -left;
	if (library->index < RULE_LIBRARIES)
		keep(&libraries[library->index], kind, named, refused);
	return refused;
}

/* Those of looking that name another library than the call's. */
static inline uint64_t other_library(const struct cuaudit_call *call, int kind, uint64_t looking)
{
	uint64_t named = looking & name_library[kind];
	const struct cuaudit_library *library;

	if (!named)
		return 0;
	library = cuaudit_call_library(call);
	if (__builtin_expect(library->index < RULE_LIBRARIES && is_asked(&libraries[library->index], kind, named), 1))
		return atomic_load_explicit(&libraries[library->index].refused[kind], memory_order_relaxed);
	return ask_library(library, kind, named);
}

/* NULL: there is no room. */
static struct answers *kernel_answers(const char *name)
{
	uintptr_t value = (uintptr_t)name, was;
	uint32_t at = (uint32_t)(value * 0x9e3779b97f4a7c15u >> 32) % KERNEL_PLACES;

	for (;; at = (at + 1) % KERNEL_PLACES) {
		was = atomic_load_explicit(&kernels[at].name, memory_order_relaxed);
		if (was == value)
			break;
		if (was)
			continue;
		if (atomic_load_explicit(&nkernels, memory_order_relaxed) >= KERNELS)
			return NULL;
		if (atomic_compare_exchange_strong(&kernels[at].name, &was, value))
			atomic_fetch_add_explicit(&nkernels, 1, memory_order_relaxed);
		else if (was != value)
			continue;
		break;
	}
	return &kernels[at].answers;
}

/* A kernel was launched: it is the rule's, or it is not, whatever else does not hold. */
static __attribute__((noinline)) uint64_t ask_kernel(struct answers *answers, const char *name, int kind,
						     uint64_t named)
{
	uint64_t refused = 0;

	for (uint64_t left = named; left; left &= left - 1) {
		const struct rule *rule = rule_of(kind, left);

		if (!rule->kernel)
			continue;
		if (!rules_glob(rule->kernel, name))
			refused |= left & -left;
		else if (kind == OF_RULES)
			rules_reach(rule->index, CHECK_REACH_KERNEL);
		if (kind == OF_RULES)
			rules_want(rule->index, CHECK_REACH_KERNEL);
	}
	if (answers)
		keep(answers, kind, named, refused);
	return refused;
}

/* Those of looking that name another kernel than the call's, or that count kernels and have counted it. */
static inline uint64_t other_kernel(const struct cuaudit_call *call, int kind, uint64_t looking)
{
	uint64_t named = looking & name_kernel[kind];
	struct answers *answers;
	const char *name;

	if (!named)
		return 0;
	name = cuaudit_call_kernel(call);
	if (!name)
		return named;
	answers = kernel_answers(name);
	if (__builtin_expect(answers && is_asked(answers, kind, named), 1))
		return atomic_load_explicit(&answers->refused[kind], memory_order_relaxed);
	return ask_kernel(answers, name, kind, named);
}

static inline uint64_t others(const struct cuaudit_call *call, int kind, uint64_t looking)
{
	return other_kernel(call, kind, looking) | other_library(call, kind, looking);
}

static bool on_device(const struct rule *rule, const struct cuaudit_call *call)
{
	uint16_t word = wants_of(call->function)->device;

	return (word ? (int32_t)call->words[word - 1] : rules_current_device()) == rule->device;
}

static bool is_reached(int16_t mark)
{
	return atomic_load_explicit(&rules_file->marks[mark].reached, memory_order_acquire);
}

/* Why a call of %blocking waits: the text, twice its address; one more tells that streams wait, not the host. */
static uint64_t blocking(const struct cuaudit_call *call)
{
	const char *why = blocking_call(call, false);

	if (why)
		return (uintptr_t)why << 1;
	why = blocking_call(call, true);
	return why ? (uintptr_t)why << 1 | 1 : 0;
}

/* Why a call of the class is taken: the host waits, or streams do. NULL: it is not. Of launches it is asked now. */
static const char *why_blocking(const struct rule *rule, const struct cuaudit_call *call)
{
	if (!(call->function->classes & CUAUDIT_CLASS_BLOCKING))
		return NULL;
	if (!(call->function->classes & CUAUDIT_CLASS_LAUNCH))
		return (call->scratch & 1) == rule->legacy ? (const char *)(uintptr_t)(call->scratch >> 1) : NULL;
	return rule->legacy && blocking_call(call, false) ? NULL : blocking_call(call, rule->legacy);
}

/* Whether %blocking takes the call, or another part of the selector takes its function. */
static bool is_blocking(const struct rule *rule, const struct cuaudit_call *call)
{
	if (why_blocking(rule, call))
		return true;
	return !rule->legacy && (!(call->function->classes & CUAUDIT_CLASS_BLOCKING) ||
				 (rule->others && selector_takes(rule->others, call->function)));
}

/* Beside its library and its kernel. */
static inline bool holds(const struct rule *rule, const struct cuaudit_call *call)
{
	if (rule->after != NO_MARK && !is_reached(rule->after))
		return false;
	if (rule->before != NO_MARK && is_reached(rule->before))
		return false;
	if (rule->before_main && cuaudit_main_called())
		return false;
	if (rule->range >= 0 && !cuaudit_call_in_range(call, rule->range))
		return false;
	if (rule->per >= 0 && !cuaudit_call_in_range(call, rule->per))
		return false;
	if (rule->blocking && !is_blocking(rule, call))
		return false;
	return rule->device < 0 || on_device(rule, call);
}

static struct counts *counts_of(const struct cuaudit_call *call)
{
	struct counts *counts = call->blocks[key];

	return counts ?: cuaudit_thread_block((uint32_t)key);
}

static void lose(enum check_loss loss)
{
	atomic_fetch_or_explicit(&rules_file->header.losses, loss, memory_order_relaxed);
}

static uint64_t add(struct check_rule *entry, uint64_t amount)
{
	return amount + atomic_fetch_add_explicit(&entry->value, amount, memory_order_relaxed);
}

static void raise_to(struct check_rule *entry, uint64_t value)
{
	uint64_t was = atomic_load_explicit(&entry->value, memory_order_relaxed);

	while (was < value && !atomic_compare_exchange_weak_explicit(&entry->value, &was, value,
								     memory_order_relaxed,
								     memory_order_relaxed))
		;
}

/* The sum of the innermost range, of this thread. */
static uint64_t add_in_range(const struct rule *rule, const struct cuaudit_call *call,
			     uint64_t amount)
{
	struct counts *counts = counts_of(call);
	uint32_t depth;

	if (!counts) {
		lose(CHECK_LOST_MEMORY);
		return 0;
	}
	depth = counts->depth[rule->slot];
	if (!depth || depth > NESTED) {
		lose(CHECK_LOST_RANGES);
		return 0;
	}
	return counts->levels[rule->slot][depth - 1].value += amount;
}

static void count(struct rule *rule, const struct cuaudit_call *call, uint64_t amount)
{
	struct check_rule *entry = &rules_file->rules[rule->index];
	uint64_t sum;

	if (!amount)
		return;
	sum = rule->per >= 0 ? add_in_range(rule, call, amount) : add(entry, amount);
	if (rule->per >= 0)
		raise_to(entry, sum);
	if (sum > entry->most)
		rules_broken(rule, call, NULL, rule->frame);
}

/* The kernel was not counted when the call was asked; another thread may have counted it since. */
static void count_kernel(struct rule *rule, const struct cuaudit_call *call)
{
	struct answers *answers = kernel_answers(cuaudit_call_kernel(call));
	uint64_t bit = 1ull << rule->index;

	if (!answers)
		lose(CHECK_LOST_MEMORY);
	else if (!(atomic_fetch_or_explicit(&answers->refused[OF_RULES], bit, memory_order_relaxed) & bit))
		count(rule, call, 1);
}

static bool is_exception(const struct rule *rule, const struct cuaudit_call *call)
{
	for (uint32_t i = 0; i < rule->nexceptions; i++) {
		const struct rule_exception *exception = &rule->exceptions[i];

		if ((exception->result < 0 || exception->result == call->result) &&
		    selector_takes(exception->selector, call->function))
			return true;
	}
	return false;
}

static bool is_result(const struct rule *rule, const struct cuaudit_call *call)
{
	switch (call->result) {
#define STICKY(number) case number:
#include "hooks/modules/rules/rules.def"
		if (rule->results == RESULTS_STICKY)
			return true;
		break;
#define CAPTURE(number) case number:
#include "hooks/modules/rules/rules.def"
		if (rule->results == RESULTS_CAPTURE)
			return true;
		break;
	default:
		break;
	}
	return rule->results == RESULTS_ERRORS &&
	       query_is_error(call->function->name, cuaudit_call_status(call));
}

static bool is_text(const struct cuaudit_function *function)
{
	static const char *const texts[] = {
#define TEXT(base) #base,
#include "hooks/modules/rules/rules.def"
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (!strcmp(texts[i], function->base))
			return true;
	return false;
}

/* Which call of its caller this is part of: the return address beyond the caller's. */
static uint64_t outer_caller(const struct cuaudit_call *call)
{
	const void *frames[2];

	return cuaudit_call_backtrace(call, frames, 2, CUAUDIT_BACKTRACE_UNWIND) == 2 ?
	       (uintptr_t)frames[1] : 0;
}

/* The rules for which the call failed, by bit. */
static uint64_t failing(const struct cuaudit_call *call)
{
	uint64_t failed = 0;

	if (!query_is_error(call->function->name, cuaudit_call_status(call)))
		return 0;
	for (uint64_t left = unchecked & ~others(call, OF_RULES, unchecked); left; left &= left - 1) {
		const struct rule *rule = rule_of(OF_RULES, left);

		if (!is_exception(rule, call) && holds(rule, call))
			failed |= left & -left;
	}
	return failed;
}

static void goes_on(const struct counts *counts, const struct cuaudit_call *call)
{
	const char *name = cuaudit_result_name(counts->failed);
	char note[128];

	stpcpy(stpcpy(note, "goes on as if the call before had not ended with "),
	       name && strlen(name) < 64 ? name : "an error");
	for (uint64_t left = counts->failed_rules; left; left &= left - 1) {
		const struct rule *rule = &rules.rules[__builtin_ctzll(left)];

		rules_broken(rule, call, note, rule->frame);
	}
}

static void check_unchecked(const struct cuaudit_call *call)
{
	struct counts *counts = counts_of(call);
	uint64_t failed = failing(call), by;

	if (!counts) {
		lose(CHECK_LOST_MEMORY);
		return;
	}
	if (!counts->failed_rules && !failed)
		return;
	by = outer_caller(call);
	/* The same call again is another try; asking for the error's name is looking at it. */
	if (counts->failed_rules && by && counts->failed_by == by &&
	    counts->failed_at != call->caller && !is_text(call->function))
		goes_on(counts, call);
	counts->failed_rules = failed;
	counts->failed = call->result;
	counts->failed_at = call->caller;
	counts->failed_by = by;
}

static int32_t own_tid(const struct cuaudit_call *call)
{
	struct counts *counts = counts_of(call);

	if (!counts)
		return (int32_t)syscall(SYS_gettid);
	if (__builtin_expect(!counts->tid, 0))
		counts->tid = (int32_t)syscall(SYS_gettid);
	return counts->tid;
}

static void check_thread(struct rule *rule, const struct cuaudit_call *call)
{
	int32_t first = atomic_load_explicit(&rule->thread, memory_order_relaxed), own = own_tid(call);

	if (first != own && (first || !atomic_compare_exchange_strong(&rule->thread, &first, own)))
		rules_broken(rule, call, "the first such call was on another thread", rule->frame);
}

static void check_memory(const struct rule *rule, const struct cuaudit_call *call)
{
	struct check_rule *entry = &rules_file->rules[rule->index];
	uint64_t bytes = leak_device_bytes();

	raise_to(entry, bytes);
	if (bytes > entry->most && cuaudit_call_succeeded(call))
		rules_broken(rule, call, NULL, rule->frame);
}

static void judge(struct rule *rule, const struct cuaudit_call *call)
{
	if (rule->what == RULE_RESULTS && !is_result(rule, call))
		return;
	/* What other threads allocate while a range is open is in it, too. */
	if (rule->what == RULE_GROWTH)
		return rules_grown_add(call);
	if (!holds(rule, call))
		return;
	switch ((enum rule_what)rule->what) {
	case RULE_CALLS:
		if (rules_file->rules[rule->index].kind == CHECK_NEVER)
			rules_broken(rule, call, rule->blocking ? why_blocking(rule, call) : NULL,
				     rule->frame);
		else
			count(rule, call, 1);
		break;
	case RULE_RESULTS:
		if (!is_exception(rule, call))
			rules_broken(rule, call, NULL, rule->frame);
		break;
	case RULE_TIME:
		count(rule, call, cuaudit_clock_ns(call->end - call->start));
		break;
	case RULE_COPIED:
		if (cuaudit_call_succeeded(call))
			count(rule, call, rules_copied(call, rule->direction));
		break;
	case RULE_KERNELS:
		count_kernel(rule, call);
		break;
	case RULE_MEMORY:
		check_memory(rule, call);
		break;
	case RULE_GROWTH:
		break;
	case RULE_THREADS:
		check_thread(rule, call);
		break;
	case RULE_FORKED:
		rules_broken(rule, call, "the parent had started the driver before fork", rule->frame);
		break;
	case RULE_VERSION:
		rules_broken(rule, call, lacks(rule, call->function), rule->frame);
		break;
	default:
		break;
	}
}

void rules_marks(void)
{
	for (uint32_t i = 0; i < rules.nrules; i++) {
		const struct rule *rule = &rules.rules[i];
		const int16_t marks[] = {
			rule->after != NO_MARK ? rule->after : rule->before,
			rule->after != NO_MARK ? rule->before : NO_MARK,
		};

		for (int k = 0; k < 2; k++)
			if (marks[k] != NO_MARK && rules_file->marks[marks[k]].reached)
				atomic_fetch_or(&rules_file->rules[i].reached,
						k ? CHECK_REACH_SECOND_MARK : CHECK_REACH_MARK);
	}
}

static void reach_mark(uint32_t index)
{
	_Atomic uint32_t *reached = &rules_file->marks[index].reached;

	/* Rules do not look at what was before: pairs with is_reached. */
	atomic_store_explicit(reached, 1, memory_order_release);
	rules_marks();
}

/* The call is before all marks that it reaches, for other marks too. */
static void count_marks(uint32_t looked, const struct cuaudit_call *call)
{
	uint32_t held = 0;

	for (uint32_t left = looked; left; left &= left - 1)
		if (is_reached((int16_t)__builtin_ctz(left)))
			looked &= ~(left & -left);
	if (looked)
		looked &= ~(uint32_t)others(call, OF_MARKS, looked);
	for (; looked; looked &= looked - 1)
		if (holds(rule_of(OF_MARKS, looked), call))
			held |= looked & -looked;
	for (; held; held &= held - 1) {
		uint32_t index = (uint32_t)__builtin_ctz(held);
		struct rule_mark *mark = &rules.marks[index];

		if (1 + atomic_fetch_add_explicit(&mark->calls, 1, memory_order_relaxed) >=
		    mark->number)
			reach_mark(index);
	}
}

static bool starts(const struct cuaudit_function *function)
{
	static const char *const names[] = {
#define STARTS(base) #base,
#include "hooks/modules/rules/rules.def"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], function->base))
			return true;
	return false;
}

int rules_blocking(struct cuaudit_call *call, void *data)
{
	(void)data;
	call->scratch = blocking(call);
	return CUAUDIT_CONTINUE;
}

/* In the stacks of a thread's first calls, and in as many of each doubling of their number. */
static __attribute__((noinline)) void seek(const struct cuaudit_call *call)
{
	struct counts *counts = counts_of(call);
	uint64_t number = counts ? counts->calls++ : 0;
	uint64_t part = number / LOOKS;

	while (part > 1 && !(number & 1)) {
		part >>= 1;
		number >>= 1;
	}
	if (counts && part <= 1)
		rules_seek(call);
}

/*
 * What any call may bring, until nothing of that kind is waited for; what optional rules name is looked for at the end,
 * too.
 */
static __attribute__((noinline)) void look_out(const struct cuaudit_call *call)
{
	rules_file->header.calls = 1;
	look_at_libraries();
	if (unchecked)
		check_unchecked(call);
	if (__atomic_load_n(&absent, __ATOMIC_RELAXED))
		note_caller(call);
	if (rules_sought)
		seek(call);
	if (!initialized && !call->result && starts(call->function))
		initialized = 1;
	if ((initialized || !forking) && !unchecked && !rules_sought && !__atomic_load_n(&absent, __ATOMIC_RELAXED))
		settled = 1;
}

void rules_judge(struct cuaudit_call *call, void *data)
{
	const struct wants *wants = wants_of(call->function);
	uint64_t left = wants->rules & ~(call->result ? 0 : wants->failing) & ~(forked ? 0 : wants->forked);
	uint64_t refused = others(call, OF_RULES, left);

	(void)data;
	/* Tests that come out as before do not wait for what was looked up, as the number of a bit would. */
	for (; left; left &= left - 1)
		if (!(refused & left & -left))
			judge(rule_of(OF_RULES, left), call);
	if (__builtin_expect(!settled, 0))
		look_out(call);
	if (wants->marks)
		count_marks(wants->marks, call);
	else if (settled && !(wants->rules & ~wants->failing & ~wants->forked) && !forked)
		rules_own.idle[call->function->slot] = 1;
}

/* A range of the rule ends: was there too little of it? */
static void judge_range(const struct rule *rule, const struct cuaudit_range *range,
			const struct level *level)
{
	struct check_rule *entry = &rules_file->rules[rule->index];
	uint64_t value = level->value, now;

	rules_reach(rule->index, CHECK_REACH_RANGE_END);
	if (rule->what == RULE_GROWTH) {
		rules_grown_range(-1);
		now = leak_device_bytes();
		value = now > value ? now - value : 0;
		raise_to(entry, value);
	}
	if ((value < entry->least && !level->inherited) ||
	    (rule->what == RULE_GROWTH && value > entry->most))
		rules_broken_in(rule, range, value,
				rule->what == RULE_GROWTH ? level->grown : UINT64_MAX);
}

/* As NVTX has it, the innermost of its domain; those above it are of others. */
static void pop_range(const struct rule *rule, const struct cuaudit_range *range,
		      struct counts *counts)
{
	struct level *levels = counts->levels[rule->slot];
	uint32_t *depth = &counts->depth[rule->slot], at = *depth;

	if (at > NESTED) {
		lose(CHECK_LOST_RANGES);
		--*depth;
		return;
	}
	while (at && levels[at - 1].domain != range->domain)
		at--;
	if (!at)
		return;
	judge_range(rule, range, &levels[at - 1]);
	memmove(&levels[at - 1], &levels[at], (*depth - at) * sizeof(*levels));
	--*depth;
}

static void push_range(const struct rule *rule, const struct cuaudit_range *range,
		       struct counts *counts)
{
	uint32_t depth = ++counts->depth[rule->slot];
	struct level *level;

	if (depth > NESTED)
		return;
	level = &counts->levels[rule->slot][depth - 1];
	*level = (struct level){ .domain = range->domain };
	if (rule->what == RULE_GROWTH) {
		level->value = leak_device_bytes();
		level->grown = rules_grown_range(1);
	}
}

static void per_range(const struct rule *rule, const struct cuaudit_range *range,
		      struct counts *counts)
{
	if (range->kind == CUAUDIT_RANGE_START || !counts)
		lose(counts ? CHECK_LOST_RANGES : CHECK_LOST_MEMORY);
	else if (range->kind == CUAUDIT_RANGE_PUSH)
		push_range(rule, range, counts);
	else if (range->kind == CUAUDIT_RANGE_POP)
		pop_range(rule, range, counts);
}

void rules_range(const struct cuaudit_range *range, const struct cuaudit_call *call, void *data)
{
	bool begins = range->kind != CUAUDIT_RANGE_POP && range->kind != CUAUDIT_RANGE_END;
	struct counts *counts = NULL;

	(void)data;
	for (uint32_t i = 0; i < rules.nmarks && begins; i++)
		if (rules.marks[i].in_range && !is_reached((int16_t)i) &&
		    rules_glob(rules.marks[i].in_range, range->text))
			reach_mark(i);
	for (uint32_t i = 0; i < rules.nrules; i++) {
		struct rule *rule = &rules.rules[i];

		if (rule->in_range && range->kind == CUAUDIT_RANGE_PUSH &&
		    !(rules_file->rules[i].reached & CHECK_REACH_RANGE) &&
		    rules_glob(rule->in_range, range->text))
			rules_reach(i, CHECK_REACH_RANGE);
		if (rule->per < 0 || range->kind == CUAUDIT_RANGE_MARK ||
		    !rules_glob(rule->per_range, range->text))
			continue;
		rules_reach(i, CHECK_REACH_RANGE);
		counts = counts ?: counts_of(call);
		per_range(rule, range, counts);
	}
}

/* Growth is of whatever call. */
static void note_names(const struct rule *rule, int kind, uint32_t index)
{
	if (rule->what == RULE_GROWTH)
		return;
	if (rule->library)
		name_library[kind] |= 1ull << index;
	if (rule->kernel || rule->what == RULE_KERNELS)
		name_kernel[kind] |= 1ull << index;
}

int rules_judge_setup(void)
{
	program = cuaudit_library_at((const void *)(uintptr_t)getauxval(AT_ENTRY));
	key = cuaudit_thread_key(sizeof(struct counts), &rules_module);
	for (uint32_t i = 0; i < rules.nrules; i++) {
		note_names(&rules.rules[i], OF_RULES, i);
		if (rules.rules[i].what == RULE_UNCHECKED)
			unchecked |= 1ull << i;
		forking |= rules.rules[i].what == RULE_FORKED;
		if (rules.rules[i].frame && !rules_file->rules[i].optional)
			rules_sought |= 1ull << i;
		if (rules.rules[i].library && !rules_file->rules[i].optional)
			absent |= 1ull << i;
	}
	for (uint32_t i = 0; i < rules.nmarks; i++)
		note_names(&rules.marks[i].call, OF_MARKS, i);
	rules_libraries();
	rules_own.process = PROCESS_KNOWN;
	if ((sysconf(_SC_PAGESIZE) != PEEK_PAGE || !safe_read_wipe(&rules_own, sizeof(rules_own))) && forking)
		cuaudit_log(CUAUDIT_WARN, "rules: children of clone(2) by itself are taken for their parent: the "
			    "kernel has no MADV_WIPEONFORK, see cuaudit-rules(5)");
	return key < 0 ? key : 0;
}

/* The ranges of the thread are open in the child, too, where nothing was counted in them. */
static void counts_forked(void)
{
	struct counts *counts = cuaudit_thread_block((uint32_t)key);

	if (!counts)
		return;
	counts->failed_rules = 0;
	counts->tid = 0;
	for (uint32_t i = 0; i < rules.nper; i++)
		for (uint32_t k = 0; k < counts->depth[i] && k < NESTED; k++) {
			counts->levels[i][k].value = 0;
			counts->levels[i][k].inherited = true;
		}
}

/* What an earlier program of this process, or the parent, was asked. */
void rules_judge_forked(void)
{
	memset((void *)rules_own.idle, 0, sizeof(rules_own.idle));
	settled = 0;
	counts_forked();
	/* Its pages are not there before a rule names or counts kernels. */
	for (uint32_t i = 0; i < rules.nrules && nkernels; i++)
		if (rules.rules[i].what == RULE_KERNELS) {
			memset((void *)kernels, 0, sizeof(kernels));
			nkernels = 0;
		}
	rules_grown_forked();
	forked = initialized;
	for (uint32_t i = 0; i < rules.nrules; i++)
		rules.rules[i].thread = 0;
	for (uint32_t i = 0; i < rules.nmarks; i++)
		rules.marks[i].calls = 0;
	if (absent)
		memset((void *)callers, 0, sizeof(callers));
	seen_generation = 0;
}
