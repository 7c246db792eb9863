/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random calls of many functions, by a caller that fills every register and compares all that
 * is to stay. Arguments: plt, dlsym, proc or table; what hooks there are: first (the call that loads
 * the core), none, enter, exit, both, timed, skip, nested, excluded, or alone (those of
 * CUAUDIT_HOOKS); 8 for a misaligned stack, else 0; how many calls; a seed.
 */
#include <cuaudit/hook.h>
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t/routes/any.h"
#include "t/routes/observe.h"
#include "t/tap.h"

#define OFFSET(field, at) _Static_assert(offsetof(struct any_state, field) == (at), #field)
OFFSET(integers, ANY_RAX);
OFFSET(flags, ANY_FLAGS);
OFFSET(mxcsr, ANY_MXCSR);
OFFSET(fpucw, ANY_FPUCW);
OFFSET(masks, ANY_MASKS);
OFFSET(vectors, ANY_VECTORS);
OFFSET(stack, ANY_STACK);
_Static_assert(sizeof(struct any_state) == ANY_SIZE, "size");

enum kind { KNOWN, LAUNCH, UNKNOWN };

/* The list that the test makes: NAME(symbol, enum kind, words that are arguments). */
#define NAME(symbol, kind, nwords) void by_plt_##symbol(void);
#include "names.h"
#undef NAME

static const struct function {
	const char *name;
	enum kind kind;
	int nwords;
	void *by_plt;
} functions[] = {
#define NAME(symbol, kind, nwords) { #symbol, kind, nwords, (void *)by_plt_##symbol },
#include "names.h"
#undef NAME
};

enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

enum { RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP, R8, R9, R10, R11, R12, R13, R14, R15 };

/* Status flags alone: carry, parity, adjust, zero, sign, overflow; and the direction flag. */
enum { FLAGS_FREE = 0x8d5, FLAGS_DIRECTION = 0x400 };

/* Control bits, which a callee keeps. */
enum { MXCSR_CONTROL = 0xffc0 };

uint32_t any_level;

int cuInit(unsigned int flags);
int cuGetExportTable(const void **table, const unsigned char *uuid);
int cuGetProcAddress_v2(const char *name, void **answer, int version, unsigned long long flags,
			int *status);

static struct any_state *arrived, *answer;
static uint32_t *which, *arrivals;
static void *driver;
static const char *hooks;
static uint64_t misaligned, random_state;
static uint64_t (*straight)(void);
static int differences, shown, nested, entered, left;

static uint64_t chance(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state * 0x2545f4914f6cdd1d;
}

static void fill(struct any_state *state)
{
	uint64_t *words = (uint64_t *)state;

	for (size_t i = 0; i < sizeof(*state) / sizeof(*words); i++)
		words[i] = chance();
	state->flags = 2 | (chance() & FLAGS_FREE);
	/* All exceptions masked, any rounding, flush to zero and denormals are zeros or not. */
	state->mxcsr = 0x1f80 | (uint32_t)(chance() & 0xe040);
	state->fpucw = 0x037f | (uint16_t)(chance() & 0xc00);
	for (int i = 0; i < 8; i++)
		state->masks[i] = any_level == ANY_AVX512 ? chance() & 0xffff : 0;
}

static void compare(const char *what, const char *name, uint64_t got, uint64_t want)
{
	if (got == want)
		return;
	differences++;
	if (shown++ < 20)
		diag("%s: %s: got %llx, want %llx", name, what, (unsigned long long)got,
		     (unsigned long long)want);
}

static void compare_vectors(const char *what, const char *name, const struct any_state *got,
			    const struct any_state *want, int count, int words)
{
	for (int i = 0; i < count; i++)
		for (int j = 0; j < words; j++)
			compare(what, name, got->vectors[i][j], want->vectors[i][j]);
}

