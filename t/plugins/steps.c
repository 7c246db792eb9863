/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one thread does between any two loads and stores of another, by turns: each atomic
 * access of the code under test is a step, and in the n-th the other one acts. For the
 * routes while a driver is loaded again, and for leak's look-up while objects come and go.
 */
#include <cuaudit/hook.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "arch.h"
#include "hooks/core_link.h"
#include "hooks/dispatch.h"
#include "hooks/lock.h"
#include "hooks/modules/leak/leak_range.h"
#include "hooks/record.h"
#include "hooks/registry.h"
#include "hooks/strict.h"
#include "hooks/thread.h"
#include "t/fuzz/chance.h"
#include "t/tap.h"
#include "util/selector.h"


static void (*other)(void);	/* NULL: nobody acts */
static int wait_for, acted;

static void step(void)
{
	void (*act)(void) = other;

	if (!act || wait_for-- > 0)
		return;
	other = NULL;
	acted++;
	act();
}

#undef atomic_load
#undef atomic_store
#undef atomic_load_explicit
#undef atomic_store_explicit
#define atomic_load(at) (step(), *(at))
#define atomic_store(at, value) (step(), *(at) = (value), step())
#define atomic_load_explicit(at, order) atomic_load(at)
#define atomic_store_explicit(at, value, order) atomic_store(at, value)

#include "hooks/modules/leak/leak_range.c"
#include "hooks/registry.c"
#include "t/plugins/hosted.c"

/* In step number of what follows, if there are as many, the other one acts. */
static void at_step(int number, void (*act)(void))
{
	other = act;
	wait_for = number;
	acted = 0;
}

static int function_again(void)
{
	return 0;
}

static void *real;

/* As fill_slot of the auditor, whose slot was there before. */
static void load_again(void)
{
	void *old = atomic_exchange(&slots[0].real, real);

	entry_table[0].real = real;
	atomic_compare_exchange_strong(&routes[0], &old, real);
}

static int nothing(struct cuaudit_call *call, void *data)
{
	(void)call;
	(void)data;
	return CUAUDIT_CONTINUE;
}

static void routes_follow(void)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "steps", .functions = stress_names[0],
		.enter = nothing,
	};
	int stale = 0, unhooked = 0, turns = 0;

	for (int number = 0; turns == number; number++) {
		int handle;

		real = number % 2 ? (void *)function_0 : (void *)function_again;
		at_step(number, load_again);
		handle = cuaudit_hook_attach(&hook);
		unhooked += routes[0] == (void *)function_0 ||
			    routes[0] == (void *)function_again;
		cuaudit_hook_detach(handle);
		turns += acted;
		other = NULL;
		stale += acted && routes[0] != real;
		cuaudit_hook_synchronize(handle, 0);
	}
	ok(turns > 4, "a driver is loaded again in each of %d steps", turns);
	is_int(stale, 0, "the route leads to it");
	is_int(unhooked, 0, "and to hooks while there are");
}

/* Each function's route leads to its hook, and back to it when that has gone. */
static void routes_go(void)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "steps", .functions = stress_names[STRESS_FUNCTIONS], .enter = nothing,
	};
	int handle = cuaudit_hook_attach(&hook), hooked = 0, back = 0;

	for (int i = 0; i < STRESS_FUNCTIONS; i++)
		hooked += routes[i] != slots[i].real;
	cuaudit_hook_detach(handle);
	for (int i = 0; i < STRESS_FUNCTIONS; i++)
		back += routes[i] == slots[i].real;
	cuaudit_hook_synchronize(handle, 0);
	is_int(hooked, STRESS_FUNCTIONS, "all functions have a hook");
	is_int(back, STRESS_FUNCTIONS, "and their own routes without it");
}

/* One for some libraries, where what is known of them has no room. */
static void no_room(void)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook), .name = "steps", .functions = stress_names[0], .enter = nothing, .include = "x",
	};
	struct rlimit before, none;
	int error, hooked;
	void *page;

	getrlimit(RLIMIT_AS, &before);
	none = before;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_AS, &none);
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	error = cuaudit_hook_attach(&hook);
	setrlimit(RLIMIT_AS, &before);
	hooked = routes[0] != slots[0].real;
	if (page == MAP_FAILED)
		ok(error == -ENOMEM && !hooked, "without memory there is no hook");
	else	/* qemu-user has no such limit. */
		ok(true, "without memory there is no hook # SKIP no limit");
}

enum { OBJECTS = 24, SIZE = 16, TRIALS = 400, TAG = 5 };

static struct leak_object objects[OBJECTS];
static bool is_in[OBJECTS];
static int changed, looked, wrong;

static void change(void)
{
	struct leak_object *object = &objects[changed];

	if (is_in[changed])
		leak_range_remove(object);
	else
		leak_range_add(object);
	is_in[changed] = !is_in[changed];
}

/* One that stays as it is while another is changed: found if it is there, or to be asked again. */
static void look(void)
{
	uint32_t tag = leak_range_tag((uint64_t)(looked + 1) * SIZE + chance(SIZE));

	wrong += tag != (is_in[looked] ? TAG + (uint32_t)looked : 0) &&
		 tag != LEAK_MEMORY * 8 + LEAK_DEAD;
}

static void look_ups_hold(void)
{
	int turns = 0;

	chance_begin(1, 0);
	for (int i = 0; i < OBJECTS; i++) {
		objects[i].handle = (uint64_t)(i + 1) * SIZE;
		objects[i].end = objects[i].handle + SIZE;
		objects[i].tag = TAG + (uint32_t)i;
	}
	for (int trial = 0; trial < TRIALS; trial++) {
		changed = (int)chance(OBJECTS);
		looked = (changed + 1 + (int)chance(OBJECTS - 1)) % OBJECTS;
		for (int number = 0, before = -1; before < turns; number++) {
			before = turns;
			at_step(number, change);
			look();
			turns += acted;
			at_step(number, look);
			change();
			turns += acted;
		}
		other = NULL;
		change();
	}
	ok(turns > TRIALS * 10, "objects come and go in each of %d steps of a look-up", turns);
	is_int(wrong, 0, "what is there is found, what is not is not");
}

int main(void)
{
	stress_start();
	routes_follow();
	routes_go();
	no_room();
	look_ups_hold();
	return done_testing();
}
