/* SPDX-License-Identifier: Apache-2.0 */
/* A program with signal handlers of its own that calls the driver; last of its output: what arrived. */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "t/fake/driver.h"

static const int signals[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV };

enum { COUNT = sizeof(signals) / sizeof(signals[0]) };

static void handler(int number)
{
	_exit(100 + number);
}

/* How many of its handlers it still has, and whether it still has no other stack for them. */
static int kept(void)
{
	struct sigaction action;
	stack_t stack;
	int count = 0;

	for (int i = 0; i < COUNT; i++)
		count += !sigaction(signals[i], NULL, &action) && action.sa_handler == handler;
	return count + (!sigaltstack(NULL, &stack) && (stack.ss_flags & SS_DISABLE));
}

int main(int argc, char **argv)
{
	int calls = argc > 1 ? atoi(argv[1]) : 3;
	unsigned long long pointer;

	for (int i = 0; i < COUNT; i++)
		signal(signals[i], handler);
	for (int i = 0; i < calls; i++)
		cuInit(0);
	cuMemAlloc_v2(&pointer, 4096);
	printf("arrived %d kept %d\n", cuaudit_fake_calls("cuInit"), kept());
	return 0;
}
