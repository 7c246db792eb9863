/* SPDX-License-Identifier: Apache-2.0 */
/* What the program calls things by NVTX. */
#include "tracefile/names.h"

#include <stdlib.h>
#include <string.h>

#include "util/sort.h"

/* Domains have names of their own for categories alone. */
static uint32_t domain_of(const struct trace_range_name *name)
{
	return name->kind <= CUAUDIT_TRACE_NAME_CATEGORY ? name->domain : 0;
}

/* A domain is its number. */
static uint64_t id_of(const struct trace_range_name *name)
{
	return name->kind == CUAUDIT_TRACE_NAME_DOMAIN ? 0 : name->id;
}

static int compare(const struct trace_range_name *x, const struct trace_range_name *y)
{
	return ORDER(x->kind, y->kind) ?: ORDER(domain_of(x), domain_of(y)) ?: ORDER(id_of(x), id_of(y));
}

static int compare_names(const void *a, const void *b)
{
	const struct trace_range_name *x = a, *y = b;

	return compare(x, y) ?: ORDER(x->number, y->number);
}

const char *trace_name(const struct trace *trace, uint32_t kind, uint32_t domain, uint64_t id)
{
	const struct trace_range_name name = { .kind = kind, .domain = domain, .id = id };
	size_t at = FIRST(trace->nrange_names, i, compare(&trace->range_names[i], &name) < 0);

	return at < trace->nrange_names && !compare(&trace->range_names[at], &name) ?
	       trace->range_names[at].text : "";
}

/* A text is cut where a character begins. */
static void rename_thread(struct trace_thread *thread, const char *text)
{
	size_t length = strnlen(text, sizeof(thread->name) - 1);

	while (text[length] && length && (text[length] & 0xc0) == 0x80)
		length--;
	memcpy(thread->name, text, length);
	thread->name[length] = '\0';
}

void trace_names_settle(struct trace *trace)
{
	struct trace_range_name *names = trace->range_names;
	size_t kept = 0;

	if (trace->nrange_names > 1)
		qsort(names, trace->nrange_names, sizeof(*names), compare_names);
	for (size_t i = 0; i < trace->nrange_names; i++) {
		kept -= kept && !compare(&names[kept - 1], &names[i]);
		names[kept++] = names[i];
	}
	trace->nrange_names = kept;
	for (size_t i = 0; kept && i < trace->nthreads; i++) {
		struct trace_thread *thread = &trace->threads[i];
		const char *text = thread->tid <= 0 ? "" :
				   trace_name(trace, CUAUDIT_TRACE_NAME_THREAD, 0, (uint64_t)thread->tid);

		if (*text)
			rename_thread(thread, text);
	}
}
