/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are given the counter, and a handler that leaves them; prints how many were begun. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "t/trace/driver.h"

static sigjmp_buf back;
static volatile sig_atomic_t armed;
static volatile unsigned long long calls;
static volatile long jumps;

static void jump(int number)
{
	(void)number;
	if (armed)
		siglongjmp(back, 1);
}

int main(void)
{
	struct itimerval often = { { 0, 100 }, { 0, 100 } };

	signal(SIGALRM, jump);
	cuMemsetD8_v2(__builtin_ia32_rdtsc(), 1, 0);
	setitimer(ITIMER_REAL, &often, NULL);
	for (jumps = 0; jumps < 3000; jumps++) {
		if (sigsetjmp(back, 1))
			continue;
		armed = 1;
		for (;;) {
			calls++;
			cuMemsetD8_v2(__builtin_ia32_rdtsc(), 1, (word)calls);
			calls++;
			cuMemsetD16_v2(__builtin_ia32_rdtsc(), 1, calls);
		}
	}
	armed = 0;
	often = (struct itimerval){ { 0, 0 }, { 0, 0 } };
	setitimer(ITIMER_REAL, &often, NULL);
	cuMemsetD8_v2(__builtin_ia32_rdtsc(), 1, 0);
	printf("%llu\n", calls + 2);
	return 0;
}
