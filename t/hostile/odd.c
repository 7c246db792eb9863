/* SPDX-License-Identifier: Apache-2.0 */
/* A program that changes what it runs in before, between and after driver calls, as its argument
 * says. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { STACK = 256 * 1024, NOBODY = 65534 };

static char **arguments;
static void *driver;
static int (*init)(unsigned int flags);
static int (*count)(int *devices);

static void open_driver(void)
{
	driver = dlopen("libcuda.so.1", RTLD_NOW);
	if (!driver)
		exit(90);
	init = (int (*)(unsigned int))dlsym(driver, "cuInit");
	count = (int (*)(int *))dlsym(driver, "cuDeviceGetCount");
}

static int calls(int n)
{
	int devices = -1;

	while (n--)
		count(&devices);
	return devices;
}

/* The first call, and nine more of cuDeviceGetCount than it. */
static void use(void)
{
	if (!driver)
		open_driver();
	printf("%d\n", init(0));
	printf("%d devices\n", calls(10));
	fflush(stdout);
}

static void must(int result)
{
	if (result)
		exit(91);
}

static void limit(int resource, rlim_t most)
{
	const struct rlimit bounds = { most, most };

	must(setrlimit((__rlimit_resource_t)resource, &bounds));
}

static void again(const char *name)
{
	char *const list[] = { arguments[0], (char *)name, NULL };

	execv("/proc/self/exe", list);
	exit(92);
}

static void status_of(pid_t child)
{
	int status = 0;

	waitpid(child, &status, 0);
	printf("%d %d\n", WIFEXITED(status), WEXITSTATUS(status));
	fflush(stdout);
}

static void run_plain(void)
{
	use();
}

static void run_close_between(void)
{
	use();
	for (int i = 3; i < 100; i++)
		close(i);
	calls(10);
	printf("%d\n", open("/dev/null", O_RDWR));
	calls(10);
}

static void run_close_errors(void)
{
	close(2);
	printf("%d\n", open("data", O_RDWR | O_CREAT | O_TRUNC, 0600));
	use();
	printf("%ld\n", (long)lseek(2, 0, SEEK_END));
}

/* As daemons do: their next descriptors are stdin, stdout and stderr. */
static void run_close_first(void)
{
	int out;

	open_driver();
	out = dup(STDOUT_FILENO);
	for (int i = 0; i < 3; i++)
		close(i);
	init(0);
	dprintf(out, "%d", open("data", O_RDWR | O_CREAT | O_TRUNC, 0600));
	calls(1);
	dprintf(out, " %d %d", dup(0), dup(0));
	calls(5);
	must(write(2, "hello", 5) != 5);
	dprintf(out, " %ld\n", (long)lseek(0, 0, SEEK_END));
}

/* None is left; the same again once there are some of ours. */
static void run_close_all(void)
{
	int out = fcntl(STDOUT_FILENO, F_DUPFD, 900);

	open_driver();
	for (int times = 0; times < 2; times++) {
		for (int i = 0; i < 900; i++)
			close(i);
		init(0);
		calls(5);
		for (int i = 0; i < 6; i++)
			dprintf(out, " %d", open("data", O_RDWR | O_CREAT | O_TRUNC, 0600));
		calls(5);
	}
}

static void run_dup_data(void)
{
	int data;

	use();
	data = open("data", O_RDWR | O_CREAT | O_TRUNC, 0600);
	dup2(data, 2);
	close(data);
	calls(10);
	exit(lseek(2, 0, SEEK_END) != 0);
}

static void run_no_descriptors(void)
{
	open_driver();
	limit(RLIMIT_NOFILE, 0);
	use();
}

static void run_few_descriptors(void)
{
	limit(RLIMIT_NOFILE, 4);
	use();
}

static void run_no_keys(void)
{
	pthread_key_t key;

	while (!pthread_key_create(&key, NULL))
		;
	use();
}

static void run_no_memory(void)
{
	open_driver();
	limit(RLIMIT_AS, 1 << 20);
	use();
}

static void run_memory_ends(void)
{
	use();
	limit(RLIMIT_AS, 1 << 20);
	printf("%d\n", calls(100));
}

static void run_no_locked_memory(void)
{
	limit(RLIMIT_MEMLOCK, 0);
	use();
}

static void run_no_processes(void)
{
	limit(RLIMIT_NPROC, 0);
	use();
}

static void run_small_main_stack(void)
{
	struct rlimit now;

	must(getrlimit(RLIMIT_STACK, &now));
	if (now.rlim_cur != STACK) {
		limit(RLIMIT_STACK, STACK);
		again("small_main_stack");
	}
	use();
}

