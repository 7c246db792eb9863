/* SPDX-License-Identifier: Apache-2.0 */
/* How many calls; how many that began before they were made, or ended after the next was. */
#include <stdio.h>

#include "tracefile/arguments.h"

int main(int argc, char **argv)
{
	unsigned long long calls = 0, wrong = 0, lost = 0, ended = 0;
	const struct trace_call *call;
	struct trace_merge *merge;
	struct trace trace;

	if (argc < 2 || trace_open(&trace, argv[1]) || !(merge = trace_merge_open(&trace)))
		return 1;
	while ((call = trace_merge_next(merge))) {
		static struct trace_arguments arguments;

		if (!trace_arguments_read(&arguments, &trace, call))
			return 1;
		calls++;
		wrong += call->start < arguments.words[0] || arguments.words[0] < ended;
		ended = call->end;
	}
	for (int i = 0; i < CUAUDIT_TRACE_LOSSES; i++)
		lost += trace.header.lost[i];
	printf("%llu %llu %llu\n", calls, lost, wrong + trace_merge_damaged(merge));
	return 0;
}
