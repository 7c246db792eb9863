/* SPDX-License-Identifier: Apache-2.0 */
/* A stack for what may need more than a thread has left of its own. */
/*
 * A program may call the driver on a signal's stack, or a coroutine's, of a few KiB. Which part of that the
 * driver needs is its own affair; a library that the driver would not have called needs as much beside it.
 */
#include "hooks/modules/limit/limit_stack.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "util/pages.h"

enum { SIZE = 1 << 20, GUARD = 1 << 16 };	/* pages that are not used are not there */

static void *memory;
static ucontext_t caller, callee;
static void (*todo)(void);

uint64_t stack_block_signals(void)
{
	static const uint64_t all = UINT64_MAX;
	int error = errno;
	uint64_t signals = 0;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &signals, sizeof(all));
	errno = error;
	return signals;
}

void stack_restore_signals(uint64_t signals)
{
	int error = errno;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &signals, NULL, sizeof(signals));
	errno = error;
}

static void begin(void)
{
	todo();
}

static void *map(void)
{
	void *at = pages_map(NULL, SIZE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	mprotect(at, GUARD, PROT_NONE);
	return at;
}

void stack_call(void (*run)(void))
{
	int error = errno;

	if (!memory)
		memory = map();
	if (!memory || getcontext(&callee)) {
		errno = error;
		run();
		return;
	}
	todo = run;
	callee.uc_stack.ss_sp = memory;
	callee.uc_stack.ss_size = SIZE;
	callee.uc_link = &caller;
	makecontext(&callee, begin, 0);
	swapcontext(&caller, &callee);
	errno = error;
}
