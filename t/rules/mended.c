/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Does what its words say, in their order:
 *   calls N  calls of cuDriverGetVersion, deep N  one with so many frames, count  one of cuDeviceGetCount, free  a free that fails,
 *   copies  from pageable memory, grows  memory is allocated that is left, and some that is not, beside  the same on a thread,
 *   launch NAME  a kernel of that name in the legacy stream, which fails in a child,
 *   push DOMAIN TEXT, pop DOMAIN  NVTX ranges, "-" is the default domain, "=" one whose texts are registered, point TEXT  an NVTX mark,
 *   child  a process that does the rest is waited for, orphan  one that is left to its work, thread  a thread, waited for,
 *   poor  no file can be opened any more, end N  _exit with that status, killed  by SIGKILL,
 *   alarms  calls, while the handler of a signal calls too, torn  the same where it leaves by siglongjmp
 *   in children, small  a call on a coroutine's stack of 4 KiB, cancelled  threads that are cancelled at once where a rule is broken
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "sim/api.h"
#include "t/nvtx/copy.h"

enum { DOMAINS = 4, ALARMS = 3000, CHILDREN = 60, CANCELLED = 300 };

static CUcontext context;
static CUdeviceptr memory;
static sigjmp_buf from;
static _Atomic int alarms;
static bool leaves;

static void calls(long n)
{
	int version;

	while (n-- > 0)
		cuDriverGetVersion(&version);
}

static void deep(long n)
{
	if (n > 0)
		deep(n - 1);
	else
		calls(1);
	__asm__ volatile("");	/* so that it is a call, not a jump */
}

static void passes(void)
{
	CUdeviceptr passing;

	cuMemAlloc_v2(&passing, 1 << 20);
	cuMemFree_v2(passing);
}

static void grows(void)
{
	CUdeviceptr left;

	passes();
	cuMemAlloc_v2(&left, 4096);
	passes();
}

static void *grows_there(void *unused)
{
	cuCtxSetCurrent(context);
	grows();
	return unused;
}

static void beside(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, grows_there, NULL) || pthread_join(thread, NULL))
		_exit(68);
}

static void count(void)
{
	int devices;

	cuDeviceGetCount(&devices);
}

/* The failing call and the next one are of one call of one function. */
static void goes_on(void)
{
	int devices;

	cuMemFree_v2(3);
	cuDeviceGetCount(&devices);
}

static void launch(const char *name)
{
	static const char *last;
	static CUfunction function;
	char text[4096];
	CUmodule module;

	snprintf(text, sizeof(text), ".version 8.0\n.target sm_80\n.address_size 64\n"
		 ".visible .entry %s()\n{\n ret;\n}\n", name);
	if ((!last || strcmp(last, name) != 0) &&
	    (cuModuleLoadData(&module, text) || cuModuleGetFunction(&function, module, name)))
		_exit(73);
	last = name;
	cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL);
}

static void copies(void)
{
	void *bytes = calloc(1, 64);

	if (cuMemAlloc_v2(&memory, 4096) || cuMemcpyHtoD_v2(memory, bytes, 64))
		_exit(72);
	free(bytes);
}

static void *domain_of(const char *name)
{
	static struct {
		const char *name;
		void *domain;
	} domains[DOMAINS];
	int i = 0;

	while (domains[i].name && strcmp(domains[i].name, name) != 0)
		i++;
	if (!domains[i].name) {
		domains[i].name = name;
		domains[i].domain = nvtx.DomainCreateA ? nvtx.DomainCreateA(name) : NULL;
	}
	return domains[i].domain;
}

static void push(const char *domain, const char *text)
{
	struct nvtx_attributes attributes = copy_text(text);

	if (!strcmp(domain, "=") && nvtx.DomainRegisterStringA) {
		attributes.text_type = 3;
		attributes.text = nvtx.DomainRegisterStringA(domain_of(domain), text);
	}
	if (!strcmp(domain, "-"))
		copy_push(text);
	else if (nvtx.DomainRangePushEx)
		nvtx.DomainRangePushEx(domain_of(domain), &attributes);
}

static void pop(const char *domain)
{
	if (!strcmp(domain, "-"))
		copy_pop();
	else if (nvtx.DomainRangePop)
		nvtx.DomainRangePop(domain_of(domain));
}

static void child(bool wanted)
{
	pid_t pid = fork();
	int status = 0;

	if (!pid)
		return;
	if (wanted)
		_exit(waitpid(pid, &status, 0) < 0 || status ? 75 : 0);
	waitpid(pid, &status, 0);
}

static void poor(void)
{
	const struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_NOFILE, &none);
}

