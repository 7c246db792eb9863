/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sixteen threads call, one attaches and detaches: no call is lost, none is
 * left without having been entered, none is inside of a hook that was given
 * back. Arguments: how often, and how many KiB that may take.
 */
#include "t/plugins/stress.h"

#include <cuaudit/hook.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "t/tap.h"

enum { THREADS = 16, POOL = 64, FREE = 0, LIVE = 0x11fe };

/* A hook's data; of as many hooks as there are at once. */
static struct data {
	_Atomic int state;
	_Atomic long entered, left;
} pool[POOL];

static atomic_bool stop;
static _Atomic long wrong, torn, uneven, seen, entered, given_back;
static _Atomic long calls[STRESS_FUNCTIONS];

static int enter(struct cuaudit_call *call, void *data)
{
	struct data *own = data;

	if (own->state != LIVE)
		torn++;
	own->entered++;
	seen++;
	call->scratch = (uintptr_t)own;
	return CUAUDIT_CONTINUE;
}

static void leave(struct cuaudit_call *call, void *data)
{
	struct data *own = data;

	if (own->state != LIVE || call->scratch != (uintptr_t)own)
		torn++;
	own->left++;
}

static void released(void *data)
{
	struct data *own = data;

	if (own->state != LIVE)
		torn++;
	if (own->entered != own->left)
		uneven++;
	entered += own->entered;
	given_back++;
	own->entered = own->left = 0;
	own->state = FREE;
}

static void *caller(void *unused)
{
	long made[STRESS_FUNCTIONS] = { 0 };

	/* Who attaches is to get on among so many. */
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 19);
	while (!stop) {
		for (int i = 0; i < STRESS_FUNCTIONS; i++) {
			if (stress_call(i))
				wrong++;
			made[i]++;
		}
	}
	for (int i = 0; i < STRESS_FUNCTIONS; i++)
		calls[i] += made[i];
	return unused;
}

static long memory(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (file) {
		if (fscanf(file, "%*d %ld", &pages) != 1)
			pages = 0;
		fclose(file);
	}
	return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/*
 * Callers of the least priority may not run at all beside other programs. False
 * if none called within a minute, while hooks were attached.
 */
static bool wait_for_calls(long more)
{
	long enough = seen + more;
	int tries = 60000;

	while (seen < enough && tries--)
		usleep(1000);
	return seen >= enough;
}

static int attach(int i)
{
	struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "stress", .priority = i % 3,
		.functions = stress_names[i % (STRESS_FUNCTIONS + 1)],
		.enter = enter, .exit = leave, .released = released,
		.flags = CUAUDIT_HOOK_OBSERVES,
	};
	struct data *own = NULL;
	int handle;

	/* Whoever was given back is free again; attaching does that. */
	for (int j = 0; j < POOL && !own; j++)
		if (pool[(i + j) % POOL].state == FREE)
			own = &pool[(i + j) % POOL];
	if (!own)
		return -ENOSPC;
	own->state = LIVE;
	hook.data = own;
	handle = cuaudit_hook_attach(&hook);
	if (handle < 0)
		own->state = FREE;
	return handle;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 1000, handles[4] = { 0 }, failed = 0, full = 0;
	pthread_t threads[THREADS];
	long before = 0, more;

	stress_start();
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, caller, NULL);
	for (int i = 0; i < count; i++) {
		int *handle = &handles[i % 4];

		if (i == count / 10)
			before = memory();
		/* Up to four hooks at once, so that they come between each other. */
		if (*handle)
			failed += cuaudit_hook_detach(*handle) != 0;
		/* All places may be held by calls whose threads do not run now. */
		for (; (*handle = attach(i)) == -ENOSPC; full++)
			cuaudit_hook_synchronize(handles[(i + 1) % 4], 1);
		if (*handle < 0)
			bail_out("attach: %s", strerror(-*handle));
		if (i % 100 == 99 && !wait_for_calls(2))
			bail_out("nobody calls");
	}
	more = memory() - before;
	for (int i = 0; i < 4; i++)
		failed += cuaudit_hook_detach(handles[i]) != 0;
	for (int i = 0; i < 4; i++)
		failed += cuaudit_hook_synchronize(handles[i], 10000) != 0;
	stop = true;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	cuaudit_hook_synchronize(handles[0], 0);

	is_int(failed, 0, "%d times attached and detached", count);
	is_int(given_back, count, "each was given back");
	is_int(wrong, 0, "no call went wrong");
	is_int(torn, 0, "none was in a hook that was given back, or half in one");
	is_int(uneven, 0, "all that entered left");
	ok(entered >= count / 50, "calls were seen: %ld", (long)entered);
	for (int i = 0; i < STRESS_FUNCTIONS; i++)
		is_int(stress_arrived(i), calls[i], "all calls of %s arrived", stress_names[i]);
	ok(argc < 3 || more <= atol(argv[2]), "memory is flat: %ld KiB more", more);
	for (int i = 0; i < STRESS_FUNCTIONS; i++)
		diag("%s was called %ld times", stress_names[i], (long)calls[i]);
	diag("%d times there was no room for the moment", full);
	return done_testing();
}