/* Answers each of the calls with action, all others otherwise. */
static void answer(unsigned int action, const int *numbers, size_t n, unsigned int otherwise)
{
	struct sock_filter filter[64];
	struct sock_fprog program = { .filter = filter };
	unsigned short used = 0;

	filter[used++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						      offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < n; i++) {
		filter[used++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
							      (unsigned int)numbers[i], 0, 1);
		filter[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action);
	}
	filter[used++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, otherwise);
	program.len = used;
	must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program));
}

static void forbid(unsigned int action, const int *numbers, size_t n)
{
	answer(action, numbers, n, SECCOMP_RET_ALLOW);
}

static const int unusual[] = { SYS_fallocate,	 SYS_flock,
			       SYS_getppid,	 SYS_kcmp,
			       SYS_madvise,	 SYS_membarrier,
			       SYS_memfd_create, SYS_mremap,
			       SYS_msync,	 SYS_perf_event_open,
			       SYS_prctl,	 SYS_process_vm_readv,
			       SYS_ptrace,	 SYS_sched_getaffinity,
			       SYS_sysinfo,	 SYS_timer_create,
			       SYS_uname };

enum { UNUSUAL = sizeof(unusual) / sizeof(unusual[0]) };

/* And with a pointer that cannot be read, which no system call may be asked about. */
static void run_sandbox_eperm(void)
{
	int (*table)(const void **, const void *);
	const void *found;

	forbid(SECCOMP_RET_ERRNO | EPERM, unusual, UNUSUAL);
	use();
	table = (int (*)(const void **, const void *))dlsym(driver, "cuGetExportTable");
	printf("%d\n", table(&found, NULL));
}

static void run_sandbox_enosys(void)
{
	open_driver();
	forbid(SECCOMP_RET_ERRNO | ENOSYS, unusual, UNUSUAL);
	use();
}

static void run_sandbox_kills(void)
{
	use();
	forbid(SECCOMP_RET_KILL_PROCESS, unusual, UNUSUAL);
	printf("%d\n", calls(10));
}

/* What the program itself needs, and what libcuaudit(7) names. */
static void run_sandbox_allows_few(void)
{
	static const int few[] = {
		SYS_write, SYS_exit_group, SYS_getpid, SYS_rt_sigprocmask, SYS_madvise, SYS_mmap,
		SYS_futex, SYS_statx, SYS_fallocate, SYS_rt_sigpending, SYS_process_vm_readv,
	};

	use();
	answer(SECCOMP_RET_ALLOW, few, sizeof(few) / sizeof(few[0]), SECCOMP_RET_KILL_PROCESS);
	use();
	/* A trace's file grows. */
	calls(100000);
	/* A place that had made no call, and a result that none had. */
	_exit(count(NULL) == 0);
}

/* Whoever reads the processor's counter is ended: clocks are not read by the program. */
static void run_no_counter(void)
{
	open_driver();
#ifdef __x86_64__
	must(prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0));
#endif
	use();
}

static void run_sandbox_barrier_kills(void)
{
	static const int barrier[] = { SYS_membarrier };

	open_driver();
	forbid(SECCOMP_RET_KILL_PROCESS, barrier, 1);
	use();
}

/* libc ends a program whose new thread cannot have what its first one has. */
static void run_sandbox_no_rseq(void)
{
	static const int rseq[] = { SYS_rseq };

	open_driver();
	forbid(SECCOMP_RET_ERRNO | EPERM, rseq, 1);
	use();
}

static void run_sandbox_thread_kills(void)
{
	static const int threads[] = { SYS_clone, 435 /* clone3 */ };

	open_driver();
	forbid(SECCOMP_RET_KILL_PROCESS, threads, 2);
	use();
}

static void run_sandbox_no_files(void)
{
	static const int files[] = { SYS_getcwd, SYS_openat, SYS_readlinkat };

	open_driver();
	forbid(SECCOMP_RET_ERRNO | EPERM, files, 3);
	use();
}

static void run_sandbox_no_writes(void)
{
	static const int writes[] = { SYS_fstat, SYS_write, SYS_writev };

	use();
	forbid(SECCOMP_RET_ERRNO | EPERM, writes, 3);
	calls(10);
}

static void run_vfork_exec(void)
{
	use();
	for (int i = 0; i < 5; i++) {
		pid_t child = vfork();

		if (!child) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		status_of(child);
	}
	calls(10);
}

static int in_clone(void *data)
{
	(void)data;
	return calls(3);
}

/* It has the parent's memory, and its TLS. */
static void run_shared_memory(void)
{
	char *stack = malloc(STACK);

	use();
	status_of(
		clone(in_clone, stack + STACK, CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, NULL));
	calls(10);
}

static int in_clone_first(void *data)
{
	(void)data;
	init(0);
	return calls(3);
}

