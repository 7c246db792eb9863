/* SPDX-License-Identifier: Apache-2.0 */
/* The driver's table by which runtimes report their calls to tools: two of its slots are ours. */
#include "hooks/runtime_table.h"

#include <cuaudit/hook.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "arch.h"
#include "hooks/core_link.h"
#include "hooks/domain.h"
#include "hooks/export_slot.h"
#include "hooks/library.h"
#include "hooks/lock.h"
#include "hooks/page_write.h"
#include "hooks/runtime_call.h"
#include "hooks/runtime_flags.h"
#include "hooks/runtime_row.h"

/* Words of the table, and what it has to be. */
enum { SIZE, REPORT, ASK, TABLE_SIZE = 0x38, UUID = 16 };

typedef uint64_t (*report_fn)(uint64_t callback, struct runtime_report *report);
typedef uint64_t (*ask_fn)(uint32_t **flags, size_t *count);

static struct table {
	uint64_t *at;			/* NULL: none */
	_Atomic report_fn report;	/* the driver's own */
	_Atomic ask_fn ask;
} tables[RUNTIME_TABLES];

static const uint8_t runtime_uuid[UUID] = {
	0xa0, 0x94, 0x79, 0x8c, 0x2e, 0x74, 0x2e, 0x74, 0x93, 0xf2, 0x08, 0x00, 0x20, 0x0c, 0x0a, 0x66
};

/* The tables that a runtime asks for first when it begins. */
static const uint8_t first_uuids[][UUID] = {
	{ 0xf8, 0xcf, 0xf9, 0x51, 0x21, 0x46, 0x8b, 0x4e, 0xb9, 0xe2, 0xfb, 0x46, 0x9e, 0x7c, 0x0d, 0xd9 },
	{ 0x6b, 0xd5, 0xfb, 0x6c, 0x5b, 0xf4, 0xe7, 0x4a, 0x89, 0x87, 0xd9, 0x39, 0x12, 0xfd, 0x9d, 0xf9 },
};

static _Atomic bool off, unseen;
static _Atomic bool began, reports;	/* a runtime that is linked in, and one that then asked what to report */

/* One message; no call is seen from then on. Other tools have what they ask for as before. */
static void give_up(const char *why)
{
	atomic_store_explicit(&unseen, true, memory_order_relaxed);
	if (!atomic_exchange_explicit(&off, true, memory_order_relaxed))
		cuaudit_log(CUAUDIT_WARN, "calls of the runtime are not seen: %s", why);
	runtime_flags_set_all();
}

static bool is_off(void)
{
	return atomic_load_explicit(&off, memory_order_relaxed);
}

/* The names of both are equal, up to what one of them has behind a '_'. */
static bool same_name(const char *name, const char *own)
{
	while (*name && *name == *own) {
		name++;
		own++;
	}
	return (!*name || *name == '_') && (!*own || *own == '_');
}

/* By callback, the name by which a runtime reported the row's function last: it is what the row says. */
static _Atomic(const char *) names[RUNTIME_FLAGS];

static bool is_known(uint64_t callback, const struct runtime_report *report)
{
	return callback < RUNTIME_FLAGS && report->name &&
	       atomic_load_explicit(&names[callback], memory_order_relaxed) == report->name;
}

/* Whether a row is the function that is reported by its callback. */
static bool is_named(const struct runtime_row *row, const struct runtime_report *report)
{
	if (report->name && !same_name(report->name, runtime_row_name(row)))
		return false;
	atomic_store_explicit(&names[row->callback], report->name, memory_order_relaxed);
	return true;
}

static bool is_whole(uint64_t callback, const struct runtime_report *report)
{
	return report && report->size == RUNTIME_REPORT_SIZE && report->callback == callback &&
	       report->site <= RUNTIME_EXIT;
}

static void report_newer(const struct runtime_report *report)
{
	static _Atomic bool reported;

	if (!atomic_exchange_explicit(&reported, true, memory_order_relaxed))
		cuaudit_log(CUAUDIT_WARN, "the runtime's %s is newer than this cuaudit: its calls, and those "
			    "of other functions as new, are not seen", report->name ? report->name : "function");
}

static __attribute__((noinline, cold))
const struct runtime_row *judge_first(uint64_t callback, const struct runtime_report *report)
{
	const struct runtime_row *row;

	if (!is_whole(callback, report)) {
		give_up("the runtime reports them in a way that is not known");
		return NULL;
	}
	row = runtime_row_of_callback(callback);
	if (!row) {
		report_newer(report);
		return NULL;
	}
	if (is_named(row, report))
		return row;
	give_up("the runtime has other numbers for its functions");
	return NULL;
}

