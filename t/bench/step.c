/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls as a training step of PyTorch makes them: the program's own code runs
 * between any two of them, a microsecond and more of it, and the caches and
 * the guessed jumps are its own by then. One JSON line: nanoseconds a call,
 * plain, with two clock reads in place around each, and routed. Argument: what
 * to call the measure.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

#include "times.h"

enum { TIMES = 12, STEPS = 20, ROUNDS = 401, CALLS = 15, WORDS = 64 * 1024 };

void *bench_raw(const char *name);

typedef int (*device_fn)(int *device, void *context);
typedef int (*state_fn)(int device, unsigned int *flags, int *active);
typedef int (*launch_fn)(void *f, unsigned int gx, unsigned int gy, unsigned int gz,
			 unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared,
			 void *stream, void **params, void **extra);

struct driver {
	device_fn device;
	state_fn state;
	launch_fn launch;
};

static uint64_t words[WORDS], references[8];
static uint64_t ticks;

/* The program's own code: 1,024 functions, of which each call runs others. */
#define WORK(n) \
	static __attribute__((noinline, aligned(512))) uint64_t work_##n(uint64_t x) \
	{ \
		uint64_t *at = &words[(x >> 20) % WORDS]; \
		x = (x ^ *at) * (0x9e3779b97f4a7c15u + 2 * 0x##n##u); \
		*at = x; \
		__atomic_fetch_add(&references[x >> 32 & 7], 1, __ATOMIC_ACQ_REL); \
		x ^= x >> 29; \
		at = &words[(x >> 24) % WORDS]; \
		if (x & 1 << (0x##n % 13)) \
			x = (x + *at) * (0xbf58476d1ce4e5b9u ^ 0x##n##u); \
		else \
			x = (x - *at) ^ (x << (0x##n % 17 + 1)); \
		if (__builtin_expect(x % 8 == 0x##n % 8, 0)) \
			*at += x * 0x##n##u; \
		return x * 0x94d049bb133111ebu ^ x >> 31; \
	}
#define EACH16(m, n) \
	m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7) \
	m(n##8) m(n##9) m(n##a) m(n##b) m(n##c) m(n##d) m(n##e) m(n##f)
#define EACH256(m, n) \
	EACH16(m, n##0) EACH16(m, n##1) EACH16(m, n##2) EACH16(m, n##3) \
	EACH16(m, n##4) EACH16(m, n##5) EACH16(m, n##6) EACH16(m, n##7) \
	EACH16(m, n##8) EACH16(m, n##9) EACH16(m, n##a) EACH16(m, n##b) \
	EACH16(m, n##c) EACH16(m, n##d) EACH16(m, n##e) EACH16(m, n##f)
#define EACH(m) EACH256(m, 1) EACH256(m, 2) EACH256(m, 3) EACH256(m, 4)
EACH(WORK)
#define NAME(n) work_##n,
static uint64_t (*const works[])(uint64_t x) = { EACH(NAME) };

static uint64_t place, sum = 1;

/* Not in the order of memory, so that no prefetcher guesses it; each function as often as the others. */
static inline void work(int count)
{
	for (count *= TIMES; count > 0; count--) {
		sum = works[place](sum);
		place = (place * 5 + 331) % (sizeof(works) / sizeof(*works));
	}
}

#define DO(count, call) do { \
	work(count); \
	if (clocks) { \
		uint64_t start = __builtin_ia32_rdtsc(); \
		call; \
		ticks += __builtin_ia32_rdtsc() - start; \
	} else { \
		call; \
	} \
} while (0)

/* As libcudart asks before a launch. */
static inline __attribute__((always_inline)) void step(const struct driver *driver, int clocks)
{
	unsigned int flags;
	int device, active;

	DO(8, driver->state(0, &flags, &active));
	DO(1, driver->device(&device, NULL));
	DO(8, driver->device(&device, NULL));
	DO(8, driver->device(&device, NULL));
	DO(14, driver->state(0, &flags, &active));
	DO(1, driver->device(&device, NULL));
	DO(8, driver->device(&device, NULL));
	DO(8, driver->device(&device, NULL));
	DO(8, driver->device(&device, NULL));
	DO(1, driver->device(&device, NULL));
	DO(1, driver->device(&device, NULL));
	DO(4, driver->state(0, &flags, &active));
	DO(1, driver->device(&device, NULL));
	DO(3, driver->device(&device, NULL));
	DO(3, driver->launch(&words, 1, 2, 3, 4, 5, 6, 7, NULL, NULL, NULL));
}

static __attribute__((noinline)) void plain(const struct driver *driver)
{
	step(driver, 0);
}

static __attribute__((noinline)) void clocked(const struct driver *driver)
{
	step(driver, 1);
}

/* As libraries that start: each from a place of its own. */
#define ONCE(n) driver->device(&device, NULL);
static __attribute__((noinline)) void begin(const struct driver *driver)
{
	int device;

	EACH(ONCE)
}

static double time_steps(void (*steps)(const struct driver *), const struct driver *driver)
{
	double start = now();

	for (int i = 0; i < STEPS; i++)
		steps(driver);
	return (now() - start) / (STEPS * CALLS);
}

static struct driver find(void *(*how)(const char *name))
{
	return (struct driver){
		.device = (device_fn)how("cuCtxGetDevice_v2"),
		.state = (state_fn)how("cuDevicePrimaryCtxGetState"),
		.launch = (launch_fn)how("cuLaunchKernel"),
	};
}

static void *routed_one(const char *name)
{
	/* No tail call: the loader knows who asks by the return address. */
	void *volatile found = dlsym(RTLD_DEFAULT, name);

	return found;
}

int main(int argc, char **argv)
{
	struct driver raw = find(bench_raw), routed = find(routed_one);
	double a[ROUNDS], b[ROUNDS], c[ROUNDS];

	for (uint64_t i = 0; i < WORDS; i++)
		words[i] = i * 0x2545f4914f6cdd1du;
	begin(&routed);
	for (int i = 0; i < 20; i++)
		time_steps(plain, &routed);
	for (int i = 0; i < ROUNDS; i++) {
		a[i] = time_steps(plain, &raw);
		b[i] = time_steps(plain, &routed) - a[i];
		c[i] = time_steps(clocked, &raw) - a[i];
	}
	printf("{\"measure\":\"%s, in a program that does something\",\"plain_ns\":%.1f,\"added_ns\":%.1f,"
	       "\"two_clock_reads_ns\":%.1f}\n",
	       argc > 1 ? argv[1] : "", median(a, ROUNDS), median(b, ROUNDS), median(c, ROUNDS));
	return 0;
}
