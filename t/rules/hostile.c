/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls cuCtxSynchronize where a program is least expected to: HOW [NUMBER [NUMBER]]. What it prints at
 * its end is what the program saw of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/api.h"
#include "t/nvtx/copy.h"

static char **arguments;
static long first, second;
static volatile sig_atomic_t made, jumped;
static sigjmp_buf back;

static void start(void)
{
	CUcontext context;

	if (cuInit(0) || cuCtxCreate_v2(&context, 0, 0))
		_exit(70);
}

static void breaks(void)
{
	cuCtxSynchronize();
}

static void say(const char *text)
{
	if (write(1, text, strlen(text)) < 0)
		_exit(71);
}

static void await(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child || status)
		_exit(72);
}

static void on_signal(int number)
{
	(void)number;
	breaks();
	made++;
}

static void on_jump(int number)
{
	(void)number;
	jumped++;
	siglongjmp(back, 1);
}

static void take(int number, void (*handler)(int))
{
	sigaction(number, &(struct sigaction){ .sa_handler = handler }, NULL);
}

static void ticks(long microseconds)
{
	setitimer(ITIMER_REAL, &(struct itimerval){ { 0, microseconds }, { 0, microseconds } }, NULL);
}

static void handler(void)
{
	start();
	take(SIGUSR1, on_signal);
	while (made < first)
		raise(SIGUSR1);
}

/* Of a timer, which comes within hooks too. Prints how many calls there were. */
static void storm(void)
{
	int version;

	start();
	take(SIGALRM, on_signal);
	ticks(200);
	while (made < first)
		cuDriverGetVersion(&version);
	ticks(0);
	printf("%d\n", (int)made);
}

/* Out of whatever runs, hooks and the driver too; the last call is a whole one. */
static void jumps(void)
{
	start();
	take(SIGALRM, on_jump);
	ticks(200);
	sigsetjmp(back, 1);
	while (jumped < first)
		breaks();
	ticks(0);
	take(SIGALRM, SIG_IGN);
	breaks();
	say("done\n");
}

/* Out of the driver, which reads what is not there; then so many calls, and the end, _exit if there is a second number. */
static void left(void)
{
	CUdeviceptr memory;

	start();
	if (cuMemAlloc_v2(&memory, 4096) || cuMemcpyHtoD_v2(memory, arguments, 8))
		_exit(73);
	take(SIGSEGV, on_jump);
	if (!sigsetjmp(back, 1))
		cuMemcpyHtoD_v2(memory, (void *)8, 4096);
	for (long i = 0; i < first; i++)
		cuMemcpyHtoD_v2(memory, arguments, 8);
	if (jumped)
		say("left\n");
	if (second)
		_exit(0);
}

/* The same on a thread that calls nothing more, while the process goes on. */
static void *leaves(void *context)
{
	CUdeviceptr memory;

	if (cuCtxSetCurrent(context) || cuMemAlloc_v2(&memory, 4096))
		_exit(73);
	if (!sigsetjmp(back, 1))
		cuMemcpyHtoD_v2(memory, (void *)8, 4096);
	return context;
}

static void left_thread(void)
{
	CUcontext context;
	pthread_t thread;

	start();
	take(SIGSEGV, on_jump);
	if (cuCtxGetCurrent(&context) || pthread_create(&thread, NULL, leaves, context) || pthread_join(thread, NULL))
		_exit(73);
	if (jumped)
		say("left\n");
	if (first)
		_exit(0);
}

static void *on_thread(void *unused)
{
	for (long i = 0; i < second; i++)
		breaks();
	return unused;
}

static void on_threads(size_t stack)
{
	pthread_t threads[256];
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	if (stack && pthread_attr_setstacksize(&attributes, stack))
		_exit(74);
	for (long i = 0; i < first; i++)
		if (pthread_create(&threads[i], &attributes, on_thread, NULL))
			_exit(74);
	for (long i = 0; i < first; i++)
		pthread_join(threads[i], NULL);
}

