/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First calls at bad moments. Arguments: which, then copies of the driver.
 * Exit status 0, and nothing on stderr, if all calls did what they do.
 */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "t/fake/driver.h"

/* Room for the kernel's frame of a signal, of 2.7 KiB with AVX-512, and a little more. */
enum { SIGNAL_STACK = 8 * 1024, COROUTINE_STACK = 16 * 1024, INTERVAL = 50 };

typedef int (*query_fn)(void *stream);

static atomic_int wrong, handled;
static _Atomic(query_fn) newest = cuStreamQuery;

static atomic_int interval;

/* Each time anew: where a handler takes longer than the interval, the program would never go on. */
static void start_timer(void)
{
	setitimer(ITIMER_REAL, &(struct itimerval){ .it_value.tv_usec = interval }, NULL);
}

static void call_newest(int number)
{
	wrong += atomic_load(&newest)(NULL) != 0;
	handled++;
	if (number == SIGALRM)
		start_timer();
}

static void signals(int microseconds, int flags)
{
	struct sigaction action = { .sa_handler = call_newest, .sa_flags = SA_RESTART | flags };

	sigaction(SIGALRM, &action, NULL);
	interval = microseconds;
	start_timer();
}

/* A handler may be where the core is loaded first, or come while it is. */
static int in_handler(void)
{
	signals(INTERVAL, 0);
	for (int i = 0; i < 1000 || handled < 20; i++)
		wrong += cuStreamQuery(NULL) != 0;
	signals(0, 0);
	return wrong;
}

static query_fn open_copy(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	return handle ? (query_fn)dlsym(handle, "cuStreamQuery") : NULL;
}

/* The same of each further copy of the driver, while the program uses the heap. */
static int in_copies(char **paths)
{
	wrong += cuStreamQuery(NULL) != 0;
	for (; *paths; paths++) {
		query_fn copy = open_copy(*paths);
		int before;

		if (!copy)
			return 2;
		newest = copy;
		before = handled;
		signals(INTERVAL, 0);
		while (handled < before + 20) {
			free(malloc(1000));
			wrong += copy(NULL) != 0;
		}
		signals(0, 0);
	}
	return wrong;
}

static void prepare(void)
{
	call_newest(0);
}

/* Fork handlers that come behind the core's, as they were there before it. */
static int in_fork(char **paths)
{
	pthread_atfork(prepare, prepare, prepare);
	wrong += cuStreamQuery(NULL) != 0;
	for (; *paths; paths++) {
		query_fn copy = open_copy(*paths);
		int status = 0;
		pid_t child;

		if (!copy)
			return 2;
		newest = copy;
		child = fork();
		if (!child)
			_exit(copy(NULL) || wrong);
		waitpid(child, &status, 0);
		wrong += status != 0;
	}
	return wrong;
}

static void *first(void *data)
{
	wrong += cuStreamQuery(NULL) != 0;
	wrong += cuStreamQuery(NULL) != 0;
	wrong += cuLaunchKernel(NULL, 2, 3, 4, 5, 6, 7, 8, NULL, NULL, NULL) > 1000;
	return data;
}

static int on_small_thread(void)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	if ((pthread_attr_setstacksize(&attributes, COROUTINE_STACK) &&
	     pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN)) ||
	    pthread_create(&thread, &attributes, first, NULL))
		return 2;
	pthread_join(thread, NULL);
	return wrong;
}

static void *small_stack(size_t size)
{
	char *pages = mmap(NULL, size + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(pages + 4096, size, PROT_READ | PROT_WRITE);
	return pages + 4096;
}

static void first_in_coroutine(void)
{
	first(NULL);
}

static int in_coroutine(void)
{
	ucontext_t main_one, coroutine;

	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = small_stack(COROUTINE_STACK);
	coroutine.uc_stack.ss_size = COROUTINE_STACK;
	coroutine.uc_link = &main_one;
	makecontext(&coroutine, first_in_coroutine, 0);
	swapcontext(&main_one, &coroutine);
	return wrong;
}

static int on_signal_stack(void)
{
	stack_t stack = { .ss_sp = small_stack(SIGNAL_STACK), .ss_size = SIGNAL_STACK };
	struct sigaction action = { .sa_handler = call_newest, .sa_flags = SA_ONSTACK };

	if (sigaltstack(&stack, NULL))
		return 0;	/* too small for this processor's registers */
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	return wrong;
}

/* The program's mask is what it was, whatever that is. */
static int keeps_mask(char **paths)
{
	for (int turn = 0; *paths; paths++, turn++) {
		query_fn copy = open_copy(*paths);
		sigset_t before, after;

		sigemptyset(&before);
		for (int number = 1 + turn; number <= SIGRTMAX; number += 1 + turn)
			if (number != SIGKILL && number != SIGSTOP)
				sigaddset(&before, number);
		sigprocmask(SIG_SETMASK, &before, NULL);
		sigprocmask(SIG_SETMASK, NULL, &before);
		wrong += !copy || copy(NULL) != 0;
		sigprocmask(SIG_SETMASK, NULL, &after);
		for (int number = 1; number <= SIGRTMAX; number++)
			wrong += sigismember(&before, number) != sigismember(&after, number);
	}
	return wrong;
}

/* The first call of each copy has a stack of its own, of 8 MiB, for a moment. */
static long mapped_pages(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long pages = -1;

	if (file && fscanf(file, "%ld", &pages) != 1)
		pages = -1;
	if (file)
		fclose(file);
	return pages;
}

static int gives_back(char **paths)
{
	enum { MOST = 3 << 20 };
	long before;

	first(NULL);
	for (; *paths; paths++) {
		query_fn copy = open_copy(*paths);

		before = mapped_pages();
		wrong += !copy || copy(NULL) != 0;
		if (before < 0 || (mapped_pages() - before) * sysconf(_SC_PAGESIZE) > MOST)
			return 3;
	}
	return wrong;
}

/*
 * A library in a namespace of its own has a libc whose keys begin at 0, where
 * those of the program's do: ours must not be what it finds.
 */
static void *keys_on_thread(void *path)
{
	void *(*swap)(void *value), *handle = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
	char own[20];

	if (!handle)
		return (void *)2;
	swap = (void *(*)(void *))dlsym(handle, "swap_values");
	wrong += swap(own) != NULL;
	first(NULL);
	wrong += swap(own + 1) != own;
	first(NULL);
	wrong += swap(own) != own + 1;
	return NULL;
}

static int with_keys(char **paths)
{
	pthread_t thread;
	void *result;

	pthread_create(&thread, NULL, keys_on_thread, paths[0]);
	pthread_join(thread, &result);
	/* The thread's end was that of its own structure alone. */
	first(NULL);
	return result ? 2 : wrong;
}

int main(int argc, char **argv)
{
	const char *which = argc > 1 ? argv[1] : "";

	if (!strcmp(which, "handler"))
		return in_handler();
	if (!strcmp(which, "copies"))
		return in_copies(argv + 2);
	if (!strcmp(which, "fork"))
		return in_fork(argv + 2);
	if (!strcmp(which, "thread"))
		return on_small_thread();
	if (!strcmp(which, "coroutine"))
		return in_coroutine();
	if (!strcmp(which, "signal-stack"))
		return on_signal_stack();
	if (!strcmp(which, "mask"))
		return keeps_mask(argv + 2);
	if (!strcmp(which, "gives-back"))
		return gives_back(argv + 2);
	if (!strcmp(which, "keys"))
		return with_keys(argv + 2);
	return 2;
}