/* All that a jump leaves alone; r11 is lost by it. */
static void compare_all(const char *what, const char *name, const struct any_state *got,
			const struct any_state *want)
{
	static const int words[] = { 2, 4, 8 };

	for (int i = RAX; i <= R15; i++)
		if (i != R11 && i != RSP)
			compare(what, name, got->integers[i], want->integers[i]);
	compare_vectors(what, name, got, want, any_level == ANY_AVX512 ? 32 : 16,
			words[any_level]);
	for (int i = 0; any_level == ANY_AVX512 && i < 8; i++)
		compare(what, name, got->masks[i], want->masks[i]);
}

/* What every function keeps, or finds so. */
static void compare_kept(const char *what, const char *name, const struct any_state *got,
			 const struct any_state *want)
{
	static const int kept[] = { RBX, R12, R13, R14, R15 };

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		compare(what, name, got->integers[kept[i]], want->integers[kept[i]]);
	compare("direction flag", name, got->flags & FLAGS_DIRECTION, 0);
	compare("mxcsr", name, got->mxcsr & MXCSR_CONTROL, want->mxcsr & MXCSR_CONTROL);
	compare("x87 control word", name, got->fpucw, want->fpucw);
}

static int stack_words(const struct function *function)
{
	if (function->kind == UNKNOWN)
		return 24;
	return function->nwords > 6 ? function->nwords - 6 : 0;
}

static void compare_arrived(const struct function *function, const struct any_state *in)
{
	static const int order[] = { RDI, RSI, RDX, RCX, R8, R9 };
	const char *name = function->name;

	compare("function", name, *which, (uint64_t)(function - functions));
	for (int i = 0; i < 6 && (i < function->nwords || function->kind == UNKNOWN); i++)
		compare("argument register", name, arrived->integers[order[i]],
			in->integers[order[i]]);
	for (int i = 0; i < stack_words(function); i++) {
		uint64_t mask = function->kind == LAUNCH && i < 2 ? UINT32_MAX : UINT64_MAX;

		compare("stack word", name, arrived->stack[i] & mask, in->stack[i] & mask);
	}
	if (function->kind == UNKNOWN) {
		compare("rax", name, arrived->integers[RAX], in->integers[RAX]);
		compare_vectors("vector register", name, arrived, in, 8, 2);
	}
	compare_kept("kept register, arrived", name, arrived, in);
	compare("stack alignment", name, arrived->integers[RSP] & 15, misaligned);
}

static void compare_answer(const struct function *function, const struct any_state *out,
			   bool skipped)
{
	const char *name = function->name;

	if (skipped || function->kind != UNKNOWN) {
		compare("result", name, (uint32_t)out->integers[RAX],
			skipped ? 2 : (uint32_t)answer->integers[RAX]);
		return;
	}
	compare("rax", name, out->integers[RAX], answer->integers[RAX]);
	compare("rdx", name, out->integers[RDX], answer->integers[RDX]);
	compare_vectors("answer", name, out, answer, 2, 2);
}

/* strict: nothing but a jump is between the two. */
static void call(const struct function *function, void *target, bool strict, bool skipped)
{
	struct any_state in, out;
	const char *name = function->name;
	uint32_t before = *arrivals;
	int error = (int)(chance() & 0xff) + 1;

	fill(&in);
	fill(answer);
	if (chance() & 1)
		answer->integers[RAX] = 0;
	memset(arrived, 0, sizeof(*arrived));
	memset(&out, 0, sizeof(out));
	errno = error;
	(misaligned ? any_call_misaligned : any_call)(target, &in, &out);
	compare("errno", name, (uint64_t)errno, (uint64_t)error);
	compare("arrivals", name, *arrivals - before, !skipped);
	compare("stack pointer", name, out.integers[RSP], 0);
	compare_kept("kept register", name, &out, &in);
	/* In the driver it may be a trampoline's. */
	compare("frame pointer", name, out.integers[RBP], in.integers[RBP]);
	for (int i = stack_words(function); i < ANY_NSTACK; i++)
		compare("the caller's own stack", name, out.stack[i], in.stack[i]);
	compare_answer(function, &out, skipped);
	if (skipped)
		return;
	compare_arrived(function, &in);
	if (!strict)
		return;
	compare_all("arrived", name, arrived, &in);
	answer->integers[RBX] = in.integers[RBX];
	answer->integers[RBP] = in.integers[RBP];
	for (int i = R12; i <= R15; i++)
		answer->integers[i] = in.integers[i];
	compare_all("answered", name, &out, answer);
}

