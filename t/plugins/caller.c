/* SPDX-License-Identifier: Apache-2.0 */
/* What a hook is told of who called: on all sorts of stacks, and where there are no frame pointers. */
#include <cuaudit/hook.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "t/fake/driver.h"
#include "t/tap.h"

enum { MOST = 32, STACK = 256 * 1024 };

static const void *frames[MOST], *unwound[MOST];
static uint32_t nframes, nunwound;
static char thread_name[CUAUDIT_THREAD_NAME];
static char build_id[64], other_id[64], aligned_id[64];
static const void *aligned;	/* in a library whose notes are aligned to 8 bytes */
static int error_kept;
static uint64_t own_base, other_base;
static bool unwinds = true;	/* not where the unwind tables do not hold */

static void hex(char *text, const uint8_t *bytes, uint32_t length)
{
	for (uint32_t i = 0; i < length && i < 24; i++)
		sprintf(text + 2 * i, "%02x", bytes[i]);
}

/*
 * What libgcc's unwinder asks libc by: it finds these first. A handler that leaves by siglongjmp
 * within would leave the unwinder's own list as it is then.
 */
static bool unwinding;
static int nasked, nopen;	/* and with signals that could come */

static void asked(void)
{
	sigset_t mask;

	if (!unwinding)
		return;
	nasked++;
	nopen += sigprocmask(SIG_BLOCK, NULL, &mask) || !sigismember(&mask, SIGUSR1) ||
		 !sigismember(&mask, SIGALRM);
}

int find_object(void *address, void *result) __asm__("_dl_find_object");
int find_object(void *address, void *result)
{
	int (*real)(void *, void *) = (int (*)(void *, void *))dlsym(RTLD_NEXT, "_dl_find_object");

	asked();
	return real(address, result);
}

int each_object(void *function, void *data) __asm__("dl_iterate_phdr");
int each_object(void *function, void *data)
{
	int (*real)(void *, void *) = (int (*)(void *, void *))dlsym(RTLD_NEXT, "dl_iterate_phdr");

	asked();
	return real(function, data);
}

static int look(struct cuaudit_call *call, void *data)
{
	uint8_t id[32];
	uint32_t length;

	(void)data;
	errno = 4711;
	nframes = cuaudit_call_backtrace(call, frames, MOST, CUAUDIT_BACKTRACE_FRAMES);
	unwinding = unwinds;
	if (unwinds)
		nunwound = cuaudit_call_backtrace(call, unwound, MOST, CUAUDIT_BACKTRACE_UNWIND);
	unwinding = false;
	cuaudit_thread_name(thread_name);
	length = cuaudit_library_build_id(cuaudit_call_library(call), id, sizeof(id));
	error_kept = errno == 4711;
	hex(build_id, id, length);
	length = cuaudit_library_build_id(cuaudit_library_at(data), id, 4);
	hex(other_id, id, length ? 4 : 0);
	length = cuaudit_library_build_id(cuaudit_library_at(aligned), id, sizeof(id));
	hex(aligned_id, id, length);
	own_base = cuaudit_library_base(cuaudit_call_library(call));
	other_base = cuaudit_library_base(cuaudit_library_at(data));
	return CUAUDIT_CONTINUE;
}

__attribute__((noinline)) int inner(void);
__attribute__((noinline)) int middle(void);
__attribute__((noinline)) int outer(void);
__attribute__((noinline)) int again(volatile int levels);

__attribute__((noinline)) int inner(void)
{
	return cuInit(0) + 1;
}

__attribute__((noinline)) int middle(void)
{
	return inner() + 1;
}

__attribute__((noinline)) int outer(void)
{
	return middle() + 1;
}

/* The same return address, once for each level. */
__attribute__((noinline)) int again(volatile int levels)
{
	return (levels ? again(levels - 1) : middle()) + 1;
}

static bool is_ours(const char *name)
{
	static const char *const ours[] = { "inner", "middle", "outer", "again", "main" };

	for (size_t i = 0; name && i < sizeof(ours) / sizeof(ours[0]); i++)
		if (!strcmp(name, ours[i]))
			return true;
	return false;
}

/* The functions of this program among them, from the inside out. */
static const char *names(const void *const *from, uint32_t count)
{
	static char text[1024];

	text[0] = '\0';
	for (uint32_t i = 0; i < count; i++) {
		Dl_info info;

		if (dladdr((const char *)from[i] - 1, &info) && is_ours(info.dli_sname))
			strcat(strcat(text, info.dli_sname), " ");
	}
	return text;
}

