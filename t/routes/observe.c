/* SPDX-License-Identifier: Apache-2.0 */
/* Sees from inside a test program what the auditor made of its calls. */
#include "t/routes/observe.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 16384, LIBRARIES = 64 };

const char *observe_only;

static void *core;
static _Atomic uint64_t last;	/* the correlation id of the last call that was entered */
static _Atomic int enters[SLOTS], exits[SLOTS], from[SLOTS][LIBRARIES];
static const char *_Atomic libraries[LIBRARIES];

static const struct cuaudit_library *(*call_library)(const struct cuaudit_call *);
static const struct cuaudit_function *(*function_of)(uint32_t);
static uint64_t (*bound)(uint32_t, enum cuaudit_route);

bool observe_routed(void)
{
	const char *mode = getenv("ROUTES");

	return mode && !strcmp(mode, "routed");
}

static bool old_loader(void)
{
	const char *loader = getenv("LOADER");

	return loader && !strcmp(loader, "old");
}

bool observe_told(enum cuaudit_route route, bool at_once)
{
	if (!old_loader() || route == CUAUDIT_ROUTE_DLSYM || route == CUAUDIT_ROUTE_PROCADDR)
		return true;
	return route == CUAUDIT_ROUTE_PLT && !at_once && !getenv("LD_BIND_NOW");
}

bool observe_symtab_interposed(void)
{
	const char *off = getenv("CUAUDIT_DISABLE");

	return observe_routed() && old_loader() && !(off && !strcmp(off, "1"));
}

bool observe_loaded(void)
{
	void *handle = dlopen("cuaudit-core.so", RTLD_NOLOAD | RTLD_LAZY);

	if (handle)
		dlclose(handle);
	return handle;
}

static void need(bool good, const char *what)
{
	if (good)
		return;
	printf("Bail out! %s\n", what);
	exit(99);
}

void *observe_core(const char *name)
{
	void *found = core ? dlsym(core, name) : NULL;

	need(!core || found, name);
	return found;
}

static int enter(struct cuaudit_call *call, void *data)
{
	const struct cuaudit_library *library = call_library(call);

	(void)data;
	last = call->correlation;
	enters[call->function->slot]++;
	from[call->function->slot][library->index % LIBRARIES]++;
	libraries[library->index % LIBRARIES] = library->name;
	return CUAUDIT_CONTINUE;
}

static void leave(struct cuaudit_call *call, void *data)
{
	(void)data;
	exits[call->function->slot]++;
}

void observe_attach(void)
{
	const struct cuaudit_hook hook = {
		.size = sizeof(hook),
		.name = "observe",
		.functions = observe_only,
		.enter = enter,
		.exit = leave,
	};
	int (*add)(const struct cuaudit_hook *);

	if (!observe_routed() || core)
		return;
	core = dlopen("cuaudit-core.so", RTLD_NOLOAD | RTLD_LAZY);
	need(core, "the core is not loaded");
	call_library = observe_core("cuaudit_call_library");
	function_of = observe_core("cuaudit_function_get");
	bound = observe_core("cuaudit_bound");
	add = observe_core("cuaudit_hook_add");
	need(!add(&hook), "the core takes no hook");
}

void observe_start(void *driver)
{
	int (*ask)(int *) = (int (*)(int *))dlsym(driver, "cuDriverGetVersion");
	int version;

	need(ask, "no driver");
	if (observe_routed())
		ask(&version);
	observe_attach();
}

static int next_slot(int slot, const char *function)
{
	const struct cuaudit_function *at;

	for (slot++; (at = function_of((uint32_t)slot)); slot++)
		if (!strcmp(at->name, function))
			return slot;
	return -1;
}

static int sum(const char *function, const _Atomic int *counts, size_t stride)
{
	int total = 0;

	for (int slot = -1; core && (slot = next_slot(slot, function)) >= 0;)
		total += counts[(size_t)slot * stride];
	return total;
}

int observe_enters(const char *function)
{
	return sum(function, enters, 1);
}

int observe_exits(const char *function)
{
	return sum(function, exits, 1);
}

int observe_enters_in(uint32_t driver, const char *function)
{
	for (int slot = -1; core && (slot = next_slot(slot, function)) >= 0;)
		if (function_of((uint32_t)slot)->driver == driver)
			return enters[slot];
	return 0;
}

int observe_from(const char *function, const char *library)
{
	if (!library)
		library = program_invocation_short_name;
	for (int i = 0; i < LIBRARIES; i++)
		if (libraries[i] && !strcmp(libraries[i], library))
			return sum(function, &from[0][i], LIBRARIES);
	return 0;
}

uint64_t observe_correlation(void)
{
	return last;
}

void observe_reset(void)
{
	for (int slot = 0; slot < SLOTS; slot++) {
		enters[slot] = exits[slot] = 0;
		for (int i = 0; i < LIBRARIES; i++)
			from[slot][i] = 0;
	}
}

uint64_t observe_bound(const char *function, enum cuaudit_route route)
{
	uint64_t total = 0;

	for (int slot = -1; core && (slot = next_slot(slot, function)) >= 0;)
		total += bound((uint32_t)slot, route);
	return total;
}

uint64_t observe_unhooked_calls(void)
{
	uint64_t (*straight)(void) = (uint64_t (*)(void))observe_core("cuaudit_unhooked_calls");

	return straight ? straight() : 0;
}

uint64_t observe_unwound_calls(void)
{
	uint64_t (*abandoned)(void) = (uint64_t (*)(void))observe_core("cuaudit_unwound_calls");

	return abandoned ? abandoned() : 0;
}
