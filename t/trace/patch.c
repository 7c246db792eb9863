/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes the header of a file: patch FILE WHAT NUMBER. "unwound": so many calls of a trace were left;
 * "pair": the ticks of a statistics file's clock pair; "set": the time of day was set by so much percent
 * of a trace's run, at its end; "step": it was set forward by so many seconds since the trace began.
 */
#include <cuaudit/stat.h>
#include <cuaudit/trace.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static union {
	struct cuaudit_trace_header trace;
	struct cuaudit_stat_header stat;
} header;

static int patch(const char *what, const char *number)
{
	if (!strcmp(what, "unwound"))
		header.trace.lost[CUAUDIT_TRACE_LOST_UNWOUND] = (uint64_t)atoi(number);
	else if (!strcmp(what, "pair"))
		header.stat.clock_pair = (uint32_t)atoi(number);
	else if (!strcmp(what, "set") && header.trace.start_raw && header.trace.end_raw)
		header.trace.end_ns += (header.trace.end_raw - header.trace.start_raw) / 1000 *
				       (uint64_t)(10 * atof(number));
	else if (!strcmp(what, "step"))
		header.trace.start_ns -= (uint64_t)atoi(number) * 1000000000;
	else
		return 1;
	return 0;
}

int main(int argc, char **argv)
{
	FILE *file = argc > 3 ? fopen(argv[1], "r+") : NULL;
	size_t size = file ? fread(&header, 1, sizeof(header), file) : 0;

	return !size || patch(argv[2], argv[3]) || fseek(file, 0, SEEK_SET) ||
	       fwrite(&header, 1, size, file) != size || fclose(file);
}
