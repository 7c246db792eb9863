/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the driver in the way its arguments say, and prints how often. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef int (*call_fn)(void *argument);

static void *driver;
static call_fn version, count;

static void *look_up(const char *name)
{
	void *function = dlsym(driver, name);

	if (!function) {
		fprintf(stderr, "%s\n", dlerror());
		exit(77);
	}
	return function;
}

static void begin(void)
{
	driver = dlopen("libcuda.so.1", RTLD_NOW);
	if (!driver) {
		fprintf(stderr, "%s\n", dlerror());
		exit(77);
	}
	version = (call_fn)look_up("cuDriverGetVersion");
	count = (call_fn)look_up("cuDeviceGetCount");
	if (((int (*)(unsigned int))look_up("cuInit"))(0))
		exit(77);
}

static void call(long n)
{
	int value;

	for (; n > 0; n--)
		version(&value);
}

static pthread_barrier_t together;
static long each;

static void *crowd(void *unused)
{
	pthread_barrier_wait(&together);
	call(each);
	pthread_barrier_wait(&together);
	return unused;
}

static void *one(void *unused)
{
	call(each);
	return unused;
}

/* So many at once, all of them alive to the end. */
static void threads(long n, long calls)
{
	pthread_t *ids = calloc((size_t)n, sizeof(*ids));
	pthread_attr_t small;

	each = calls;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 128 * 1024);
	pthread_barrier_init(&together, NULL, (unsigned int)n);
	for (long i = 0; i < n; i++)
		if (pthread_create(&ids[i], &small, crowd, NULL))
			exit(77);
	for (long i = 0; i < n; i++)
		pthread_join(ids[i], NULL);
}

/* So many, four at a time. */
static void short_threads(long n, long calls)
{
	pthread_t ids[4];

	each = calls;
	for (; n > 0; n -= 4) {
		for (int i = 0; i < 4; i++)
			if (pthread_create(&ids[i], NULL, one, NULL))
				exit(77);
		for (int i = 0; i < 4; i++)
			pthread_join(ids[i], NULL);
	}
}

static volatile sig_atomic_t alarms;

/* Set anew when the handler is done: what it interrupts gets on, however slow the machine. */
static const struct itimerval soon = { { 0, 0 }, { 0, 50 } };
static volatile sig_atomic_t quiet;

static void on_alarm(int number)
{
	(void)number;
	call(3);
	alarms++;
	if (!quiet)
		setitimer(ITIMER_REAL, &soon, NULL);
}

/* Calls, and a handler that calls at any moment of them. */
static void storm(long n)
{
	struct sigaction action = { .sa_handler = on_alarm };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &soon, NULL);
	call(n);
	quiet = 1;
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%ld\n", n + 3 * (long)alarms);
}

struct shared {
	_Atomic long calls[4];
};

static void *count_calls(void *data)
{
	_Atomic long *calls = data;
	int value;

	for (;;) {
		version(&value);
		(*calls)++;
	}
	return NULL;
}

/*
 * A child that calls on three threads, and is killed some time later; prints
 * what each had completed then.
 */
static void killed(long microseconds)
{
	struct timespec wait = { 0, microseconds * 1000 };
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_t id;
	pid_t child = fork();
	int status;

	if (!child) {
		begin();
		for (int i = 1; i < 3; i++)
			pthread_create(&id, NULL, count_calls, &shared->calls[i]);
		count_calls(&shared->calls[0]);
	}
	while (!shared->calls[0] || !shared->calls[1] || !shared->calls[2])
		;
	nanosleep(&wait, NULL);
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	printf("%ld %ld %ld\n", shared->calls[0], shared->calls[1], shared->calls[2]);
}

static void limited(long bytes, long calls)
{
	struct rlimit limit = { (rlim_t)bytes, (rlim_t)bytes };

	setrlimit(RLIMIT_FSIZE, &limit);
	begin();
	call(calls);
}

/* Records of several sizes, in no order that comes again. */
static void mixed(long n)
{
	int (*name)(char *, int, int) = (int (*)(char *, int, int))look_up("cuDeviceGetName");
	unsigned int chance = 1;
	char text[100];

	for (long i = 0; i < n; i++) {
		chance = chance * 1103515245 + 12345;
		switch (chance >> 16 & 3) {
		case 0:
			name(text, sizeof(text), 0);
			break;
		case 1:
			name(text, (int)(chance >> 20 & 15) + 1, 0);
			break;
		case 2:
			count(NULL);
			break;
		default:
			call(1);
		}
	}
}

/* Another copy of the driver, beside the first. */
static void copy(const char *path, long n)
{
	void *other = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	call_fn its = other ? (call_fn)dlsym(other, "cuDriverGetVersion") : NULL;
	int value;

	if (!its)
		exit(77);
	for (long i = 0; i < n; i++) {
		version(&value);
		its(&value);
	}
}

typedef void (*library_fn)(call_fn call, long n);

static void *open_library(const char *path, long n)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	library_fn function = library ? (library_fn)dlsym(library, "library_call") : NULL;

	if (!function)
		exit(77);
	function(version, n);
	return library;
}

