/* SPDX-License-Identifier: Apache-2.0 */
/* What all of the simulated driver builds on: its state, its clock, numbers. */
#include "sim/sim.h"

#include <errno.h>
#include <time.h>

atomic_int sim_state;
struct sim_config sim_config = {
	.memory = (size_t)1 << 30,
	.launches = -1,
};

uint64_t sim_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void sim_wait(uint64_t time)
{
	struct timespec until = {
		.tv_sec = (time_t)(time / 1000000000),
		.tv_nsec = (long)(time % 1000000000),
	};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until,
			       NULL) == EINTR)
		;
}

uint64_t sim_id(void)
{
	static _Atomic uint64_t last;

	return atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}
