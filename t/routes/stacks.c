/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Driver calls in signal handlers and on small stacks. The argument says which;
 * another one, that no hooks but those of CUAUDIT_HOOKS are there.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "t/fake/driver.h"
#include "t/routes/checks.h"
#include "t/routes/everything.h"

enum { SMALL_STACK = 64 * 1024, SIGNAL_STACK = 16 * 1024, SIGNALS = 5000, PAGE = 4096, DESCRIPTORS = 256 };

/* Microseconds between signals; emulated, a handler takes longer than thirty. */
#ifdef __aarch64__
enum { INTERVAL = 400 };
#else
enum { INTERVAL = 30 };
#endif

double edge_call(void *function, void *top, double x);

static atomic_int handled, wrong;
static bool observed;

static void handler(int number)
{
	int error = errno;
	unsigned long long pointer = 0;

	(void)number;
	wrong += cuStreamQuery(NULL) != 0;
	wrong += cuMemAlloc_v2(&pointer, 3) != 0 || pointer != 3;
	wrong += cuNewReal(8) != 2;
	wrong += everything_kernel() != 0;
	handled++;
	errno = error;
}

static const char *const called[] = {
	"cuStreamQuery", "cuMemAlloc_v2", "cuNewReal", "cuLaunchKernel", "cuCtxGetCurrent",
	"cuInit", "cuNewFloats", "cuOccupancyMaxPotentialBlockSizeWithFlags",
	"cuTexRefSetMipmapLevelClamp",
};

static long long core_count(const char *name)
{
	void *core = dlopen("cuaudit-core.so", RTLD_NOLOAD | RTLD_LAZY);
	uint64_t (*count)(void) = core ? (uint64_t (*)(void))dlsym(core, name) : NULL;

	return count ? (long long)count() : 0;
}

/* What arrived was seen at both ends or bypassed the hooks; hooks: whether observe.h's are there. */
static void reckon(bool hooks)
{
	long long arrived = 0, entered = 0, left = 0;

	for (size_t i = 0; i < sizeof(called) / sizeof(called[0]); i++) {
		arrived += cuaudit_fake_calls(called[i]);
		entered += observe_enters(called[i]);
		left += observe_exits(called[i]);
	}
	diag("%lld calls", arrived);
	diag("%lld straight, %lld thought abandoned", core_count("cuaudit_unhooked_calls"),
	     core_count("cuaudit_unwound_calls"));
	if (!observe_routed() || !hooks)
		return;
	is_int(entered + (long long)observe_unhooked_calls(), arrived,
	       "calls that arrived were seen or bypassed the hooks");
	is_int(left, entered, "every call entered was left");
}

