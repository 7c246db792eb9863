/* SPDX-License-Identifier: Apache-2.0 */
/* What the core keeps for each thread that calls the driver. */
#include "hooks/thread.h"

#include <cuaudit/coverage.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "arch.h"
#include "hooks/core_link.h"
#include "hooks/lock.h"
#include "hooks/unseen.h"

__thread struct thread *thread_self;
_Atomic uint64_t thread_unseen;
void (*thread_ends)(struct thread *thread);

static _Atomic(_Atomic uint32_t *) losses;	/* where they are told ... */
static uint32_t losses_bit;			/* ... and how */

void unseen_tell(_Atomic uint32_t *word, uint32_t bit)
{
	losses_bit = bit;
	atomic_store_explicit(&losses, word, memory_order_release);
}

void thread_count_lost(uint64_t *counter)
{
	_Atomic uint32_t *word = atomic_load_explicit(&losses, memory_order_acquire);

	if (thread_self && thread_self->passing)
		return;
	thread_count(counter);
	/* Pairs with thread_found_call, which takes it back and then looks at the counters. */
	if (word)
		atomic_fetch_or(word, losses_bit);
}

/* Others may count meanwhile: they do so before they tell. */
static _Atomic uint64_t found_calls;

void thread_found_call(void)
{
	_Atomic uint32_t *word = atomic_load_explicit(&losses, memory_order_acquire);

	atomic_fetch_add(&found_calls, 1);
	if (!word || cuaudit_unhooked_calls() || cuaudit_unwound_calls() || cuaudit_unwound_hooks())
		return;
	atomic_fetch_and(word, ~losses_bit);
	if (cuaudit_unhooked_calls() || cuaudit_unwound_calls() || cuaudit_unwound_hooks())
		atomic_fetch_or(word, losses_bit);
}

static pthread_key_t key;
static struct thread *free_threads;
static _Atomic(struct thread *) all_threads;	/* none is ever taken out */
static uint64_t numbers;

static struct {
	size_t size, at;	/* bytes, from the thread's structure on */
	const struct cuaudit_module *owner;
	void (*leave)(void *block);
	void (*hook_unwound)(void *block, uint64_t correlation);
} keys[THREAD_KEYS];
static _Atomic uint32_t first_key = THREAD_KEYS;	/* handed out downwards */

/*
 * The destructor of the key: runs in every thread that ends. Destructors of the program's may call the driver after it,
 * in each of the rounds that libc makes while any sets a value again: it waits for the last but one, as in the last
 * one sanitizers leave the thread, to which hooks belong. The value may be that of another namespace's key of the same
 * number; then the thread ends at once, as that one is not ours to set.
 */
static void end(void *value)
{
	struct thread *thread = thread_self;
	sigset_t saved;

	if (!thread)
		return;
	if (value == thread && ++thread->end_rounds < PTHREAD_DESTRUCTOR_ITERATIONS - 1 &&
	    !pthread_setspecific(key, thread))
		return;
	if (thread_ends)
		thread_ends(thread);
	thread->state = THREAD_ENDING;
	for (uint32_t i = THREAD_KEYS; i-- > first_key;)
		if (thread->blocks[i] && keys[i].leave)
			keys[i].leave(thread->blocks[i]);
	thread_self = NULL;
	/* Whatever calls it was still in when it ended. Pairs with thread_any_guarded. */
	for (uint32_t i = 0; i < CUAUDIT_HOOKS_ALL; i++)
		atomic_store_explicit(&thread->guarded[i], 0, memory_order_release);
	lock_take(LOCK_THREADS, &saved);
	thread->next = free_threads;
	free_threads = thread;
	lock_release(LOCK_THREADS, &saved);
}

int32_t thread_self_offset(void)
{
	return (int32_t)((char *)&thread_self - (char *)arch_thread_pointer());
}

/*
 * The libcs of other namespaces (dlmopen) number their keys from 0 as well, but
 * a thread has one place for the value of each number. So ours is the last of
 * those that lie in the thread: from FIRST_BLOCK on, setting one calls calloc.
 */
int thread_setup(void)
{
	enum { FIRST_BLOCK = 32 };
	pthread_key_t tried[FIRST_BLOCK];
	uint32_t count = 0;
	int error;

	do
		error = pthread_key_create(&tried[count], end);
	while (!error && tried[count++] < FIRST_BLOCK - 1 && count < FIRST_BLOCK);
	if (!count)
		return -error;
	key = tried[0];
	for (uint32_t i = 1; i < count && tried[i] < FIRST_BLOCK; i++)
		key = tried[i];
	for (uint32_t i = 0; i < count; i++)
		if (tried[i] != key)
			pthread_key_delete(tried[i]);
	return 0;
}

/* Bytes of a thread's structure and of its blocks. */
static size_t room(void)
{
	uint32_t last = first_key;

	return last == THREAD_KEYS ? (size_t)THREAD_BLOCKS :
	       (keys[last].at + keys[last].size + THREAD_LINE - 1) / THREAD_LINE * THREAD_LINE;
}

bool thread_any(void)
{
	return all_threads;
}

static struct thread *make(void)
{
	size_t callers = room();
	struct thread *thread;

	thread = cuaudit_pages(callers + THREAD_CALLERS * sizeof(*thread->callers));
	if (!thread)
		return NULL;
	thread->callers = (struct thread_caller *)((char *)thread + callers);
	thread->room = callers;
	thread->all = all_threads;
	/* Who adds up what threads count takes no lock. */
	atomic_store_explicit(&all_threads, thread, memory_order_release);
	return thread;
}