/* The row of a call that begins and is to be seen. A name is compared once. */
static inline __attribute__((always_inline))
const struct runtime_row *judge(uint64_t callback, const struct runtime_report *report)
{
	return likely(is_whole(callback, report) && is_known(callback, report)) ?
	       runtime_row_of_callback(callback) : judge_first(callback, report);
}

static __attribute__((noinline))
uint64_t look_and_enter(uint32_t number, const struct runtime_row *row, const struct runtime_report *report,
			const void *back)
{
	runtime_flags_look(number);
	return runtime_call_enter(row, report, back);
}

static inline __attribute__((always_inline))
uint64_t enter(uint32_t number, const struct runtime_row *row, const struct runtime_report *report, const void *back)
{
	if (!row)
		return 0;
	back = arch_plain_address(back);
	return unlikely(runtime_flags_due(number)) ? look_and_enter(number, row, report, back) :
						     runtime_call_enter(row, report, back);
}

static inline __attribute__((always_inline)) bool is_exit(uint64_t callback, const struct runtime_report *report)
{
	return is_whole(callback, report) && report->site == RUNTIME_EXIT;
}

/* Other tools are asked as they want to be, outside of what is measured. */
static __attribute__((noinline))
uint64_t reported_to_others(uint32_t number, uint64_t callback, struct runtime_report *report, const void *back)
{
	report_fn real = atomic_load_explicit(&tables[number].report, memory_order_relaxed);
	const struct runtime_row *row = NULL;
	uint64_t answer;

	/* Of a call that was seen to begin more is known than a report tells. */
	if (!is_off() && is_exit(callback, report))
		runtime_call_exit(report);
	else if (!is_off())
		row = judge(callback, report);
	answer = real(callback, report);
	enter(number, row, report, back);
	return answer;
}

static __attribute__((noinline, cold))
uint64_t reported_first(uint32_t number, uint64_t callback, struct runtime_report *report, const void *back)
{
	return enter(number, judge_first(callback, report), report, back);
}

/* What is done most often saves no register. */
static inline __attribute__((always_inline))
uint64_t reported(uint32_t number, uint64_t callback, struct runtime_report *report, const void *back)
{
	if (unlikely(runtime_flags_asked(number, callback)))
		return reported_to_others(number, callback, report, back);
	if (unlikely(is_off()))
		return 0;
	if (is_exit(callback, report))
		return runtime_call_exit(report);
	if (unlikely(!is_whole(callback, report) || !is_known(callback, report)))
		return reported_first(number, callback, report, back);
	return enter(number, runtime_row_of_callback(callback), report, back);
}

static uint64_t asked(uint32_t number, uint32_t **flags, size_t *count)
{
	ask_fn real = atomic_load_explicit(&tables[number].ask, memory_order_relaxed);
	uint64_t answer = real(flags, count);
	uint32_t *own;

	if (is_off())
		return answer;
	if (!flags || !count || !*flags || *count != RUNTIME_FLAGS) {
		give_up("the driver has another number of flags for the runtime's functions");
		return answer;
	}
	atomic_store_explicit(&reports, true, memory_order_relaxed);
	own = runtime_flags_give(number, *flags);
	if (own)
		*flags = own;
	else
		give_up("there is no memory for the runtime's flags, or the driver's cannot be read");
	return answer;
}

/* A table's functions have no argument that tells which table it is. */
#define EACH(table) table(0) table(1) table(2) table(3)
#define FUNCTIONS(number) \
	static uint64_t report_##number(uint64_t callback, struct runtime_report *report) \
	{ \
		return reported(number, callback, report, __builtin_return_address(0)); \
	} \
	static uint64_t ask_##number(uint32_t **flags, size_t *count) \
	{ \
		return asked(number, flags, count); \
	}
EACH(FUNCTIONS)

static const struct {
	report_fn report;
	ask_fn ask;
} functions[] = {
#define ROW(number) { report_##number, ask_##number },
	EACH(ROW)
};

_Static_assert(sizeof(functions) / sizeof(functions[0]) == RUNTIME_TABLES, "tables");

/* Whether a slot leads into the driver, or a library of its own; the table may be anywhere. */
static bool is_drivers(uint64_t slot)
{
	const struct link_object *object = library_object(slot);

	return object && object->flags & (LINK_OBJECT_DRIVER | LINK_OBJECT_DRIVER_PRIVATE);
}

static bool is_ours(const uint64_t *table)
{
	for (uint32_t i = 0; i < RUNTIME_TABLES; i++)
		if (tables[i].at == table && table[REPORT] == (uintptr_t)functions[i].report)
			return true;
	return false;
}

