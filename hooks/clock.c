/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses and calibrates the clock of the calls. */
#include "hooks/clock.h"

#include <cuaudit/clock.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>

#include "hooks/clock_read.h"
#include "util/divide.h"
#include "util/io.h"
#include "util/sandbox.h"

enum {
	SHIFT = 32,
	SHORTEST_NS = 500 * 1000	/* of the first calibration: 0.01% with 50 ns of noise */
};

struct cuaudit_clock_state cuaudit_clock;

static uint64_t begin_ticks, begin_ns;	/* read together at start */

/* Asked only where asking cannot end the program. */
static bool may_fault(void)
{
#if defined(__x86_64__)
	int answer = PR_TSC_ENABLE;

	return !sandbox_is_own() && !prctl(PR_GET_TSC, &answer) && answer == PR_TSC_SIGSEGV;
#else
	return false;
#endif
}

static uint64_t now(clockid_t id)
{
	struct timespec at;

	clock_read(id, &at);
	return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

uint64_t cuaudit_clock_monotonic(void)
{
	return now(CLOCK_MONOTONIC);
}

/* The kernel takes the counter off this list when it does not trust it. */
static int counter_is_reliable(void)
{
#if defined(__x86_64__)
	static const char list[] =
		"/sys/devices/system/clocksource/clocksource0/available_clocksource";
	char names[256];

	if (io_read_file(list, names, sizeof(names), IO_NOW) <= 0)
		return 0;
	for (const char *name = names; *name; name += strspn(name, " \n")) {
		size_t end = strcspn(name, " \n");

		if (end == 3 && !memcmp(name, "tsc", 3))
			return 1;
		name += end;
	}
	return 0;
#else
	return 1;
#endif
}

/* Both clocks at one time: the pair with the shortest way between. */
static void read_pair(uint64_t *ticks, uint64_t *ns)
{
	uint64_t shortest = UINT64_MAX;

	for (int i = 0; i < 8; i++) {
		uint64_t before = cuaudit_ticks();
		uint64_t middle = now(CLOCK_MONOTONIC);
		uint64_t after = cuaudit_ticks();

		if (after - before >= shortest)
			continue;
		shortest = after - before;
		*ticks = before + shortest / 2;
		*ns = middle;
	}
}

/* The program may be in another time namespace now, where the system's clock says something else. */
static bool is_likely(uint64_t mult)
{
	return mult > cuaudit_clock.mult - cuaudit_clock.mult / 8 &&
	       mult < cuaudit_clock.mult + cuaudit_clock.mult / 8;
}

static void calibrate(bool first)
{
	uint64_t ticks, ns, mult;

	if (cuaudit_clock.source == CUAUDIT_CLOCK_MONOTONIC)
		return;
	read_pair(&ticks, &ns);
	if (ns < begin_ns + SHORTEST_NS || ticks <= begin_ticks)
		return;
	mult = divide((unsigned __int128)(ns - begin_ns) << SHIFT, ticks - begin_ticks);
	if (!first && !is_likely(mult))
		return;
	cuaudit_clock.mult = mult;
	cuaudit_clock.hz = divide((unsigned __int128)(ticks - begin_ticks) * 1000000000u,
				  ns - begin_ns);
}

void clock_calibrate(void)
{
	calibrate(false);
}

void clock_forked(void)
{
	if (cuaudit_clock.source == CUAUDIT_CLOCK_COUNTER && !may_fault())
		read_pair(&begin_ticks, &begin_ns);
}

void clock_setup(void)
{
	cuaudit_clock.shift = SHIFT;
	cuaudit_clock.mult = (uint64_t)1 << SHIFT;
	cuaudit_clock.hz = 1000000000u;
	clock_read_by_kernel = may_fault();
	if (!clock_read_by_kernel && counter_is_reliable())
		cuaudit_clock.source = CUAUDIT_CLOCK_COUNTER;
	read_pair(&begin_ticks, &begin_ns);
	cuaudit_clock.start_ticks = begin_ticks;
	cuaudit_clock.start_ns = now(CLOCK_REALTIME);
	if (cuaudit_clock.source == CUAUDIT_CLOCK_MONOTONIC)
		return;
	while (now(CLOCK_MONOTONIC) - begin_ns < SHORTEST_NS)
		;
	calibrate(true);
}