/* Writes to no page that is clear: most of a block's never become the process's own. */
static void clear(char *block, size_t size)
{
	static const char zeros[4096];

	for (size_t at = 0; at < size; at += sizeof(zeros)) {
		size_t part = size - at < sizeof(zeros) ? size - at : sizeof(zeros);

		if (memcmp(block + at, zeros, part))
			memset(block + at, 0, part);
	}
}

/* A structure whose thread ended serves again, so that memory follows live threads. */
static struct thread *take_free(void)
{
	struct thread *thread = free_threads;

	if (!thread)
		return make();
	free_threads = thread->next;
	thread->state = 0;
	for (uint32_t i = 0; i < THREAD_MOVED; i++)
		atomic_store_explicit(&thread->moved[i], 0, memory_order_relaxed);
	thread->stack_low = thread->stack_high = 0;
	thread->stack_looks = 0;
	memset(thread->live, 0, sizeof(thread->live));
	thread->range_depth = thread->range_domains = 0;
	thread->end_rounds = 0;
	memset(thread->callers, 0, THREAD_CALLERS * sizeof(*thread->callers));
	for (uint32_t i = first_key; i < THREAD_KEYS; i++)
		if (thread->blocks[i])
			clear(thread->blocks[i], keys[i].size);
	return thread;
}

struct thread *thread_begin(void)
{
	struct thread *thread = NULL;
	int error = errno;
	sigset_t saved;

	/* A signal that comes meanwhile finds the thread made. */
	lock_take(LOCK_THREADS, &saved);
	if (!thread_self) {
		thread = take_free();
		if (thread) {
			thread->correlation = ++numbers << 40;
			thread->pointer = arch_thread_pointer();
			thread_self = thread;
		} else {
			thread_unseen++;
		}
	}
	lock_release(LOCK_THREADS, &saved);
	/* It may ask an allocator of the program's, which may call the driver. */
	if (thread && pthread_setspecific(key, thread))
		cuaudit_log(CUAUDIT_WARN, "no memory to see a thread's end");
	errno = error;
	return thread_self;
}

void thread_forked(void)
{
	/* Only the forking thread lives on; the others' structures are lost. */
	free_threads = NULL;
	thread_unseen = 0;
	found_calls = 0;
	atomic_store_explicit(&cuaudit_core_link->setup_calls, 0, memory_order_relaxed);
	all_threads = thread_self;
	if (thread_self) {
		thread_self->all = NULL;
		thread_self->bypassed = thread_self->unwound_calls = thread_self->unwound_hooks = 0;
	}
}

int cuaudit_thread_key(size_t size, const struct cuaudit_module *owner)
{
	uint32_t i = first_key;

	if (!owner)
		return -EINVAL;
	if (!i--)
		return -ENOSPC;
	keys[i].at = room();
	keys[i].size = size;
	keys[i].owner = owner;
	/* An older plug-in's structure may end before. */
	keys[i].leave = owner->size >= offsetof(struct cuaudit_module, thread_exit) +
				       sizeof(owner->thread_exit) ? owner->thread_exit : NULL;
	keys[i].hook_unwound = owner->size >= offsetof(struct cuaudit_module, hook_unwound) +
					   sizeof(owner->hook_unwound) ? owner->hook_unwound : NULL;
	first_key = i;
	return (int)i;
}

void thread_disown(const struct cuaudit_module *owner)
{
	for (uint32_t i = first_key; i < THREAD_KEYS; i++)
		if (keys[i].owner == owner) {
			keys[i].leave = NULL;
			keys[i].hook_unwound = NULL;
		}
}

void thread_hook_unwound(struct thread *thread)
{
	for (uint32_t i = first_key; i < THREAD_KEYS; i++)
		if (thread->blocks[i] && keys[i].hook_unwound)
			keys[i].hook_unwound(thread->blocks[i], thread->correlation);
}

bool thread_any_guarded(uint32_t number)
{
	bool any = false;
	sigset_t saved;

	lock_take(LOCK_THREADS, &saved);
	for (struct thread *thread = all_threads; thread && !any; thread = thread->all)
		any = atomic_load(&thread->guarded[number]);
	lock_release(LOCK_THREADS, &saved);
	return any;
}

void *cuaudit_thread_block(uint32_t number)
{
	struct thread *thread = thread_self;

	if (!thread || number < first_key || number >= THREAD_KEYS)
		return NULL;
	if (!thread->blocks[number])
		thread->blocks[number] = keys[number].at + keys[number].size <= thread->room ?
					 (char *)thread + keys[number].at :
					 cuaudit_pages(keys[number].size);
	return thread->blocks[number];
}

/* A counter of each thread, which the thread itself goes on with. */
static uint64_t sum_of(size_t counter)
{
	const struct thread *thread = atomic_load_explicit(&all_threads, memory_order_acquire);
	uint64_t sum = 0;

	for (; thread; thread = thread->all)
		sum += __atomic_load_n((const uint64_t *)(const void *)((const char *)thread + counter),
				       __ATOMIC_RELAXED);
	return sum;
}

uint64_t cuaudit_unhooked_calls(void)
{
	return thread_unseen + sum_of(offsetof(struct thread, bypassed)) +
	       atomic_load_explicit(&cuaudit_core_link->setup_calls, memory_order_relaxed);
}

uint64_t cuaudit_unwound_calls(void)
{
	/* First: a call is counted before it is found. */
	uint64_t found = atomic_load(&found_calls);

	return sum_of(offsetof(struct thread, unwound_calls)) - found;
}

uint64_t cuaudit_unwound_hooks(void)
{
	return sum_of(offsetof(struct thread, unwound_hooks));
}