/* The first call is the child's. */
static void run_shared_memory_first(void)
{
	char *stack = malloc(STACK);

	open_driver();
	status_of(clone(in_clone_first, stack + STACK,
			CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, NULL));
	calls(10);
}

static void run_raw_fork(void)
{
	pid_t child;

	use();
	for (int by_exit = 0; by_exit < 2; by_exit++) {
		fflush(NULL);
		child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		if (!child) {
			calls(5);
			(by_exit ? exit : _exit)(4);
		}
		status_of(child);
	}
	calls(10);
}

static void run_no_environment(void)
{
	clearenv();
	use();
}

static void run_odd_environment(void)
{
	static char *list[] = { (char *)"NOTHING", (char *)"=x", (char *)"LD_AUDIT", (char *)"",
				NULL };

	environ = list;
	use();
}

/* As setproctitle does. */
static void run_title(void)
{
	char *end = arguments[0];

	for (char **at = arguments; *at; at++)
		end = *at + strlen(*at) + 1;
	for (char **at = environ; *at; at++)
		end = *at == end ? *at + strlen(*at) + 1 : end;
	memset(arguments[0], 'x', (size_t)(end - arguments[0]) - 1);
	use();
}

static void run_reopened(void)
{
	for (int i = 0; i < 20; i++) {
		open_driver();
		init(0);
		calls(1);
		dlclose(driver);
	}
	driver = NULL;
	use();
}

static _Atomic int done;

static void *until_done(void *data)
{
	(void)data;
	calls(1);
	while (!done)
		calls(1);
	return NULL;
}

/* Other handles come and go while a thread calls. */
static void run_closed_meanwhile(void)
{
	pthread_t thread;

	open_driver();
	must(pthread_create(&thread, NULL, until_done, NULL));
	for (int i = 0; i < 200; i++)
		dlclose(dlopen("libcuda.so.1", RTLD_NOW));
	done = 1;
	pthread_join(thread, NULL);
	use();
}

static void *start_again(void *data)
{
	(void)data;
	again("plain");
	return NULL;
}

static void run_exec_in_thread(void)
{
	pthread_t threads[2];

	use();
	must(pthread_create(&threads[0], NULL, until_done, NULL));
	must(pthread_create(&threads[1], NULL, start_again, NULL));
	pthread_join(threads[1], NULL);
}

static void *leave(void *data)
{
	(void)data;
	calls(10);
	exit(6);
}

static void run_exit_in_thread(void)
{
	pthread_t thread;

	use();
	must(pthread_create(&thread, NULL, leave, NULL));
	pthread_join(thread, NULL);
}

static void run_exit_meanwhile(void)
{
	pthread_t thread;

	use();
	must(pthread_create(&thread, NULL, until_done, NULL));
	exit(5);
}

static void late(void)
{
	calls(10);
}

static void run_atexit(void)
{
	atexit(late);
	use();
	fclose(stdout);
	fclose(stderr);
}

static void run_other_user(void)
{
	open_driver();
	must(syscall(SYS_setresgid, NOBODY, NOBODY, NOBODY) ||
	     syscall(SYS_setresuid, NOBODY, NOBODY, NOBODY));
	use();
}

static void run_new_root(void)
{
	open_driver();
	mkdir("root", 0700);
	must(chroot("root") || chdir("/"));
	use();
}

static void run_no_directory(void)
{
	mkdir("gone", 0700);
	must(chdir("gone") || rmdir("../gone"));
	use();
}

static void run_all_signals(void)
{
	sigset_t set;
	int blocked = 0;

	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_IGN);
	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	use();
	sigprocmask(SIG_BLOCK, NULL, &set);
	for (int i = 1; i < NSIG; i++)
		blocked += sigismember(&set, i) == 1;
	printf("%d\n", blocked);
}

static void on_signal(int number)
{
	(void)number;
	calls(5);
}

static void run_signal_stack(void)
{
	static _Alignas(64) char stack[16384];
	const stack_t on = { .ss_sp = stack, .ss_size = sizeof(stack) };
	const struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };

	use();
	must(sigaltstack(&on, NULL) || sigaction(SIGUSR1, &action, NULL));
	raise(SIGUSR1);
	raise(SIGUSR1);
}

static ucontext_t around, coroutine;

static void in_coroutine(void)
{
	calls(10);
	swapcontext(&coroutine, &around);
}

static void run_coroutine(void)
{
	open_driver();
	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = malloc(STACK);
	coroutine.uc_stack.ss_size = STACK;
	coroutine.uc_link = &around;
	makecontext(&coroutine, in_coroutine, 0);
	swapcontext(&around, &coroutine);
	use();
}

static void run_errno(void)
{
	open_driver();
	errno = 77;
	init(0);
	printf("%d\n", errno);
	errno = 78;
	calls(10);
	printf("%d\n", errno);
}

