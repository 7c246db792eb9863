/* SPDX-License-Identifier: Apache-2.0 */
/* How much device memory a process holds, as its calls go by. */
#include "analysis/memory_usage.h"

#include <errno.h>
#include <stdlib.h>

int memory_usage_begin(struct memory_usage *held, const struct trace *trace)
{
	memory_usage_free(held);
	held->facts = facts_of(trace);
	if (!held->facts)
		return -ENOMEM;
	held->known = memory_known(trace, held->facts);
	held->state = (struct memory_state){
		.memory = &held->memory, .trace = trace, .facts = held->facts };
	return 0;
}

void memory_usage_free(struct memory_usage *held)
{
	memory_end(&held->state);
	free(held->facts);
	*held = (struct memory_usage){ .known = false };
}