/* Of one in four nothing is known, so that everything is compared. */
static const struct function *any_function(void)
{
	const struct function *function = &functions[chance() % FUNCTIONS];

	if (chance() & 3)
		return function;
	for (int i = 0; i < FUNCTIONS; i++)
		if (functions[i].kind == UNKNOWN)
			function = &functions[i];
	return function;
}

/* Of the driver's table; it leads out of the driver where it is hooked. */
static void *slot_of(const struct function *function)
{
	static const unsigned char uuid[16] = { 0xca, 0xfe };
	void *const *table = NULL;
	Dl_info its, of_table;
	void *slot;

	if (cuGetExportTable((const void **)&table, uuid) || !table)
		bail_out("no table");
	slot = table[1 + (function - functions)];
	if (observe_routed() && dladdr(table, &of_table) && dladdr(slot, &its) &&
	    its.dli_fbase == of_table.dli_fbase)
		bail_out("the table is not hooked");
	return slot;
}

static void *target_of(const struct function *function, const char *way)
{
	void *found = NULL;

	if (!strcmp(way, "plt"))
		return function->by_plt;
	if (!strcmp(way, "dlsym"))
		return dlsym(driver, function->name);
	if (!strcmp(way, "table"))
		return slot_of(function);
	if (cuGetProcAddress_v2(function->name, &found, 13000, 0, NULL) || !found)
		bail_out("no %s", function->name);
	return found;
}

/* The words are the call's, the stack is aligned whatever the caller's is. */
static void look(const struct cuaudit_call *call)
{
	if ((uintptr_t)__builtin_frame_address(0) & 15)
		compare("a hook's stack", call->function->name, 1, 0);
	any_trash();
}

/* A call that a hook makes goes to the driver itself. */
static void call_inside(void)
{
	const struct function *function = any_function();
	struct any_state was_arrived = *arrived, was_answer = *answer;
	uint32_t was_which = *which, was_arrivals = *arrivals;
	uint64_t was_misaligned = misaligned;
	struct any_kept kept = any_kept;

	misaligned = chance() & 8;
	call(function, function->by_plt, false, false);
	misaligned = was_misaligned;
	any_kept = kept;
	*arrived = was_arrived;
	*answer = was_answer;
	*which = was_which;
	*arrivals = was_arrivals;
	nested++;
}

static int enter(struct cuaudit_call *call, void *data)
{
	int error = errno;

	(void)data;
	entered++;
	look(call);
	if (!strcmp(hooks, "nested"))
		call_inside();
	errno = error;
	call->result = 2;
	return strcmp(hooks, "skip") ? CUAUDIT_CONTINUE : CUAUDIT_SKIP;
}

static void leave(struct cuaudit_call *call, void *data)
{
	int error = errno;

	(void)data;
	left++;
	look(call);
	if (!strcmp(hooks, "nested"))
		call_inside();
	errno = error;
}

static bool is_one_of(const char *what, const char *names)
{
	const char *found = strstr(names, what);

	return found && (found == names || found[-1] == ' ') &&
	       (found[strlen(what)] == ' ' || !found[strlen(what)]);
}

/* Not those that the core asks itself, and that this program asks for addresses. */
static const char *names(void)
{
	static char list[64 * FUNCTIONS];

	for (int i = 0; i < FUNCTIONS; i++)
		sprintf(list + strlen(list), "%s%s", i ? "," : "", functions[i].name);
	return list;
}

