/* SPDX-License-Identifier: Apache-2.0 */
/* What the trace has no number for, numbered as it comes. */
#include "export/handles.h"

#include <stdio.h>

#include "tracefile/names.h"

uint32_t handles_number(struct handles *handles, uint64_t handle, bool *fresh)
{
	uint64_t hash = handle * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t slot = (uint32_t)(hash >> 40) % HANDLES_SLOTS;

	*fresh = false;
	while (handles->slots[slot].number && handles->slots[slot].handle != handle)
		slot = (slot + 1) % HANDLES_SLOTS;
	if (!handles->slots[slot].number && handles->count < HANDLES_MAX) {
		handles->slots[slot].handle = handle;
		handles->slots[slot].number = ++handles->count;
		*fresh = true;
	}
	return handles->slots[slot].number;
}

void handles_stream_name(char name[HANDLES_NAME], const struct trace *trace, uint64_t handle)
{
	const char *given = trace_name(trace, CUAUDIT_TRACE_NAME_STREAM, 0, handle);

	if (*given)
		snprintf(name, HANDLES_NAME, "launches into %.64s, stream %#llx", given,
			 (unsigned long long)handle);
	else if (handle)
		snprintf(name, HANDLES_NAME, "launches into stream %#llx",
			 (unsigned long long)handle);
	else
		snprintf(name, HANDLES_NAME, "launches into the default stream");
}
