/* SPDX-License-Identifier: Apache-2.0 */
/* Calls memory functions of the C library in the way that its argument says, and prints how many it made. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "t/libc/other.h"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

void *__memcpy_chk(void *to, const void *from, size_t size, size_t room);
void *__memmove_chk(void *to, const void *from, size_t size, size_t room);
void *__mempcpy_chk(void *to, const void *from, size_t size, size_t room);
void *__memset_chk(void *to, int value, size_t size, size_t room);
char *__stpcpy_chk(char *to, const char *from, size_t room);
char *__strcat_chk(char *to, const char *from, size_t room);
char *__strcpy_chk(char *to, const char *from, size_t room);
char *__strncpy_chk(char *to, const char *from, size_t size, size_t room);

static volatile size_t n = 100;	/* the compiler does not know it */
static char here[4096], there[4096] = "a text";
static _Atomic long made;	/* calls of memcpy */

static void fail(const char *what)
{
	printf("wrong: %s\n", what);
	fflush(stdout);
	_exit(1);
}

static void copy(void)
{
	char to[128];

	if (memcpy(to, there, n) != to || memcmp(to, there, n))
		fail("a copy");
	atomic_fetch_add(&made, 1);
}

/* Pointers in data: relocations. */
#define LIBC_FUNCTION(name, how) static void *volatile pointer_##name = (void *)name;
#include <internal/libc_functions.def>
#undef LIBC_FUNCTION

typedef char *(*copy_fn)(char *to, const char *from, size_t size, size_t room);
typedef char *(*set_fn)(char *to, int value, size_t size, size_t room);
typedef char *(*text_fn)(char *to, const char *from, size_t room);

static void check(const char *name, const char *answer, size_t behind)
{
	if (answer != here + behind || memcmp(here, there, 6))
		fail(name);
}