/* A number for the table: that it had before, or one of a table that is no more. */
static int number_for(const uint64_t *table)
{
	uint64_t word;

	for (int i = 0; i < RUNTIME_TABLES; i++)
		if (tables[i].at == table)
			return i;
	for (int i = 0; i < RUNTIME_TABLES; i++)
		if (!tables[i].at || !page_read(tables[i].at, &word, sizeof(word)))
			return i;
	return -1;
}

/* The two words that are the driver's, and those that take their place. */
static void words_of(int number, uint64_t theirs[2], uint64_t ours[2])
{
	theirs[0] = (uintptr_t)atomic_load_explicit(&tables[number].report, memory_order_relaxed);
	theirs[1] = (uintptr_t)atomic_load_explicit(&tables[number].ask, memory_order_relaxed);
	ours[0] = (uintptr_t)functions[number].report;
	ours[1] = (uintptr_t)functions[number].ask;
}

/* Under the lock. Why it cannot be, or NULL. */
static const char *take(uint64_t *table)
{
	uint64_t theirs[2], ours[2];
	int number;

	if (table[SIZE] != TABLE_SIZE)
		return "the driver's table for tools has another size";
	if (is_ours(table))
		return NULL;
	if (!is_drivers(table[REPORT]) || !is_drivers(table[ASK]))
		return "another tool has taken the driver's table for tools";
	number = number_for(table);
	if (number < 0)
		return "there are too many copies of the driver";
	atomic_store_explicit(&tables[number].report, (report_fn)table[REPORT], memory_order_relaxed);
	atomic_store_explicit(&tables[number].ask, (ask_fn)table[ASK], memory_order_relaxed);
	tables[number].at = table;
	words_of(number, theirs, ours);
	return page_write(&table[REPORT], theirs, ours, 2) ? NULL :
	       "the driver's table for tools cannot be written to";
}

/* Calls of a shared runtime are hooked where they are bound; that of a library is not, which may be a provider itself. */
static bool is_linked_in(const void *caller)
{
	static const char shared[] = "libcudart.so";
	const struct link_object *object = library_object((uintptr_t)caller);

	return !(object && object->flags & LINK_OBJECT_PROVIDER && !strncmp(object->name, shared, sizeof(shared) - 1));
}

void runtime_table_asked(const uint8_t *uuid, const void *caller)
{
	bool first = false;

	for (size_t i = 0; i < sizeof(first_uuids) / sizeof(first_uuids[0]); i++)
		first |= !memcmp(uuid, first_uuids[i], UUID);
	if (first && domain_is_on(DOMAIN_RUNTIME) && is_linked_in(caller))
		atomic_store_explicit(&began, true, memory_order_relaxed);
}

void runtime_table_answered(const uint8_t *uuid, uint64_t *table)
{
	const char *why;
	sigset_t saved;

	if (!domain_is_on(DOMAIN_RUNTIME) || is_off())
		return;
	if (memcmp(uuid, runtime_uuid, UUID)) {
		/* Those are what runtimes and frameworks ask for; the others are tools'. */
		if (export_slot_row(uuid))
			runtime_flags_update();
		else
			runtime_flags_set_all();
		return;
	}
	lock_take(LOCK_RUNTIME, &saved);
	why = take(table);
	lock_release(LOCK_RUNTIME, &saved);
	if (why)
		give_up(why);
}

void runtime_table_refused(const uint8_t *uuid, const void *caller)
{
	if (domain_is_on(DOMAIN_RUNTIME) && !is_off() && !memcmp(uuid, runtime_uuid, UUID) && is_linked_in(caller))
		give_up("the driver has no table for tools, by which static runtimes report them");
}

/* One that fails while it begins answers all its calls with an error, and reports none. */
static bool is_unready(void)
{
	return atomic_load_explicit(&began, memory_order_relaxed) && !atomic_load_explicit(&reports, memory_order_relaxed);
}

bool runtime_table_unseen(void)
{
	return atomic_load_explicit(&unseen, memory_order_relaxed) || is_unready();
}

void runtime_table_finish(void)
{
	if (is_unready() && !is_off())
		cuaudit_log(CUAUDIT_WARN, "calls of the runtime are not seen: it did not get ready, as this driver has not all that "
			    "it asks for");
	atomic_store_explicit(&off, true, memory_order_relaxed);
	runtime_flags_stop();
	for (int i = 0; i < RUNTIME_TABLES; i++) {
		uint64_t now[3], theirs[2], ours[2], *table = tables[i].at;

		words_of(i, theirs, ours);
		/* The driver may be unloaded, or another tool be in our place. */
		if (table && page_read(table, now, sizeof(now)) &&
		    !memcmp(&now[REPORT], ours, sizeof(ours)))
			page_write(&table[REPORT], ours, theirs, 2);
	}
}