static void check(const char *want, const char *where)
{
	is_str(names(frames, nframes), want, "by frame pointers: %s", where);
	is_str(names(unwound, nunwound), want, "by the unwinder: %s", where);
	nframes = nunwound = 0;
}

static void *in_thread(void *data)
{
	pthread_setname_np(pthread_self(), "a-worker-of-mine");
	pthread_setname_np(pthread_self(), "a worker");
	outer();
	return data;
}

static ucontext_t here, there;

static void call_with(uintptr_t frame);

/* Above this stack lies what cannot be read. */
static void in_context(void)
{
	uintptr_t end = (uintptr_t)there.uc_stack.ss_sp + STACK;

	unwinds = false;
	call_with(end - sizeof(uintptr_t));
	is_int(nframes, 1, "a frame pointer to the end of what can be read");
	call_with(end + sizeof(uintptr_t));
	is_int(nframes, 1, "one past it");
	unwinds = true;
	outer();
}

static void in_handler(int number)
{
	(void)number;
	outer();
}

/* A call with anything in the frame pointer. */
#ifdef __x86_64__
static void call_with(uintptr_t frame)
{
	__asm__ volatile("pushq %%rbp\n\t"
			 "movq %0, %%rbp\n\t"
			 "movq %%rsp, %%rbx\n\t"
			 "andq $-16, %%rsp\n\t"
			 "xorl %%edi, %%edi\n\t"
			 "call *%1\n\t"
			 "movq %%rbx, %%rsp\n\t"
			 "popq %%rbp"
			 : : "r"(frame), "r"(cuInit)
			 : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11",
			   "memory", "cc");
}
#else
static void call_with(uintptr_t frame)
{
	(void)frame;
	cuInit(0);
}
#endif

static void without_frames(void)
{
	uintptr_t on_stack[64], top;

	memset(on_stack, 0x41, sizeof(on_stack));
	top = (uintptr_t)&on_stack[10];
	call_with(0);
	is_int(nframes, 1, "no frame pointer at all");
	call_with(1);
	is_int(nframes, 1, "one that is none");
	call_with(UINTPTR_MAX - 7);
	is_int(nframes, 1, "one to the end of everything");
	on_stack[10] = top;
	on_stack[11] = 0x1234;
	call_with(top);
	ok(nframes <= 2, "one that leads to itself");
	on_stack[10] = top + 64 * 1024 * 1024;
	call_with(top);
	ok(nframes <= 2, "one that leads far away");
	on_stack[10] = top + 3;
	call_with(top);
	ok(nframes <= 2, "one that leads to no record");
}

/* As the loader has it. */
static uint64_t base_of(void *address)
{
	struct link_map *map;
	Dl_info info;

	return dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) ? map->l_addr : 1;
}

#ifdef __x86_64__
/*
 * A handler leaves the hook, by siglongjmp, behind any instruction of the look-up of the caller's
 * library: no call has another one's library afterwards. The two callers are looked for in the
 * same place of what a thread remembers: theirs are the same lower bits.
 */
enum { STEPS = 200, REGION = 1 << 20, SAME_BITS = 4096, TRAP_FLAG = 0x100 };

static sigjmp_buf before_call;
static volatile int steps_left;
static volatile bool stepped;
static const struct cuaudit_library *found;
static uintptr_t caller;

static void step(int number)
{
	(void)number;
	stepped = true;
	if (!--steps_left)
		siglongjmp(before_call, 1);
}

static int looks_up(struct cuaudit_call *call, void *data)
{
	uint64_t flags;

	(void)data;
	caller = (uintptr_t)call->caller;
	if (steps_left) {
		flags = __builtin_ia32_readeflags_u64();
		__builtin_ia32_writeeflags_u64(flags | TRAP_FLAG);
		cuaudit_call_library(call);
		__builtin_ia32_writeeflags_u64(flags);
		steps_left = 0;
	}
	found = cuaudit_call_library(call);
	return CUAUDIT_CONTINUE;
}

/* The program's one call of the function, on a stack that reaches further down. */
__attribute__((noinline)) static void call_from_here(void)
{
	volatile char below[2000];

	below[0] = 0;
	cuDriverGetVersion(&(int){ below[0] });
}

static uintptr_t place_of(uintptr_t address)
{
	return (address >> 2 ^ address >> 9) % SAME_BITS;
}

