/* SPDX-License-Identifier: Apache-2.0 */
/*
 * With DRIVER, a driver whose functions take as long as they are told, and
 * answer it; with LIBRARY, one that calls it; else a program that calls it, too,
 * on two threads, prints what of each caller's was to be counted (FUNCTION
 * CALLER CALLS ERRORS NOT_READY, nanoseconds they took at least), and kills
 * itself.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* What the thread's next calls are to do. */
struct spread {
	uint64_t ns;
	int answer;
};

extern __thread struct spread spread;

#ifdef DRIVER

#define PUBLIC __attribute__((visibility("default")))

PUBLIC __thread struct spread spread;

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int take(void)
{
	uint64_t end = spread.ns ? now() + spread.ns : 0;

	while (spread.ns && now() < end)
		;
	return spread.answer;
}

PUBLIC int cuInit(unsigned int flags);
PUBLIC int cuInit(unsigned int flags)
{
	(void)flags;
	return take();
}

PUBLIC int cuEventQuery(void *event);
PUBLIC int cuEventQuery(void *event)
{
	(void)event;
	return take();
}

PUBLIC int cuLaunchKernel(void *kernel, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
			  unsigned int by, unsigned int bz, unsigned int bytes, void *stream,
			  void **parameters, void **extra);
PUBLIC int cuLaunchKernel(void *kernel, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
			  unsigned int by, unsigned int bz, unsigned int bytes, void *stream,
			  void **parameters, void **extra)
{
	int right = kernel == (void *)1 && gx == 2 && gy == 3 && gz == 4 && bx == 5 && by == 6 &&
		    bz == 7 && bytes == 8 && stream == (void *)9 && parameters == (void *)10 &&
		    extra == (void *)11;

	return right ? take() : 1;
}

#elif defined(LIBRARY)

int cuInit(unsigned int flags);
int library_init(void);

int library_init(void)
{
	int result = cuInit(1);

	/* So that it returns here. */
	__asm__ volatile("");
	return result;
}

#else

int library_init(void);
int cuInit(unsigned int flags);
int cuEventQuery(void *event);
int cuLaunchKernel(void *kernel, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
		   unsigned int by, unsigned int bz, unsigned int bytes, void *stream,
		   void **parameters, void **extra);

enum { FUNCTIONS = 4, ROUNDS = 600, NOT_READY = 600, OTHER = 700 };

static int init(void)
{
	return cuInit(0);
}

static int query(void)
{
	return cuEventQuery(NULL);
}

static int launch(void)
{
	return cuLaunchKernel((void *)1, 2, 3, 4, 5, 6, 7, 8, (void *)9, (void *)10, (void *)11);
}

static int (*const functions[FUNCTIONS])(void) = { init, query, launch, library_init };
static const char *const names[FUNCTIONS] = {
	"cuInit spread", "cuEventQuery spread", "cuLaunchKernel spread", "cuInit library.so"
};
static uint64_t least[FUNCTIONS];
static int wrong;

/*
 * Times from none at all to half a millisecond, short ones more often, for one function the
 * longest first; each ninth call an error, which is neither the least nor the most.
 */
static uint64_t choose_ns(int f, int round, int answer)
{
	int step = round / 3 % 20;

	if (answer)
		return 4096;
	return round % 3 ? 0 : (uint64_t)1 << (f == 1 ? 19 - step : step);
}

static void *work(void *unused)
{
	for (int round = 0; round < ROUNDS; round++)
		for (int f = 0; f < FUNCTIONS; f++) {
			spread.answer = round % 9 == 4 ? NOT_READY : round % 9 == 8 ? OTHER : 0;
			spread.ns = choose_ns(f, round, spread.answer);
			if (functions[f]() != spread.answer)
				__atomic_store_n(&wrong, 1, __ATOMIC_RELAXED);
			__atomic_fetch_add(&least[f], spread.ns, __ATOMIC_RELAXED);
		}
	return unused;
}

int main(void)
{
	int ready = (ROUNDS + 4) / 9, other = ROUNDS / 9;
	pthread_t thread;

	if (pthread_create(&thread, NULL, work, NULL))
		return 2;
	work(NULL);
	pthread_join(thread, NULL);
	if (wrong)
		return 3;
	for (int f = 0; f < FUNCTIONS; f++)
		printf("%s %d %d %d %llu\n", names[f], 2 * ROUNDS, f == 1 ? 2 * other : 2 * (ready + other),
		       f == 1 ? 2 * ready : 0, (unsigned long long)least[f]);
	fflush(stdout);
	raise(SIGKILL);
	return 4;
}

#endif
