/* SPDX-License-Identifier: Apache-2.0 */
/* How a thread remembers the places it calls from, without a thread. */
#include <stdio.h>

#include "hooks/modules/trace/trace_site.h"
#include "t/tap.h"

static struct trace_sites sites;
static const struct cuaudit_function function;
static const struct trace_plan no_plan;

static struct cuaudit_call from(uintptr_t caller)
{
	return (struct cuaudit_call){ .caller = (const void *)caller, .function = &function };
}

/* A call, as the trace sees it: 0 where it is found at once, 1 elsewhere, 2 where it was not known. */
static int call(uintptr_t caller, uint32_t generation)
{
	struct cuaudit_call one = from(caller);
	struct trace_site *site = trace_site_first(&sites, one.caller, one.function);

	if (!trace_site_differs(site, one.caller, one.function, generation))
		return 0;
	site = trace_site_seek(&sites, one.caller, one.function, generation);
	if (!trace_site_differs(site, one.caller, one.function, generation))
		return 1;
	trace_site_begin(&sites, site, one.caller, one.function, generation, (uint32_t)caller,
			 &no_plan);
	return 2;
}

/* The number that the call's place was given. */
static uint32_t number(uintptr_t caller)
{
	struct cuaudit_call one = from(caller);

	return trace_site_seek(&sites, one.caller, one.function, 1)->number;
}

/* Another address that is first looked for in the same place. */
static uintptr_t rival(uintptr_t caller)
{
	struct cuaudit_call one = from(caller), other;

	do {
		caller += 5;
		other = from(caller);
	} while (trace_site_first(&sites, other.caller, other.function) != trace_site_first(&sites, one.caller, one.function));
	return caller;
}

int main(void)
{
	enum { WAYS = TRACE_SITE_WAYS };
	uintptr_t same[WAYS + 2] = { 0x401000 };
	int slow = 0, unknown = 0;

	for (int i = 1; i < WAYS + 2; i++)
		same[i] = rival(same[i - 1]);
	for (int i = 0; i < WAYS; i++)
		is_int(call(same[i], 1), 2, "a new place is not known");
	for (int turn = 0; turn < 1000; turn++)
		for (int i = 0; i < WAYS; i++)
			unknown += call(same[i], 1) == 2;
	is_int(unknown, 0, "all that share a few places are remembered");
	for (int i = 0; i < WAYS; i++)
		is_int(number(same[i]), (int)same[i], "each with what is its own");
	/* The first of two more goes where it is found at once, the second does not. */
	call(same[WAYS], 1);
	call(same[WAYS + 1], 1);
	for (int turn = 0; turn < 1000; turn++)
		slow += call(same[WAYS + 1], 1) != 0;
	is_int(slow <= TRACE_SITE_CHANGE, 1, "one that is in use is soon found at once");
	is_int(call(same[WAYS + 1], 1), 0, "and stays");

	/* As libraries that start. */
	for (uintptr_t i = 0; i < 5000; i++)
		call(0x7f0000000000 + 17 * i, 1);
	slow = 0;
	for (uintptr_t turn = 0; turn < 1000; turn++)
		slow += call(0x402000, 1) != 0;
	is_int(slow <= TRACE_SITE_CHANGE + 1, 1, "the same after thousands that called once");
	is_int(call(0x402000, 2), 2, "objects came or went: it may be another place");
	is_int(call(0x402000, 2), 0, "which is remembered");
	return done_testing();
}