/* Code of no library, which calls what it is given and returns to a place like at's. */
static void (*code_like(uintptr_t at))(void *function, void *argument)
{
	/* sub $8, %rsp; mov %rdi, %rax; mov %rsi, %rdi; call *%rax; add $8, %rsp; ret */
	static const uint8_t code[] = {
		0x48, 0x83, 0xec, 8, 0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0xff, 0xd0,
		0x48, 0x83, 0xc4, 8, 0xc3,
	};
	enum { RETURN = 12 };
	char *region = mmap(NULL, REGION, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *place = region;

	while (place_of((uintptr_t)place + RETURN) != place_of(at))
		if (++place == region + REGION - sizeof(code))
			bail_out("no such place");
	memcpy(place, code, sizeof(code));
	mprotect(region, REGION, PROT_READ | PROT_EXEC);
	return (void (*)(void *, void *))place;
}

static void left_within(void)
{
	static const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "looks-up", .functions = "cuDriverGetVersion",
		.enter = looks_up,
	};
	struct sigaction action = { .sa_handler = step }, trap;
	const struct cuaudit_library *program;
	void (*elsewhere)(void *function, void *argument);
	volatile int wrong = 0, left = 0;
	int version;

	sigaction(SIGTRAP, &action, &trap);
	is_int(cuaudit_hook_add(&hook), 0, "a hook that looks for the caller's library");
	call_from_here();
	program = found;
	elsewhere = code_like(caller);
	elsewhere((void *)(uintptr_t)cuDriverGetVersion, &version);
	ok(program->index && !found->index, "a library and none");
	for (volatile int steps = 1; steps < STEPS; steps++) {
		if (!sigsetjmp(before_call, 1)) {
			steps_left = steps;
			call_from_here();
		} else {
			left++;
		}
		found = NULL;
		elsewhere((void *)(uintptr_t)cuDriverGetVersion, &version);
		wrong += !found || found->index;
		found = NULL;
		call_from_here();
		wrong += found != program;
		elsewhere((void *)(uintptr_t)cuDriverGetVersion, &version);
	}
	sigaction(SIGTRAP, &trap, NULL);
	diag("left %d times", left);
	is_int(wrong, 0, "calls behind one whose hook was left have their own library");
	ok(left > 10 || !stepped, "it was left");
}
#else
static void left_within(void)
{
}
#endif

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "caller", .functions = "cuInit", .enter = look,
		.data = (void *)(uintptr_t)printf,
	};
	stack_t stack = { .ss_size = STACK };
	struct sigaction action = { .sa_handler = in_handler, .sa_flags = SA_ONSTACK };
	pthread_t thread;

	aligned = library ? dlsym(library, "aligned") : NULL;
	is_int(cuaudit_hook_add(&hook), 0, "a hook");
	outer();
	is_int(nunwound, 0, "no unwinder that was not asked for");
	is_int(cuaudit_backtrace_prepare(), 0, "an unwinder");
	outer();
	check("inner middle outer main ", "the main thread");
	ok(nasked > 0, "libc is asked");
	is_int(nopen, 0, "no handler can come between");
	again(3);
	check("inner middle again again again again main ", "a function that calls itself");
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	check("inner middle outer ", "a thread");
	is_str(thread_name, "a worker", "its name");
	getcontext(&there);
	there.uc_stack.ss_sp = mmap(NULL, 2 * STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mprotect(there.uc_stack.ss_sp, STACK, PROT_READ | PROT_WRITE);
	there.uc_stack.ss_size = STACK;
	there.uc_link = &here;
	makecontext(&there, in_context, 0);
	swapcontext(&here, &there);
	check("inner middle outer ", "a context of its own");
	stack.ss_sp = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	ok(!strncmp(names(frames, nframes), "inner middle outer ", 19),
	   "by frame pointers: a signal handler");
	is_str(names(unwound, nunwound), "inner middle outer main ",
	       "by the unwinder: a signal handler, and what it interrupted");
	unwinds = false;
	without_frames();
	ok(error_kept, "errno is left alone");
	left_within();
	is_int((long long)own_base, (long long)base_of((void *)(uintptr_t)main), "where the program is loaded");
	is_int((long long)other_base, (long long)base_of((void *)(uintptr_t)printf), "where another library is");
	diag("build-id %s", build_id);
	diag("libc %s", other_id);
	diag("aligned %s", aligned_id);
	return done_testing();
}
