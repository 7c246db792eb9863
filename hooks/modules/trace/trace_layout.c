/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters that kernels are launched with. */
#include "hooks/modules/trace/trace_layout.h"

#include <string.h>

#include <cuaudit/cuda_types.h>

#include "hooks/modules/trace/trace_describe.h"
#include "hooks/modules/trace/trace_table.h"
#include "hooks/safe_read.h"
#include "hooks/stack.h"

/* By hash and count; kernels of the same parameters share one. By number, too, with NUMBER for a count. */
#define NUMBER UINT64_MAX
static struct trace_table layouts;
static uint32_t nlayouts;

static uint64_t hash(const struct cuaudit_trace_parameter *parameters, uint32_t count, bool more)
{
	uint64_t sum = 0xcbf29ce484222325u + more;

	for (uint32_t i = 0; i < count; i++)
		sum = (sum ^ (parameters[i].offset | (uint64_t)parameters[i].size << 32)) *
		      0x9e3779b97f4a7c15u;
	return sum;
}

static struct trace_layout *make(const struct cuaudit_trace_parameter *parameters,
				 uint32_t count, bool more)
{
	struct trace_layout *layout = trace_table_keep(sizeof(*layout) + count * sizeof(*parameters));

	if (!layout)
		return NULL;
	layout->number = nlayouts;
	layout->count = count;
	layout->more = more;
	memcpy(layout->parameters, parameters, count * sizeof(*parameters));
	for (uint32_t i = 0; i < count; i++) {
		uint64_t end = (uint64_t)parameters[i].offset + parameters[i].size;

		layout->more |= end > TRACE_LAYOUT_MOST;
		if (end > layout->size)
			layout->size = end < TRACE_LAYOUT_MOST ? (uint32_t)end : TRACE_LAYOUT_MOST;
	}
	return layout;
}

const struct trace_layout *trace_layout(const struct cuaudit_trace_parameter *parameters,
					uint32_t count, bool more)
{
	size_t size = count * sizeof(*parameters);
	uint64_t key = hash(parameters, count, more);
	struct cuaudit_trace_layout *record;
	struct trace_layout *layout;
	uint32_t why;

	for (;; key++) {
		layout = (void *)(uintptr_t)trace_table_get(&layouts, key, count);
		if (!layout)
			break;
		if (!memcmp(layout->parameters, parameters, size))
			return layout;
	}
	layout = make(parameters, count, more);
	record = layout ? trace_describe(sizeof(*record), size, &why) : NULL;
	if (!record || trace_table_put(&layouts, nlayouts, NUMBER, (uintptr_t)layout) ||
	    trace_table_put(&layouts, key, count, (uintptr_t)layout))
		return NULL;
	record->number = nlayouts++;
	record->nparameters = count;
	memcpy(record + 1, parameters, size);
	trace_describe_publish(record, CUAUDIT_TRACE_LAYOUT);
	return layout;
}

const struct trace_layout *trace_layout_numbered(uint32_t number)
{
	return (const void *)(uintptr_t)trace_table_get(&layouts, number, NUMBER);
}

/* From where each pointer of an array leads. */
static bool copy_each(const struct trace_layout *layout, struct safe_read_known *known, uint64_t from, char *to)
{
	for (uint32_t i = 0; i < layout->count; i++) {
		const struct cuaudit_trace_parameter *parameter = &layout->parameters[i];
		uint32_t size = parameter->size, left = layout->size - parameter->offset;
		uint64_t at;

		if (!safe_read_near(known, from + i * sizeof(at), &at, sizeof(at)) ||
		    !safe_read_near(known, at, to + parameter->offset, size < left ? size : left))
			return false;
	}
	return true;
}

/* From a buffer, which a list of names and values tells; *size: how much of it there is. */
static bool copy_buffer(struct safe_read_known *known, uint64_t from, char *to, uint32_t *size)
{
	enum { ITEMS = 8 };
	uint64_t item[2], buffer = 0, bytes = 0;

	for (int i = 0; i < ITEMS; i++) {
		if (!safe_read_near(known, from + (size_t)i * sizeof(item), item, sizeof(*item)))
			return false;
		if (item[0] == (uintptr_t)CU_LAUNCH_PARAM_END)
			break;
		if (!safe_read_near(known, from + (size_t)i * sizeof(item) + sizeof(*item), &item[1],
			       sizeof(*item)))
			return false;
		if (item[0] == (uintptr_t)CU_LAUNCH_PARAM_BUFFER_POINTER)
			buffer = item[1];
		else if (item[0] == (uintptr_t)CU_LAUNCH_PARAM_BUFFER_SIZE &&
			 !safe_read_near(known, item[1], &bytes, sizeof(bytes)))
			return false;
	}
	if (bytes < *size)
		*size = (uint32_t)bytes;
	return safe_read_near(known, buffer, to, *size);
}

bool trace_layout_copy(const struct trace_layout *layout, uint64_t from, bool extra, char **to)
{
	char *head = *to, *at = head + TRACE_LAYOUT_HEAD;
	struct safe_read_known known;
	uint32_t size;
	uint16_t length;

	if (!layout)
		return false;
	size = layout->size;
	memset(at, 0, size);
	known = stack_own();
	if (extra ? !copy_buffer(&known, from, at, &size) : !copy_each(layout, &known, from, at))
		return false;
	length = (uint16_t)(size | (layout->more || size < layout->size ? 0x8000 : 0));
	memcpy(head, &length, sizeof(length));
	memcpy(head + sizeof(length), &layout->number, sizeof(layout->number));
	*to = at + size;
	return true;
}

char *trace_layout_none(char *to)
{
	const uint32_t none = CUAUDIT_TRACE_NO_LAYOUT;

	memset(to, 0, TRACE_LAYOUT_HEAD);
	memcpy(to + sizeof(uint16_t), &none, sizeof(none));
	return to + TRACE_LAYOUT_HEAD;
}

void trace_layout_forked(void)
{
	trace_table_clear(&layouts);
	nlayouts = 0;
}
