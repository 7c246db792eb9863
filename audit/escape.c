/* SPDX-License-Identifier: Apache-2.0 */
/* What the auditor could not route, kept for the core's report. */
#include "audit/escape.h"

#include "audit/judge.h"
#include "audit/message.h"
#include "audit/slot_lock.h"
#include "audit/sys.h"
#include "audit/unchecked.h"
#include "util/check_mark.h"

static const char *const reasons[CUAUDIT_ESCAPES] = {
#define ESCAPE(kind, key, reason) [CUAUDIT_ESCAPE_##kind] = reason,
#include <cuaudit/escapes.def>
#undef ESCAPE
};

static const char *paths[LINK_ESCAPES];
static _Atomic uint32_t printed;

static bool same(const struct link_escape *escape, enum cuaudit_escape_kind kind, const char *name,
		 uint32_t object)
{
	return escape->kind == kind && escape->object == object && sys_equal(escape->name, name);
}

/* The record of such an escape; the last of all is for those that found no other. */
static struct link_escape *find(enum cuaudit_escape_kind kind, const char *path, uint32_t object)
{
	const char *name = sys_basename(path);
	uint32_t count = atomic_load_explicit(&object_table.nescapes, memory_order_relaxed);
	struct link_escape *escape = object_table.escapes;

	for (; escape < object_table.escapes + count; escape++)
		if (same(escape, kind, name, object))
			return escape;
	if (count == LINK_ESCAPES)
		return escape - 1;
	*escape = (struct link_escape){ .kind = kind, .object = object };
	paths[count] = sys_copy(path, sys_strlen(path));
	if (!paths[count])
		paths[count] = "";
	escape->name = count == LINK_ESCAPES - 1 ? "(others)" : sys_basename(paths[count]);
	/* Pairs with the core's reading of them. */
	atomic_store_explicit(&object_table.nescapes, count + 1, memory_order_release);
	return escape;
}

void escape_record(enum cuaudit_escape_kind kind, const char *path, const struct link_object *object,
		 uint32_t times)
{
	/* Bindings record some, under no lock of the loader's. */
	uint64_t signals = slot_lock_take();
	struct link_escape *escape = find(kind, path, object ? object->index + 1 : 0);

	slot_lock_release(signals);
	atomic_fetch_add_explicit(&escape->count, times, memory_order_relaxed);
	if (link_any_provider(&object_table))
		escape_print();
}

/* Whether calls of the driver are among what it is of: not those of functions of other libraries alone. */
static bool is_of_driver(const struct link_escape *escape)
{
	switch (escape->kind) {
	case CUAUDIT_ESCAPE_PROVIDER:
	case CUAUDIT_ESCAPE_UNFIT:
		return false;
	case CUAUDIT_ESCAPE_IFUNC:
	case CUAUDIT_ESCAPE_SLOTS:
		return !escape->object ||
		       link_object(&object_table, escape->object - 1)->flags & LINK_OBJECT_DRIVER;
	default:
		return atomic_load_explicit(&object_table.ndrivers, memory_order_relaxed);
	}
}

static void judge(uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (is_of_driver(&object_table.escapes[i]))
			judge_uncounted(paths[i]);
}

void escape_print(void)
{
	uint32_t count = atomic_load_explicit(&object_table.nescapes, memory_order_acquire);
	uint32_t next = atomic_load_explicit(&printed, memory_order_relaxed);

	while (next < count)
		if (atomic_compare_exchange_weak_explicit(&printed, &next, next + 1,
							  memory_order_relaxed,
							  memory_order_relaxed)) {
			message_say("not intercepted: ", paths[next], ": ",
				    reasons[object_table.escapes[next].kind], NULL);
			/* At once: one that is killed has no end at which rules tell. */
			if (object_table.escapes[next].kind != CUAUDIT_ESCAPE_UNFIT)
				unchecked_leave(object_table.environment.check, CHECK_MARK_UNCHECKED);
		}
	judge(count);
}

bool escape_any(void)
{
	return link_any_provider(&object_table) &&
	       atomic_load_explicit(&object_table.nescapes, memory_order_relaxed);
}
