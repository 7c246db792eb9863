/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the driver in the way its arguments say, and prints how often. */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
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

static void on_alarm(int number)
{
	(void)number;
	call(3);
	alarms++;
}

/* Calls, and a handler that calls at any moment of them. */
static void storm(long n)
{
	struct sigaction action = { .sa_handler = on_alarm };
	struct itimerval often = { { 0, 50 }, { 0, 50 } }, never = { { 0, 0 }, { 0, 0 } };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	call(n);
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
	call(calls);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	long n = argc > 2 ? atol(argv[2]) : 0, m = argc > 3 ? atol(argv[3]) : 0;

	if (!strcmp(how, "killed")) {
		killed(n);
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
	else if (!strcmp(how, "limited"))
		limited(n, m);
	else
		return 2;
	return 0;
}