static void threads(void)
{
	start();
	on_threads(0);
	cuStreamSynchronize(NULL);
}

static void small(void)
{
	start();
	on_threads(64 * 1024);
	say("done\n");
}

static void forks(void)
{
	pid_t child;

	start();
	for (long i = 0; i < first; i++) {
		child = fork();
		if (!child) {
			breaks();
			_exit(0);
		}
		await(child);
	}
}

/* The child calls what the parent has called, and no rule looked at then, by itself. */
static void forks_alike(void)
{
	int version;
	pid_t child;

	start();
	for (long i = 0; i < first; i++)
		cuDriverGetVersion(&version);
	child = fork();
	if (!child) {
		cuDriverGetVersion(&version);
		_exit(0);
	}
	await(child);
}

/* Before the parent starts the driver, whose core is there. */
static void forks_early(void)
{
	int version;
	pid_t child;

	cuDriverGetVersion(&version);
	child = fork();
	if (!child) {
		start();
		_exit(0);
	}
	await(child);
	start();
}

/* What the parent has called, and no rule looked at then, by itself. */
static int calls_alike(void *nothing)
{
	int version;

	(void)nothing;
	cuDriverGetVersion(&version);
	return 0;
}

static pid_t by_clone(void)
{
	return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

/* Children that nobody is told of, by clone, clone3, or with the memory of their parent. */
static void clones(void)
{
	static char stack[256 * 1024] __attribute__((aligned(16)));
	uint64_t by_clone3[8] = { [4] = SIGCHLD };
	bool quiet = second == 1;
	pid_t child;

	start();
	for (int i = 0; i < 100; i++)
		calls_alike(NULL);
	if (first == 2)
		child = clone(calls_alike, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
	else
		child = first == 1 ? (pid_t)syscall(SYS_clone3, by_clone3, sizeof(by_clone3)) : by_clone();
	if (!child) {
		if (!quiet && second == 2)
			breaks();
		else if (!quiet)
			calls_alike(NULL);
		_exit(0);
	}
	await(child);
	breaks();
	say("done\n");
}

/* What the parent has allocated is not the child's. */
static void forks_holding(void)
{
	CUdeviceptr memory;
	CUcontext context;
	int version;
	pid_t child;

	if (cuInit(0) || cuCtxCreate_v2(&context, 0, 0) || cuMemAlloc_v2(&memory, 4096))
		_exit(70);
	child = fork();
	if (!child) {
		cuDriverGetVersion(&version);
		exit(0);
	}
	await(child);
	cuMemFree_v2(memory);
	cuCtxDestroy_v2(context);
}

/* While other threads break rules, so that the child may find any lock taken. */
static void midway(pid_t (*split)(void))
{
	pthread_t other;
	pid_t child;

	start();
	second = 20000;
	if (pthread_create(&other, NULL, on_thread, NULL))
		_exit(74);
	for (long i = 0; i < first; i++) {
		child = split();
		if (!child) {
			breaks();
			_exit(0);
		}
		await(child);
	}
	pthread_join(other, NULL);
	say("done\n");
}

static void forks_midway(void)
{
	midway(fork);
}

static void clones_midway(void)
{
	midway(by_clone);
}

static void executes(const char *how)
{
	execl("/proc/self/exe", arguments[0], how, NULL);
	_exit(75);
}

static void vforks(void)
{
	pid_t child;

	start();
	child = vfork();
	if (!child)
		executes("once");
	await(child);
	child = vfork();
	if (!child)
		_exit(0);
	await(child);
	say("done\n");
}

/* That a primary context is left is no leak; that so many allocations are left in it are leaks. */
static void retains(void)
{
	CUdeviceptr memory;
	CUcontext context;

	cuInit(0);
	cuDevicePrimaryCtxRetain(&context, 0);
	cuCtxSetCurrent(context);
	for (long i = 0; i < first; i++)
		cuMemAlloc_v2(&memory, 4096);
}

/* Looks at an error by asking for its name. */
static void asks(void)
{
	CUdeviceptr memory;
	const char *name;
	CUresult result;

	start();
	result = cuMemAlloc_v2(&memory, 0);
	cuGetErrorName(result, &name);
	say(name);
}

static void once(void)
{
	start();
	breaks();
}

static void again(void)
{
	once();
	executes("once");
}

static void killed(void)
{
	once();
	raise(SIGKILL);
}

static void quits(void)
{
	once();
	_exit(3);
}

/* As many call stacks: of two call sites at each of ten levels. */
static void deeper(long bits, int level)
{
	if (!level)
		breaks();
	else if (bits & 1)
		deeper(bits >> 1, level - 1);
	else
		deeper(bits >> 1, level - 1);
	__asm__ volatile("");
}

/* Of so many calls; a second number: of how many stacks. */
static void stacks(void)
{
	start();
	for (long i = 0; i < first; i++)
		deeper(second ? i % second : i, 10);
}

static void limited(void)
{
	struct rlimit limit = { 4096, 4096 };

	setrlimit(RLIMIT_FSIZE, &limit);
}

/* No file can be opened, that of the core neither. */
static void descriptors(void)
{
	struct rlimit limit = { 3, 3 };

	setrlimit(RLIMIT_NOFILE, &limit);
	start();
	breaks();
}

static void full_child(void)
{
	pid_t child;

	once();
	child = fork();
	if (!child) {
		limited();
		breaks();
		say("done\n");
		_exit(0);
	}
	await(child);
}

static void nested(void)
{
	start();
	for (long i = 0; i < first; i++)
		copy_push(second ? "other" : "step");
	copy_push("step");
	breaks();
	copy_pop();
	for (long i = 0; i < first; i++)
		copy_pop();
}

/* Ranges that are never popped. */
static void unpopped(void)
{
	start();
	for (long i = 0; i < first; i++)
		copy_push("step");
	breaks();
}

static void *called_beside(void *unused)
{
	breaks();
	return unused;
}

static void beside(void)
{
	pthread_t other;

	start();
	copy_push("step");
	if (pthread_create(&other, NULL, called_beside, NULL))
		_exit(74);
	pthread_join(other, NULL);
	copy_pop();
}

static void begun_before(void)
{
	int version;

	start();
	copy_push("step");
	breaks();
	cuDriverGetVersion(&version);
	breaks();
	copy_pop();
	breaks();
}

static void started(void)
{
	uint64_t id;

	start();
	id = nvtx.RangeStartA ? nvtx.RangeStartA("step") : 0;
	breaks();
	if (nvtx.RangeEnd)
		nvtx.RangeEnd(id);
}

static void unloads(void)
{
	for (long i = 0; i < first; i++) {
		void *library = dlopen("./libbreaks.so", RTLD_NOW);
		int (*function)(void) = library ? (int (*)(void))dlsym(library, "library_breaks") : NULL;

		if (!function)
			_exit(77);
		if (!i)
			start();
		function();
		dlclose(library);
	}
}

static void refuse_gettid(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_gettid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void *breaks_there(void *unused)
{
	breaks();
	return unused;
}

/* A thread whose number was asked for once; in a child all threads would be asked anew, and have one number. */
static void numbered(void)
{
	pthread_t thread;
	pid_t child;

	start();
	breaks();
	refuse_gettid();
	for (int i = 0; i < 100; i++)
		breaks();
	child = fork();
	if (!child) {
		breaks();
		_exit(pthread_create(&thread, NULL, breaks_there, NULL) || pthread_join(thread, NULL));
	}
	await(child);
	say("done\n");
}

static void *versions(void *unused)
{
	int version;

	for (long i = 0; i < second; i++)
		cuDriverGetVersion(&version);
	return unused;
}

/* On many threads as many calls as may reach a mark, then one after it. */
static void races(void)
{
	pthread_t others[64];

	start();
	for (long i = 0; i < first; i++)
		if (pthread_create(&others[i], NULL, versions, NULL))
			_exit(74);
	for (long i = 0; i < first; i++)
		pthread_join(others[i], NULL);
	breaks();
}

static void kernel(void)
{
	char *name = malloc((size_t)first + 1), *image = malloc((size_t)first + 200);
	CUfunction function;
	CUmodule module;

	start();
	memset(name, 'k', (size_t)first);
	name[first] = '\0';
	sprintf(image, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry %s()\n{\n ret;\n}\n", name);
	if (cuModuleLoadData(&module, image) || cuModuleGetFunction(&function, module, name) ||
	    cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL))
		_exit(78);
	say("done\n");
}

/* As many kernels, each launched twice. */
static void many_kernels(void)
{
	char *image = malloc((size_t)first * 64 + 200), *at = image, name[32];
	CUfunction function;
	CUmodule module;

	start();
	at += sprintf(at, ".version 8.0\n.target sm_80\n.address_size 64\n");
	for (long i = 0; i < first; i++)
		at += sprintf(at, ".visible .entry kernel%ld()\n{\n ret;\n}\n", i);
	if (cuModuleLoadData(&module, image))
		_exit(78);
	for (long i = 0; i < 2 * first; i++) {
		sprintf(name, "kernel%ld", i % first);
		if (cuModuleGetFunction(&function, module, name) ||
		    cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL))
			_exit(78);
	}
	say("done\n");
}

static void keeps_errno(void)
{
	errno = 77;
	cuInit(0);
	breaks();
	if (errno == 77)
		say("kept\n");
}

static void closed(void)
{
	int out = dup(1);

	for (int i = 0; i < 1024; i++)
		if (i != out)
			close(i);
	once();
	for (int i = 0; i < 1024; i++)
		close(i);
	breaks();
}

static void elsewhere(void)
{
	if (chdir("/"))
		_exit(79);
	once();
}

static void blocked(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	once();
	sigprocmask(SIG_SETMASK, NULL, &all);
	if (sigismember(&all, SIGUSR1) && sigismember(&all, SIGSEGV))
		say("blocked\n");
}

static const struct {
	const char *name;
	void (*go)(void);
} ways[] = {
	{ "again", again },
	{ "asks", asks },
	{ "begun-before", begun_before },
	{ "beside", beside },
	{ "blocked", blocked },
	{ "clones", clones },
	{ "clones-midway", clones_midway },
	{ "closed", closed },
	{ "descriptors", descriptors },
	{ "elsewhere", elsewhere },
	{ "errno", keeps_errno },
	{ "forks", forks },
	{ "forks-alike", forks_alike },
	{ "forks-early", forks_early },
	{ "forks-holding", forks_holding },
	{ "forks-midway", forks_midway },
	{ "full-child", full_child },
	{ "handler", handler },
	{ "jumps", jumps },
	{ "kernel", kernel },
	{ "kernels", many_kernels },
	{ "killed", killed },
	{ "left", left },
	{ "left-thread", left_thread },
	{ "nested", nested },
	{ "numbered", numbered },
	{ "once", once },
	{ "quits", quits },
	{ "races", races },
	{ "retains", retains },
	{ "small", small },
	{ "stacks", stacks },
	{ "started", started },
	{ "storm", storm },
	{ "threads", threads },
	{ "unloads", unloads },
	{ "unpopped", unpopped },
	{ "vforks", vforks },
};

int main(int argc, char **argv)
{
	arguments = argv;
	first = argc > 2 ? atol(argv[2]) : 0;
	second = argc > 3 ? atol(argv[3]) : 0;
	copy_initialize();
	for (size_t i = 0; argc > 1 && i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(argv[1], ways[i].name)) {
			ways[i].go();
			return 0;
		}
	return 69;
}
