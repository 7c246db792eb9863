/* SPDX-License-Identifier: Apache-2.0 */
/* What is missing of a trace. */
#include "tracefile/losses.h"

#include <string.h>

struct trace_losses trace_losses(const struct trace *trace, uint64_t damaged)
{
	struct trace_losses losses = {
		.damaged = trace->damaged + damaged, .torn = trace->torn, .cut = trace->cut,
	};

	for (uint32_t i = 0; i < CUAUDIT_TRACE_LOSSES; i++)
		losses.calls[i] = trace_lost(trace, i);
	memcpy(losses.ranges, trace->header.lost_ranges, sizeof(losses.ranges));
	return losses;
}

bool trace_losses_any(const struct trace_losses *losses)
{
	for (uint32_t i = 0; i < CUAUDIT_TRACE_LOSSES; i++)
		if (losses->calls[i] && i != CUAUDIT_TRACE_LOST_RING)
			return true;
	/* What the program ends twice is nothing that is missing. */
	for (uint32_t i = 0; i < CUAUDIT_TRACE_RANGES_LOSSES; i++)
		if (losses->ranges[i] && i != CUAUDIT_TRACE_RANGES_UNMATCHED)
			return true;
	return losses->damaged || losses->torn || losses->cut;
}

const char *trace_losses_why(uint32_t loss)
{
	static const char *const why[CUAUDIT_TRACE_LOSSES] = {
		[CUAUDIT_TRACE_LOST_SIZE] = "beyond its size",
		[CUAUDIT_TRACE_LOST_DISK] = "on a full or failing disk",
		[CUAUDIT_TRACE_LOST_MEMORY] = "for want of memory",
		[CUAUDIT_TRACE_LOST_NESTED] = "that were not hooked",
		[CUAUDIT_TRACE_LOST_RING] = "written over",
		[CUAUDIT_TRACE_LOST_UNWOUND] = "of which a signal handler left the hook",
	};

	return loss < CUAUDIT_TRACE_LOSSES && why[loss] ? why[loss] :
	       "for a reason this cuaudit does not know";
}

const char *trace_losses_range(uint32_t loss)
{
	static const char *const what[CUAUDIT_TRACE_RANGES_LOSSES] = {
		[CUAUDIT_TRACE_RANGES_DEEP] = "ranges inside of too many others",
		[CUAUDIT_TRACE_RANGES_OPEN] = "ranges while too many were open",
		[CUAUDIT_TRACE_RANGES_NESTED] = "events of ranges of signal handlers",
		[CUAUDIT_TRACE_RANGES_NAMES] = "names of ranges, as there are too many",
		[CUAUDIT_TRACE_RANGES_UNMATCHED] = "ends of ranges that are not open",
		[CUAUDIT_TRACE_RANGES_MEMORY] = "ranges for want of memory",
		[CUAUDIT_TRACE_RANGES_ROOM] = "events of ranges for want of room",
	};

	return loss < CUAUDIT_TRACE_RANGES_LOSSES && what[loss] ? what[loss] :
	       "ranges for a reason this cuaudit does not know";
}

static void ranges(struct buffer *out, const struct trace_losses *losses)
{
	bool some = false;

	for (uint32_t i = 0; i < CUAUDIT_TRACE_RANGES_LOSSES; i++) {
		if (!losses->ranges[i])
			continue;
		buffer_text(out, some ? ", " : out->length ? "; not recorded: " : "not recorded: ");
		buffer_unsigned(out, losses->ranges[i]);
		buffer_char(out, ' ');
		buffer_text(out, trace_losses_range(i));
		some = true;
	}
}

static void calls(struct buffer *out, const struct trace_losses *losses)
{
	for (uint32_t i = 0; i < CUAUDIT_TRACE_LOSSES; i++) {
		if (!losses->calls[i])
			continue;
		buffer_text(out, out->length ? ", " : "calls are missing: ");
		buffer_unsigned(out, losses->calls[i]);
		buffer_char(out, ' ');
		buffer_text(out, trace_losses_why(i));
	}
}

static void part(struct buffer *out, uint64_t number, const char *one, const char *many)
{
	if (!number)
		return;
	if (out->length)
		buffer_text(out, "; ");
	buffer_unsigned(out, number);
	buffer_text(out, number == 1 ? one : many);
}

void trace_losses_print(struct buffer *out, const struct trace_losses *losses)
{
	calls(out, losses);
	ranges(out, losses);
	part(out, losses->damaged, " damaged part was left out",
	     " damaged parts were left out");
	part(out, losses->torn, " byte at its end is no whole chunk",
	     " bytes at its end are no whole chunk");
	part(out, losses->cut, " byte of it was cut off", " bytes of it were cut off");
	buffer_end(out);
}