#define COPY(name) check(#name, ((copy_fn)function)(here, there, n, 4096), strstr(#name, "mempcpy") ? n : 0)
#define MOVE(name) COPY(name)
#define BOUNDED(name) COPY(name)
#define STRING(name) check(#name, ((text_fn)function)(here, there, 4096), strstr(#name, "stp") ? 6 : 0)
#define APPEND(name) (here[0] = '\0', STRING(name))
#define SET(name) \
	do { \
		if (((set_fn)function)(here, 'x', n, 4096) != here || here[n - 1] != 'x') \
			fail(#name); \
	} while (0)

/* Each once by each way: its address by the loader, by dlsym, in data; and by its PLT. */
static void all(void)
{
#define LIBC_FUNCTION(name, how) \
	for (int i = 0; i < 3; i++) { \
		void *function = i == 0 ? (void *)name : i == 1 ? dlsym(RTLD_DEFAULT, #name) : \
					  pointer_##name; \
\
		errno = 4711; \
		how(name); \
		if (errno != 4711) \
			fail("errno"); \
	}
#include <internal/libc_functions.def>
#undef LIBC_FUNCTION
	memcpy(here, there, n);
	memmove(here, there, n);
	mempcpy(here, there, n);
	memset(here, 0, n);
	strcpy(here, there);
	strcat(here, there);
	stpcpy(here, there);
	strncpy(here, there, n);
	__memcpy_chk(here, there, n, sizeof(here));
	__memmove_chk(here, there, n, sizeof(here));
	__mempcpy_chk(here, there, n, sizeof(here));
	__memset_chk(here, 0, n, sizeof(here));
	__strcpy_chk(here, there, sizeof(here));
	__strcat_chk(here, there, sizeof(here));
	__stpcpy_chk(here, there, sizeof(here));
	__strncpy_chk(here, there, n, sizeof(here));
}

static void once(void)
{
	copy();
}

static void other(void)
{
	copy();
	for (int i = 0; i < 10; i++)
		other_copies(here, there, n);
}

/* What dbgmem finds: one in the program, one in the library. */
static void overlaps(void)
{
	memcpy(here, here + 50, n);
	other_copies(here, here + 50, n);
}

/* The library in a namespace of its own. */
static void elsewhere(void)
{
	void *library = dlmopen(LM_ID_NEWLM, "libother.so.1", RTLD_NOW);
	void *(*copies_there)(void *to, const void *from, size_t size) = library ? dlsym(library, "other_copies") : NULL;

	if (!copies_there || copies_there(here, there, n) != here)
		fail("a namespace");
	copy();
}

/* A jump, not a call. */
__attribute__((noinline)) static void *jumps(void *to, const void *from, size_t size)
{
	return memcpy(to, from, size);
}

static void tail(void)
{
	for (int i = 0; i < 10; i++)
		if (jumps(here, there, n) != here)
			fail("a jump");
	made = 10;
}

enum { HANDLED = 100000 };

static _Atomic long handled;

static void again(void)
{
	const struct itimerval time = { { 0, 0 }, { 0, 50 } };

	setitimer(ITIMER_REAL, &time, NULL);
}

static void handler(int number)
{
	int error = errno;

	(void)number;
	for (int i = 0; i < 20; i++)
		copy();
	if (atomic_fetch_add(&handled, 20) + 20 < HANDLED)
		again();
	errno = error;
}

/* Wherever the program and the hooks are just then. */
static void handle(int flags)
{
	const struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(SIGALRM, &action, NULL);
	again();
	while (handled < HANDLED)
		copy();
}

static void handlers(void)
{
	handle(0);
}

/* A page more than the kernel takes, with nothing below. */
static void signal_stack(void)
{
	size_t least = getauxval(AT_MINSIGSTKSZ), size = ((least ? least : 4096) + 2 * 4096 - 1) / 4096 * 4096;
	char *stack = mmap(NULL, 4096 + size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const stack_t own = { .ss_sp = stack + 4096, .ss_size = size };

	mprotect(stack, 4096, PROT_NONE);
	sigaltstack(&own, NULL);
	handle(SA_ONSTACK);
}

static void *copies(void *unused)
{
	for (int i = 0; i < 10000; i++)
		copy();
	return unused;
}

static void threads(void)
{
	pthread_t thread[8];

	for (int i = 0; i < 8; i++)
		if (pthread_create(&thread[i], NULL, copies, NULL))
			fail("a thread");
	for (int i = 0; i < 8; i++)
		pthread_join(thread[i], NULL);
}

static void wait_for(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) != child || status)
		fail("a child");
}

static void forks(void)
{
	pid_t child;

	copy();
	child = fork();
	if (!child) {
		made = 0;
		for (int i = 0; i < 5; i++)
			copy();
		exit(0);
	}
	wait_for(child);
	copy();
}

static void vforks(void)
{
	pid_t child;

	copy();
	child = vfork();
	if (!child) {
		copy();
		_exit(0);
	}
	wait_for(child);
	copy();
}

static sigjmp_buf back;

static void faulted(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

/* Calls that never return. */
static void faults(void)
{
	char *volatile gone = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile int caught = 0;

	signal(SIGSEGV, faulted);
	for (volatile int i = 0; i < 1000; i++)
		if (!sigsetjmp(back, 1))
			memcpy(gone, there, n);
		else
			caught++;
	if (caught != 1000)
		fail("a fault");
	copy();
	made = 1001;
}

static ucontext_t main_context, small_context;

/* No more than a call of a hooked function is said to hold, and what copy takes itself. */
static void small(void)
{
	size_t size = 16384;
	char *stack = mmap(NULL, size + 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(stack + 4096, size, PROT_READ | PROT_WRITE);
	getcontext(&small_context);
	small_context.uc_stack.ss_sp = stack + 4096;
	small_context.uc_stack.ss_size = size;
	small_context.uc_link = &main_context;
	makecontext(&small_context, copy, 0);
	swapcontext(&main_context, &small_context);
	copy();
}

static void *ends(void *key)
{
	pthread_setspecific(*(pthread_key_t *)key, key);
	return NULL;
}

static void at_end(void *unused)
{
	(void)unused;
	copy();
}

/* In threads that end, and as the process does. */
static void late(void)
{
	static pthread_key_t key;
	pthread_t thread;

	atexit(copy);
	pthread_key_create(&key, at_end);
	for (int i = 0; i < 100; i++)
		if (pthread_create(&thread, NULL, ends, &key) || pthread_join(thread, NULL))
			fail("a thread");
	made++;	/* the one at the end */
}

/* An allocator of the program's own, whose lock is held as it sets and copies. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char heap[64 << 20];
static size_t used;
static _Atomic long set;

static void *take(size_t size, int clear)
{
	char *at;

	if (pthread_mutex_trylock(&lock))
		fail("the allocator was entered again");
	at = heap + used;
	used += (size + 31) / 16 * 16;
	*(size_t *)(void *)at = size;
	if (clear) {
		memset(at + 16, 0, size);
		atomic_fetch_add(&set, 1);
	}
	pthread_mutex_unlock(&lock);
	return at + 16;
}

#ifdef ALLOCATOR
void *malloc(size_t size) { return take(size, 1); }
void *calloc(size_t count, size_t size) { return take(count * size, 1); }
void free(void *memory) { (void)memory; }
void *realloc(void *memory, size_t size)
{
	char *to = take(size, 0);

	if (memory) {
		size_t had = ((size_t *)memory)[-2];

		memcpy(to, memory, had < size ? had : size);
	}
	return to;
}
#endif

static void allocates(void)
{
	for (int i = 0; i < 1000; i++) {
		void *memory = realloc(malloc(10), 20);

		if (!memory)
			fail("memory");
		free(memory);
		copy();
	}
	(void)take;
}

#ifdef INTERPOSER
/* A memcpy and a memset for all, of which hooks make use, too. */
void *memcpy(void *to, const void *from, size_t size)
{
	static copy_fn real;

	if (!real)
		real = (copy_fn)dlsym(RTLD_NEXT, "memcpy");
	return real(to, from, size, 0);
}

void *memset(void *to, int value, size_t size)
{
	static set_fn real;

	if (!real)
		real = (set_fn)dlsym(RTLD_NEXT, "memset");
	return real(to, value, size, 0);
}
#endif

#ifdef CONSTRUCTOR
__attribute__((constructor)) static void early(void)
{
	for (int i = 0; i < 1000; i++)
		copy();
}
#endif

static const struct {
	const char *name;
	void (*function)(void);
} modes[] = {
	{ "all", all },
	{ "once", once },
	{ "other", other },
	{ "overlaps", overlaps },
	{ "elsewhere", elsewhere },
	{ "tail", tail },
	{ "handlers", handlers },
	{ "signal_stack", signal_stack },
	{ "threads", threads },
	{ "forks", forks },
	{ "vforks", vforks },
	{ "faults", faults },
	{ "small", small },
	{ "late", late },
	{ "allocates", allocates },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(argv[1], modes[i].name)) {
			modes[i].function();
			printf("%ld\n", made);
			return 0;
		}
	return 99;
}