/* Calls the driver until enough signals came, and reckons up. */
static void under_signals(int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART | flags };
	const struct itimerval often = { { 0, INTERVAL }, { 0, INTERVAL } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	int failed = 0;
	void *context;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	while (handled < SIGNALS) {
		failed += cuCtxGetCurrent(&context) != 0;
		failed += cuInit(0) != 0;
		failed += everything_kernel() != 0;
		failed += cuNewFloats(1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2) != 0;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	is_int(failed, 0, "the program's calls");
	is_int(wrong, 0, "the handler's calls");
	reckon(observed);
}

#ifdef __x86_64__
/*
 * A handler's calls between any two instructions of a call. No hook was left and no call is,
 * and each call has what it is passed and answered.
 */
static int steps;
static bool few;	/* calls in all: a trace that fills a chunk blocks signals */

static void step(int number)
{
	steps++;
	if (few)
		wrong += cuStreamQuery(NULL) != 0;
	else
		handler(number);
}

/* The processor traps behind each instruction from here on, or no more. */
static inline __attribute__((always_inline)) void trap(bool on)
{
	unsigned long flags = __builtin_ia32_readeflags_u64() & ~0x100ul;

	__builtin_ia32_writeeflags_u64(flags | (on ? 0x100 : 0));
}

static __attribute__((noinline)) int stepped_call(int number, bool traps)
{
	void *context = &context;
	int result = -1;

	trap(traps);
	switch (number) {
	case 0:
		result = cuInit(0);
		break;
	case 1:
		result = cuCtxGetCurrent(&context) || context;
		break;
	case 2:
		result = everything_kernel();
		break;
	case 3:
		result = cuOccupancyMaxPotentialBlockSizeWithFlags(NULL, NULL, NULL, NULL, 0, 0, 7) != 7;
		break;
	case 4:
		result = cuNewFloats(1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 2);
		break;
	case 5:
		result = cuTexRefSetMipmapLevelClamp((void *)7, 1.5f, -2.25f);
		break;
	default:
		break;
	}
	trap(false);
	return result;
}

enum { STEPPED = 6 };

/* So that hooks that know a function's last call site have to look for this one again. */
static __attribute__((noinline)) void call_elsewhere(void)
{
	void *context;

	cuInit(0);
	cuCtxGetCurrent(&context);
	cuLaunchKernel((void *)1, 2, 3, 4, 5, 6, 7, 8, (void *)9, (void **)10, (void **)11);
}

static void stepped(int flags)
{
	struct sigaction action = { .sa_handler = step, .sa_flags = SA_RESTART | flags };
	int failed = 0;

	/* With signals blocked, as where a first call takes a lock, there are no steps. */
	for (int i = 0; i < 2 * STEPPED; i++) {
		handler(0);
		call_elsewhere();
		failed += stepped_call(i % STEPPED, false) != 0;
	}
	sigaction(SIGTRAP, &action, NULL);
	for (int i = 0; i < (few ? STEPPED : 2 * STEPPED); i++) {
		call_elsewhere();
		failed += stepped_call(i % STEPPED, true) != 0;
	}
	action.sa_handler = SIG_DFL;
	sigaction(SIGTRAP, &action, NULL);
	ok(steps > 300, "%d steps", steps);
	is_int(failed, 0, "the program's calls");
	is_int(wrong, 0, "the handler's calls");
	reckon(observed);
	is_int(core_count("cuaudit_unwound_hooks"), 0, "no hook was left");
	is_int(core_count("cuaudit_unwound_calls"), 0, "nor a call");
}

static void stepped_few(void)
{
	few = true;
	stepped(0);
}
#else
static void stepped(int flags)
{
	(void)flags;
	skip_all("no single steps here");
}

static void stepped_few(void)
{
	stepped(0);
}
#endif

static void on_signal_stack(void (*with)(int flags))
{
	stack_t stack = { .ss_size = SIGNAL_STACK };

	stack.ss_sp = mmap(NULL, SIGNAL_STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaltstack(&stack, NULL);
	with(SA_ONSTACK);
}

static void *small(void *data)
{
	every_call();
	return data;
}

static void on_small_thread(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, SMALL_STACK);
	is_int(pthread_create(&thread, &attributes, small, NULL), 0, "a thread of 64 KB");
	pthread_join(thread, NULL);
}

static long mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];
	long count = 0;

	while (maps && fgets(line, sizeof(line), maps))
		count++;
	if (maps)
		fclose(maps);
	return count;
}

static void *one_call(void *data)
{
	return (void *)(long)(data ? cuInit(0) : 0);
}

/* What threads leave behind serves the next ones. */
static void many_threads(void)
{
	long before = 0;
	pthread_t thread;

	for (int i = 0; i < 3000; i++) {
		if (i == 100)
			before = mappings();
		pthread_create(&thread, NULL, one_call, (void *)1);
		pthread_join(thread, NULL);
	}
	is_int(mappings(), before, "mappings after 100 and after 3000 threads");
	seen("cuInit", 3000, NULL);
}

/* Calls with one word of arguments on the stack, and with five, and up to five words above these. */
static void few_words(char *end)
{
	int calls = 0;

	/* The first call of all goes another way. */
	for (int i = 0; i < 2; i++)
		for (int above = 0; above <= 32; above += 16, calls += 2) {
			edge_call((void *)cuOccupancyMaxPotentialBlockSizeWithFlags, end - 16 - above, 8);
			edge_call((void *)cuLaunchKernel, end - 48 - above, 8);
		}
	is_int(cuaudit_fake_calls("cuOccupancyMaxPotentialBlockSizeWithFlags") +
	       cuaudit_fake_calls("cuLaunchKernel"), calls, "few words at the very top of a stack");
}

