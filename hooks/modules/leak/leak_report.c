/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up what is left, by kind and call site. */
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "hooks/modules/leak/leak_fault.h"
#include "hooks/modules/leak/leak_print.h"
#include "hooks/modules/leak/leak_suppress.h"
#include "util/sort.h"

static int by_number(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_place(const void *left, const void *right)
{
	const struct leak_left *a = left, *b = right;
	int order = strcmp(a->site.library->path, b->site.library->path);

	if (!order)
		order = by_number(a->kind, b->kind);
	if (!order)
		order = strcmp(a->site.function->name, b->site.function->name);
	if (!order)
		order = by_number((uintptr_t)a->site.caller, (uintptr_t)b->site.caller);
	return order ? order : by_number(a->primary, b->primary);
}

static int by_bytes(const void *left, const void *right)
{
	const struct leak_left *a = left, *b = right;
	int order = strcmp(a->site.library->path, b->site.library->path);

	if (!order)
		order = by_number(b->bytes, a->bytes);
	if (!order)
		order = by_number(b->count, a->count);
	return order ? order : by_place(left, right);
}

static struct leak_left left_of(const struct leak_object *object)
{
	const struct leak_object *context = leak_find(LEAK_CONTEXT, object->context);
	bool unsized = object->size == LEAK_UNSIZED;

	return (struct leak_left){
		.site = object->allocated, .count = 1, .bytes = unsized ? 0 : object->size,
		.unsized = unsized, .kind = object->kind,
		.primary = context && context->kind == LEAK_KIND_PRIMARY,
	};
}

/* One for each object that lives. Other threads may still be at work. */
static int gather(struct leak_report *report)
{
	struct leak_object *object = NULL;
	size_t room = 0;
	sigset_t saved;
	int error = -ENOMEM;

	leak_lock(&saved);
	while ((object = leak_next(object)))
		room++;
	report->left = arena_take(&report->memory, room, sizeof(*report->left));
	if (!report->left)
		goto out;
	while ((object = leak_next(object))) {
		if (leak_suppressed(LEAK_LEFT, &object->allocated))
			report->suppressed_left++;
		else
			report->left[report->nleft++] = left_of(object);
	}
	error = 0;
out:
	leak_unlock(&saved);
	return error;
}

/* Addresses are none by themselves. */
static int is_memory(uint8_t kind)
{
	return kind != LEAK_KIND_ADDRESS_RANGE && kind != LEAK_KIND_MAPPING;
}

/* Makes equal ones one. */
static void merge(struct leak_report *report)
{
	size_t used = 0;

	for (size_t i = 0; i < report->nleft; i++) {
		report->objects++;
		if (is_memory(report->left[i].kind))
			report->bytes += report->left[i].bytes;
		report->unsized += report->left[i].unsized;
		if (report->left[i].kind != LEAK_KIND_PRIMARY)
			report->nleaks++;
		if (used && !by_place(&report->left[used - 1], &report->left[i])) {
			report->left[used - 1].count++;
			report->left[used - 1].bytes += report->left[i].bytes;
			report->left[used - 1].unsized += report->left[i].unsized;
		} else {
			report->left[used++] = report->left[i];
		}
	}
	report->nleft = used;
}

int leak_report_make(struct leak_report *report)
{
	const struct leak_fault *fault;
	int error;

	memset(report, 0, sizeof(*report));
	for (uint32_t i = 0; (fault = leak_fault_get(i)); i++) {
		if (fault->suppressed)
			report->suppressed_faults += fault->count;
		else
			report->nfaults += fault->count;
	}
	error = gather(report);
	sort(report->left, report->nleft, sizeof(*report->left), by_place);
	merge(report);
	sort(report->left, report->nleft, sizeof(*report->left), by_bytes);
	return error;
}

void leak_report_free(struct leak_report *report)
{
	arena_free(&report->memory);
}
