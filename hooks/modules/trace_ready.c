/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks made ready before they are wanted, by a thread of its own. */
#include "hooks/modules/trace_ready.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cuaudit/hook.h>

#include "hooks/modules/trace_file.h"
#include "hooks/modules/trace_lock.h"

enum { MOST = 16 };

static pthread_t thread;
static bool running;

/* Counts up when there is something to do; the thread sleeps on it. */
static _Atomic uint32_t bell;
static _Atomic bool ending;

/* Under the lock. */
static struct trace_chunk ready[MOST], done[MOST];
static uint32_t nready, ndone;
static uint32_t wanted;	/* how many are to be ready; 0: no chunk has been full yet */

static void ring(void)
{
	/* Pairs with the thread's look at it. */
	atomic_fetch_add_explicit(&bell, 1, memory_order_release);
	syscall(SYS_futex, &bell, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/*
 * Another one is ready, though it has no pages yet: a call that wants it at
 * once need not lose it. False: there is none, or no need.
 */
static bool begin(struct trace_chunk *next)
{
	bool again;

	if (nready >= wanted || nready == MOST || !trace_chunk_room(&next->index, &again))
		return false;
	next->at = trace_file_map(next->index);
	if (!next->at) {
		trace_chunk_unroom(next);
		return false;
	}
	if (again)
		trace_chunk_clear(next->at);
	ready[nready++] = *next;
	return true;
}

/* Unmaps a full one, or makes one ready; false: there is nothing to do. */
static bool work(void)
{
	struct trace_chunk chunk = { NULL, 0 };
	struct trace_lock saved;
	bool full, begun = false;

	trace_lock(&saved);
	full = ndone;
	if (full)
		chunk = done[--ndone];
	else
		begun = begin(&chunk);
	trace_unlock(&saved);
	if (full)
		trace_chunk_drop(&chunk);
	/* It may be gone meanwhile: then there is nothing there, or somebody's pages come sooner. */
	if (begun)
		trace_file_populate(chunk.at);
	return full || begun;
}

static void *run(void *unused)
{
	prctl(PR_SET_NAME, "cuaudit-trace");
	while (!ending) {
		uint32_t seen = atomic_load_explicit(&bell, memory_order_acquire);

		if (!work() && !ending)
			syscall(SYS_futex, &bell, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
	}
	return unused;
}

void trace_ready_setup(void)
{
	sigset_t all, saved;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &saved);
	running = !pthread_create(&thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
}

bool trace_ready_take(struct trace_chunk *chunk)
{
	if (nready) {
		*chunk = ready[--nready];
		ring();
		return true;
	}
	/* Not fast enough: more in advance. */
	if (wanted && wanted < MOST)
		wanted *= 2;
	return false;
}

void trace_ready_done(struct trace_chunk *chunk)
{
	if (running && ndone < MOST)
		done[ndone++] = *chunk;
	else
		trace_chunk_drop(chunk);
	chunk->at = NULL;
	if (!running)
		return;
	if (!wanted)
		wanted = 1;
	ring();
}

void trace_ready_finish(void)
{
	struct trace_lock saved;

	if (!running)
		return;
	ending = true;
	ring();
	pthread_join(thread, NULL);
	running = false;
	trace_lock(&saved);
	/* Those at the file's end are given back, each after the one behind it. */
	for (uint32_t left = nready; left--;)
		for (uint32_t i = 0; i < nready; i++)
			if (ready[i].at && (!left || ready[i].index + 1 == trace_file_chunks()))
				trace_chunk_unroom(&ready[i]);
	nready = 0;
	trace_unlock(&saved);
}

void trace_ready_forked(void)
{
	for (uint32_t i = 0; i < nready; i++)
		trace_chunk_drop(&ready[i]);
	for (uint32_t i = 0; i < ndone; i++)
		trace_chunk_drop(&done[i]);
	nready = ndone = wanted = 0;
	running = false;
}