/* Nothing can be read above the caller's frame: its words are not all there. */
static void at_the_edge(void)
{
	char *stack = mmap(NULL, 17 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	int good = 0, turns = 0, errors = 0;

	munmap(stack + 16 * PAGE, PAGE);
	few_words(stack + 16 * PAGE);
	for (int above = 0; above <= 512; above += 16, turns++) {
		errno = 1000 + above;
		good += edge_call((void *)cuNewReal, stack + 16 * PAGE - above, 8) == 2;
		errors += errno != 1000 + above;
	}
	is_int(good, turns, "calls at the very top of a stack");
	is_int(errors, 0, "errno is left alone");
	if (observe_routed() && observed)
		is_int(observe_enters("cuNewReal"), turns, "were all seen");
	mprotect(stack + 8 * PAGE, PAGE, PROT_NONE);
	is_int(edge_call((void *)cuNewReal, stack + 8 * PAGE, 8) == 2, 1,
	       "the same below a page that may not be read");
}

/* Where the thread's own stack cannot be looked up: what it says is not the program's. */
static void without_files(void)
{
	const struct rlimit none = { 0, 0 };

	is_int(setrlimit(RLIMIT_NOFILE, &none), 0, "no file can be opened");
	at_the_edge();
}

static __attribute__((noinline)) int at_depth(size_t depth)
{
	volatile char *room = __builtin_alloca(depth + 1);

	room[depth] = 0;
	return cuNewIntegers(0, 0x0101010101010101l, 0x0202020202020202l, 0x0303030303030303l,
			     0x0404040404040404l, 0x0505050505050505l, 0x0606060606060606l,
			     0x0707070707070707l, 0x0808080808080808l, 0x0909090909090909l,
			     0x0a0a0a0a0a0a0a0al, 0x0b0b0b0b0b0b0b0bl, 0x0c0c0c0c0c0c0c0cl,
			     0x0d0d0d0d0d0d0d0dl, 0x0e0e0e0e0e0e0e0el, 0x0f0f0f0f0f0f0f0fl) |
	       everything_kernel();
}

enum { REUSED = 32 * PAGE };

static char *reused;

static void *look_up(void *data)
{
	/* The end of a page: where the stack ends is asked for. */
	for (size_t depth = 0; depth < PAGE; depth += 16)
		*(int *)data |= at_depth(depth);
	return NULL;
}

static void *at_its_edge(void *data)
{
	for (int above = 0; above <= 256; above += 16)
		*(int *)data += edge_call((void *)cuNewReal, reused + REUSED / 2 - above, 8) == 2;
	return NULL;
}

/* What is known of a thread's stack ends with it, though the next one has its structure. */
static void reused_thread(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	int bad = 0, good = 0;

	reused = mmap(NULL, REUSED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_init(&attributes);
	pthread_attr_setstack(&attributes, reused, REUSED);
	pthread_create(&thread, &attributes, look_up, &bad);
	pthread_join(thread, NULL);
	is_int(bad, 0, "calls of a thread on a stack of its own");
	mprotect(reused + REUSED / 2, REUSED / 2, PROT_NONE);
	pthread_create(&thread, NULL, at_its_edge, &good);
	pthread_join(thread, NULL);
	is_int(good, 17, "calls of the next, at the edge of what is left of that stack");
}

/* Makes the kernel say of any page what it says of one that cannot be read. */
static void blind(void)
{
	static struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 22 /* MADV_POPULATE_READ */, 3, 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigaction, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EFAULT),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	is_int(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0, "no new privileges");
	is_int(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0, "blind");
}

/* The kernel is asked once where a thread's own stack ends, not at each call. */
static void *at_every_depth(void *data)
{
	int good = 0, turns = 0;

	for (size_t depth = 0; depth < 2 * PAGE; depth += 16, turns++)
		good += at_depth(depth) == 0;
	is_int(good, turns, "%s: arguments over the end of a page", (const char *)data);
	return NULL;
}

/* More stacks than the kernel is asked for: so often alone. */
static void *on_other_stacks(void *data)
{
	char *stack = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	int good = 0;

	for (int i = 1; i <= 16; i++)
		good += edge_call((void *)cuNewReal, stack + i * PAGE - 16, 8) == 2;
	is_int(good, 16, "calls on other stacks");
	return data;
}

static void own_stack(void)
{
	pthread_t thread;

	blind();
	at_every_depth("main");
	pthread_create(&thread, NULL, on_other_stacks, NULL);
	pthread_join(thread, NULL);
	pthread_create(&thread, NULL, at_every_depth, "a thread");
	pthread_join(thread, NULL);
}

static int descriptors(void)
{
	int count = 0;

	for (int i = 0; i < DESCRIPTORS; i++)
		count += fcntl(i, F_GETFD) >= 0;
	return count;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int before;

	if (!strcmp(how, "first-on-small-thread")) {
		on_small_thread();
		is_int(observe_loaded(), observe_routed(), "the core");
		return done_testing();
	}
	observed = argc < 3;
	if (observed)
		observe_start(RTLD_DEFAULT);
	else
		cuInit(0);
	before = descriptors();
	if (!strcmp(how, "signals"))
		under_signals(0);
	else if (!strcmp(how, "signal-stack"))
		on_signal_stack(under_signals);
	else if (!strcmp(how, "stepped"))
		stepped(0);
	else if (!strcmp(how, "stepped-few"))
		stepped_few();
	else if (!strcmp(how, "stepped-signal-stack"))
		on_signal_stack(stepped);
	else if (!strcmp(how, "small-thread"))
		on_small_thread();
	else if (!strcmp(how, "own-stack"))
		own_stack();
	else if (!strcmp(how, "many-threads"))
		many_threads();
	else if (!strcmp(how, "no-files"))
		without_files();
	else if (!strcmp(how, "reused"))
		reused_thread();
	else
		at_the_edge();
	is_int(descriptors(), before, "descriptors are as before");
	return done_testing();
}