static void run_not_dumpable(void)
{
	must(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0));
	use();
}

static bool masks_any(void)
{
	sigset_t mask;

	sigprocmask(SIG_BLOCK, NULL, &mask);
	for (int i = 1; i < NSIG; i++)
		if (sigismember(&mask, i) == 1)
			return true;
	return false;
}

/* A child has the signals that its parent had, before its first call and after it. */
static void run_many_forks(void)
{
	int status, wrong = 0;

	use();
	for (int i = 0; i < 20; i++) {
		pid_t child = fork();

		if (!child) {
			bool before = masks_any();

			calls(1);
			_exit(before || masks_any());
		}
	}
	while (wait(&status) > 0)
		wrong += status != 0;
	printf("%d, %d\n", wrong, masks_any());
	calls(10);
}

static void run_killed(void)
{
	use();
	raise(SIGTERM);
}

static void run_aborted(void)
{
	use();
	abort();
}

static void run_quick(void)
{
	use();
	quick_exit(5);
}

static void run_large_environment(void)
{
	char *text = malloc(100000);

	memset(text, 'y', 99999);
	text[99999] = '\0';
	setenv("CUAUDIT_FOO", text, 1);
	again("plain");
}

static const struct {
	const char *name;
	void (*run)(void);
	int counted; /* calls of cuDeviceGetCount in the report, -1: no report, or any */
} programs[] = {
	{ "aborted", run_aborted, -1 },
	{ "all_signals", run_all_signals, 10 },
	{ "atexit", run_atexit, -1 },
	{ "close_all", run_close_all, -1 },
	{ "close_between", run_close_between, 30 },
	{ "close_first", run_close_first, -1 },
	{ "close_errors", run_close_errors, -1 },
	{ "closed_meanwhile", run_closed_meanwhile, -1 },
	{ "coroutine", run_coroutine, 20 },
	{ "dup_data", run_dup_data, -1 },
	{ "errno", run_errno, 10 },
	{ "exec_in_thread", run_exec_in_thread, 10 },
	{ "exit_in_thread", run_exit_in_thread, 20 },
	{ "exit_meanwhile", run_exit_meanwhile, -1 },
	{ "few_descriptors", run_few_descriptors, -1 },
	{ "killed", run_killed, -1 },
	{ "large_environment", run_large_environment, 10 },
	{ "many_forks", run_many_forks, 20 },
	{ "memory_ends", run_memory_ends, -1 },
	{ "new_root", run_new_root, -1 },
	{ "no_counter", run_no_counter, 10 },
	{ "no_descriptors", run_no_descriptors, -1 },
	{ "no_directory", run_no_directory, 10 },
	{ "no_environment", run_no_environment, 10 },
	{ "no_keys", run_no_keys, -1 },
	{ "no_locked_memory", run_no_locked_memory, 10 },
	{ "no_memory", run_no_memory, -1 },
	{ "no_processes", run_no_processes, 10 },
	{ "not_dumpable", run_not_dumpable, 10 },
	{ "odd_environment", run_odd_environment, 10 },
	{ "other_user", run_other_user, -1 },
	{ "plain", run_plain, 10 },
	{ "quick", run_quick, -1 },
	{ "raw_fork", run_raw_fork, 20 },
	{ "reopened", run_reopened, 30 },
	{ "sandbox_barrier_kills", run_sandbox_barrier_kills, 10 },
	{ "sandbox_enosys", run_sandbox_enosys, 10 },
	{ "sandbox_eperm", run_sandbox_eperm, 10 },
	{ "sandbox_kills", run_sandbox_kills, 20 },
	{ "sandbox_allows_few", run_sandbox_allows_few, -1 },
	{ "sandbox_no_files", run_sandbox_no_files, -1 },
	{ "sandbox_no_rseq", run_sandbox_no_rseq, 10 },
	{ "sandbox_no_writes", run_sandbox_no_writes, -1 },
	{ "sandbox_thread_kills", run_sandbox_thread_kills, 10 },
	{ "shared_memory", run_shared_memory, 23 },
	{ "shared_memory_first", run_shared_memory_first, -1 },
	{ "signal_stack", run_signal_stack, 20 },
	{ "small_main_stack", run_small_main_stack, 10 },
	{ "title", run_title, 10 },
	{ "vfork_exec", run_vfork_exec, 20 },
};

int main(int argc, char **argv)
{
	arguments = argv;
	signal(SIGPIPE, SIG_DFL);
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		if (argc < 2)
			printf("%s %d\n", programs[i].name, programs[i].counted);
		else if (!strcmp(argv[1], programs[i].name)) {
			programs[i].run();
			return 0;
		}
	}
	return argc < 2 ? 0 : 99;
}