static void killed(void)
{
	raise(SIGKILL);
}

static void on_alarm(int number)
{
	(void)number;
	alarms++;
	if (leaves)
		siglongjmp(from, 1);
	count();
}

static void alarm_after(int microseconds, bool again)
{
	const struct itimerval interval = { { 0, again ? microseconds : 0 }, { 0, microseconds } };
	struct sigaction action = { .sa_handler = on_alarm };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &interval, NULL);
}

static void interrupted(void)
{
	alarm_after(100, true);
	while (alarms < ALARMS)
		calls(1);
	alarm_after(0, false);
}

static void *one_more(void *unused)
{
	calls(1);
	return unused;
}

/* A child of fork has no file before its first call, which the alarm interrupts at any instruction. */
static void torn_child(int after)
{
	pthread_t thread;

	leaves = true;
	if (!sigsetjmp(from, 1)) {
		alarm_after(after, false);
		calls(1);
	}
	alarm_after(0, false);
	if (pthread_create(&thread, NULL, one_more, NULL) || pthread_join(thread, NULL))
		_exit(74);
	_exit(0);
}

static void torn(void)
{
	for (int i = 0; i < CHILDREN; i++) {
		pid_t pid = fork();
		int status;

		if (!pid)
			torn_child(1 + 5 * i);
		if (waitpid(pid, &status, 0) != pid || status)
			_exit(71);
	}
}

static ucontext_t outside, inside;

static void call_inside(void)
{
	calls(1);
	swapcontext(&inside, &outside);
}

/* What is below is no memory. */
static void small(void)
{
	enum { SIZE = 4096 };
	char *pages = mmap(NULL, 2 * SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages + SIZE, SIZE, PROT_READ | PROT_WRITE) || getcontext(&inside))
		_exit(69);
	inside.uc_stack.ss_sp = pages + SIZE;
	inside.uc_stack.ss_size = SIZE;
	makecontext(&inside, call_inside, 0);
	swapcontext(&outside, &inside);
}

static void *calls_for_ever(void *ready)
{
	int unused;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &unused);
	atomic_store((atomic_bool *)ready, true);
	for (;;)
		calls(1);
	return NULL;
}

static void cancelled(void)
{
	for (int i = 0; i < CANCELLED; i++) {
		atomic_bool ready = false;
		pthread_t thread;

		if (pthread_create(&thread, NULL, calls_for_ever, &ready))
			_exit(70);
		while (!atomic_load(&ready))
			;
		usleep((useconds_t)i);
		pthread_cancel(thread);
		pthread_join(thread, NULL);
		calls(1);
	}
}

/* How many words it took beside its own. */
static int with_value(const char *word, char **values)
{
	if (!strcmp(word, "calls"))
		return calls(atol(values[0])), 1;
	if (!strcmp(word, "deep"))
		return deep(atol(values[0])), 1;
	if (!strcmp(word, "launch"))
		return launch(values[0]), 1;
	if (!strcmp(word, "push"))
		return push(values[0], values[1]), 2;
	if (!strcmp(word, "pop"))
		return pop(values[0]), 1;
	if (!strcmp(word, "point"))
		return nvtx.MarkA ? nvtx.MarkA(values[0]), 1 : 1;
	if (!strcmp(word, "end"))
		_exit(atoi(values[0]));
	return 0;
}

static const struct {
	const char *word;
	void (*act)(void);
} lone[] = {
	{ "alarms", interrupted }, { "beside", beside }, { "cancelled", cancelled }, { "copies", copies },
	{ "count", count }, { "free", goes_on }, { "grows", grows }, { "killed", killed }, { "poor", poor },
	{ "small", small }, { "torn", torn },
};

static void act(char **words);

static void *act_there(void *words)
{
	pthread_setname_np(pthread_self(), "beside");
	cuCtxSetCurrent(context);
	act(words);
	return NULL;
}

static void act_on_thread(char **words)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, act_there, words) || pthread_join(thread, NULL))
		_exit(68);
}

static void act(char **words)
{
	for (; *words; words++) {
		const char *word = *words;

		if (!strcmp(word, "thread"))
			return act_on_thread(words + 1);
		for (size_t k = 0; k < sizeof(lone) / sizeof(lone[0]); k++)
			if (!strcmp(word, lone[k].word))
				lone[k].act();
		if (!strcmp(word, "child") || !strcmp(word, "orphan"))
			child(*word == 'c');
		words += with_value(word, words + 1);
	}
}

int main(int argc, char **argv)
{
	copy_initialize();
	if (cuInit(0) || cuCtxCreate_v2(&context, 0, 0))
		return 76;
	act(argv + (argc > 0));
	return 0;
}
