/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stress test's calls, of a driver of its own, through the core's own C
 * code without an auditor: for the thread sanitizer, which sees C alone. What
 * the trampolines do stands here in C.
 */
#include <cuaudit/hook.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "arch.h"
#include <internal/link.h>
#include "hooks/core_link.h"
#include "hooks/dispatch.h"
#include "hooks/frame.h"
#include "hooks/layout.h"
#include "hooks/library.h"
#include "hooks/registry.h"
#include "hooks/thread.h"
#include "t/plugins/stress.h"

const char *const stress_names[] = { "cuInit", "cuStreamQuery", "cuNewFunction", "cu*" };

struct link_table *cuaudit_core_link;

static struct link_table table;
static struct link_slot slots[STRESS_FUNCTIONS];
static _Atomic(void *) routes[STRESS_FUNCTIONS];
static _Atomic long arrived[STRESS_FUNCTIONS];

/* Places to route to, no more. */
void trampoline_two(void) {}
void trampoline_registers(void) {}
#ifdef __x86_64__
void trampoline_two_timed(void) {}
void trampoline_registers_timed(void) {}
#endif
void trampoline_stack(void) {}
void trampoline_full(void) {}
void trampoline_wide(void) {}

#define FUNCTION(n) \
	static int function_##n(void) \
	{ \
		arrived[n]++; \
		return 0; \
	}
FUNCTION(0)
FUNCTION(1)
FUNCTION(2)

static int (*const functions[])(void) = { function_0, function_1, function_2 };

static bool always(void)
{
	return true;
}

static uint64_t no_lock(void)
{
	return 0;
}

static void no_unlock(uint64_t signals)
{
	(void)signals;
}

void stress_start(void)
{
	table = (struct link_table){
		.slots = slots, .nslots = STRESS_FUNCTIONS, .routes = routes, .stderr_usable = always,
		.lock_slots = no_lock, .unlock_slots = no_unlock,
	};
	table.environment.functions = table.environment.strict = "";
	for (int i = 0; i < STRESS_FUNCTIONS; i++) {
		slots[i].name = stress_names[i];
		slots[i].real = (void *)functions[i];
	}
	cuaudit_core_link = &table;
	layout_setup();
	entry_setup();
	library_setup();
	if (thread_setup())
		exit(1);
	registry_attach();
}

/* A function whose exit hooks are due. */
static int call_between(struct frame *frame, int (*real)(void))
{
	struct thread *thread = frame_thread(frame);

	thread->state--;
	frame->call.result = real();
	thread->state |= THREAD_INSIDE;
	frame->list->exit(&frame->call, frame->list->data);
	thread->state = 2 * frame->call.depth;
	return frame->call.result;
}

int stress_call(int function)
{
	void *route = atomic_load_explicit(&routes[function], memory_order_acquire);
	int (*real)(void) = functions[function];
	struct frame frame = { .guarded = 0x5555555555555555 };

	if (route == (void *)real)
		return real();
	if (dispatch(&frame, &entry_table[function], __builtin_return_address(0),
		     DISPATCH_REGISTERS) != CUAUDIT_CONTINUE)
		return real();
	if (frame.list->exit)
		return call_between(&frame, real);
	frame_thread(&frame)->state = 2 * frame.call.depth;
	return real();
}

long stress_arrived(int function)
{
	return arrived[function];
}