static void start(void)
{
	void *core = dlopen("cuaudit-core.so", RTLD_NOLOAD | RTLD_LAZY);
	bool timed = !strcmp(hooks, "timed");
	struct cuaudit_hook hook = {
		.size = sizeof(hook),
		.name = hooks,
		.functions = names(),
		.flags = timed ? CUAUDIT_HOOK_TIMED : 0,
		.enter = is_one_of(hooks, "enter both skip nested") ? enter : NULL,
		.exit = is_one_of(hooks, "exit both timed nested") ? leave : NULL,
	};
	int (*add)(const struct cuaudit_hook *);

	if (!core && observe_routed() && strcmp(hooks, "excluded"))
		bail_out("the core is not loaded");
	if (!core || (!hook.enter && !hook.exit))
		return;
	add = (int (*)(const struct cuaudit_hook *))dlsym(core, "cuaudit_hook_add");
	straight = (uint64_t (*)(void))dlsym(core, "cuaudit_unhooked_calls");
	is_int(add(&hook), 0, "a hook");
}

/* Calls of a thread that the core does not know yet, and what a child of fork begins with. */
static void compare_unseen(int count)
{
	void *core = dlopen("cuaudit-core.so", RTLD_NOLOAD | RTLD_LAZY);
	int status;
	pid_t child;

	straight = core ? (uint64_t (*)(void))dlsym(core, "cuaudit_unhooked_calls") : NULL;
	if (!straight)
		bail_out("the core is not loaded");
	/* Where there are hooks: the first call of all may not have come by a stub. */
	ok(!straight() == !strstr(getenv("CUAUDIT_HOOKS"), "stat") && straight() <= (uint64_t)count,
	   "calls that no hook saw: %d", (int)straight());
	child = fork();
	if (!child)
		_exit(straight() != 0);
	waitpid(child, &status, 0);
	is_int(status, 0, "none in a child");
}

static void find_driver(void)
{
	uint32_t *level;

	driver = dlopen("libcuda.so.1", RTLD_NOLOAD | RTLD_LAZY);
	if (!driver)
		bail_out("no driver: %s", dlerror());
	arrived = dlsym(driver, "any_arrived");
	answer = dlsym(driver, "any_answer");
	which = dlsym(driver, "any_which");
	arrivals = dlsym(driver, "any_arrivals");
	level = dlsym(driver, "any_driver_level");
	any_level = __builtin_cpu_supports("avx512f") ? ANY_AVX512 :
		    __builtin_cpu_supports("avx") ? ANY_AVX : ANY_SSE;
	*level = any_level;
}

int main(int argc, char **argv)
{
	const char *way = argv[1];
	uint64_t before;
	bool strict, skipped;
	int count;

	if (argc < 6)
		return 2;
	hooks = argv[2];
	count = atoi(argv[4]);
	random_state = strtoull(argv[5], NULL, 0) * 2 + 1;
	find_driver();
	if (strcmp(hooks, "first"))
		cuInit(0);
	else
		count = 1;
	if (strcmp(hooks, "first"))
		start();
	before = straight ? straight() : 0;
	misaligned = strtoull(argv[3], NULL, 0);
	skipped = observe_routed() && is_one_of(hooks, "skip fault") && !misaligned;
	for (int i = 0; i < count; i++) {
		const struct function *function = any_function();
		void *target = target_of(function, way);

		/* The loader has a part in the first. */
		strict = !observe_routed() || is_one_of(hooks, "none excluded");
		call(function, target, false, skipped);
		call(function, target, strict, skipped);
	}
	is_int(differences, 0, "%s, hooks: %s, stack %d: %d calls, seed %s", way, hooks,
	       (int)misaligned, 2 * count, argv[5]);
	if (misaligned && observe_routed() && !strcmp(hooks, "first"))
		compare_unseen(2 * count);
	else if (misaligned && straight)
		is_int((long long)(straight() - before), 2 * count, "calls that no hook saw");
	if (observe_routed() && !misaligned && is_one_of(hooks, "enter both skip nested"))
		ok(entered >= 2 * count, "the enter hook ran");
	if (observe_routed() && !misaligned && is_one_of(hooks, "exit both timed nested"))
		ok(left >= 2 * count, "the exit hook ran");
	if (observe_routed() && !strcmp(hooks, "nested") && !misaligned)
		is_int(nested, 4 * count, "calls inside of hooks");
	return done_testing();
}