/* The library's second place is another one: something lies in the first. */
static void reload(const char *path, long n)
{
	void *library = open_library(path, n);
	uintptr_t at = (uintptr_t)dlsym(library, "library_call") & ~(uintptr_t)4095;

	dlclose(library);
	if (mmap((void *)at, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1,
		 0) == MAP_FAILED)
		exit(77);
	open_library(path, n);
}

static void *named(void *name)
{
	pthread_setname_np(pthread_self(), name);
	call(each);
	return NULL;
}

static void marks(void)
{
	int (*start)(void) = (int (*)(void))look_up("cuProfilerStart");
	int (*stop)(void) = (int (*)(void))look_up("cuProfilerStop");

	call(3);
	start();
	call(5);
	stop();
	call(7);
	start();
	call(11);
	stop();
	call(13);
}

static jmp_buf back;

static void host_calls(void *data)
{
	(void)data;
	call(1);
}

static void host_jumps(void *data)
{
	(void)data;
	call(1);
	longjmp(back, 1);
}

/* A callback of the driver's that calls, and one that leaves the call it is in. */
static void nested(void)
{
	int (*create)(void **, unsigned int, int) = (int (*)(void **, unsigned int, int))
		look_up("cuCtxCreate_v2");
	int (*launch)(void *, void (*)(void *), void *) =
		(int (*)(void *, void (*)(void *), void *))look_up("cuLaunchHostFunc");
	void *context;

	create(&context, 0, 0);
	launch(NULL, host_calls, NULL);
	if (!setjmp(back))
		launch(NULL, host_jumps, NULL);
	call(1);
}

/* Copied, it is code of no loaded object, as what is compiled while a program runs. */
__attribute__((noinline, section("generated"))) static int pass_on(call_fn function, int *answer)
{
	int result = function(answer);

	return result + 1;
}

static void generate(long n)
{
	enum { SIZE = 4096, CODE = 128 };
	char *code = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int answer;

	call(1);
	memcpy(code, (const char *)pass_on, CODE);
	if (mprotect(code, SIZE, PROT_READ | PROT_EXEC))
		exit(77);
	__builtin___clear_cache(code, code + CODE);
	for (long i = 0; i < n; i++)
		((int (*)(call_fn, int *))code)(version, &answer);
}

static void name_threads(long n)
{
	static char names[3][16] = { "worker-1", "worker-2", "other" };
	pthread_t id;

	each = n;
	for (int i = 0; i < 3; i++) {
		pthread_create(&id, NULL, named, names[i]);
		pthread_join(id, NULL);
	}
}

static void pause_between(long n)
{
	struct timespec wait = { 1, 0 };

	call(n);
	nanosleep(&wait, NULL);
	call(2 * n);
}

/* Whatever was opened since the program began is removed. */
static void remove_files(long n)
{
	char link[64], path[4096];
	ssize_t length;

	call(1);
	for (int fd = 3; fd < 64; fd++) {
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		length = readlink(link, path, sizeof(path) - 1);
		if (length > 8 && !strncmp(path + length - 8, ".cutrace", 8)) {
			path[length] = '\0';
			unlink(path);
		}
	}
	call(n - 1);
}

/* All descriptors are closed, and a file of the program's own gets their numbers. */
static void close_files(long n, const char *path)
{
	int file;

	call(1);
	for (int fd = 3; fd < 64; fd++)
		close(fd);
	do {
		file = open(path, O_RDWR | O_CREAT, 0666);
		if (file < 0 || lseek(file, 0, SEEK_SET) || write(file, "mine\n", 5) != 5)
			exit(77);
	} while (file < 32);
	call(n - 1);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? atol(argv[2]) : 0, m = argc > 3 ? atol(argv[3]) : 0;

	if (!strcmp(how, "killed")) {
		killed(n);
		return 0;
	}
	if (!strcmp(how, "limited")) {
		limited(n, m);
		return 0;
	}
	begin();
	if (!strcmp(how, "call"))
		call(n);
	else if (!strcmp(how, "threads"))
		threads(n, m);
	else if (!strcmp(how, "short"))
		short_threads(n, m);
	else if (!strcmp(how, "storm"))
		storm(n);
	else if (!strcmp(how, "removed"))
		remove_files(n);
	else if (!strcmp(how, "closed"))
		close_files(n, argv[3]);
	else if (!strcmp(how, "mixed"))
		mixed(n);
	else if (!strcmp(how, "copy"))
		copy(argv[3], n);
	else if (!strcmp(how, "library"))
		open_library(argv[3], n);
	else if (!strcmp(how, "reload"))
		reload(argv[3], n);
	else if (!strcmp(how, "names"))
		name_threads(n);
	else if (!strcmp(how, "marks"))
		marks();
	else if (!strcmp(how, "nested"))
		nested();
	else if (!strcmp(how, "generated"))
		generate(n);
	else if (!strcmp(how, "pause"))
		pause_between(n);
	else
		return 2;
	return 0;
}
