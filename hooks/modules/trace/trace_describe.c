/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptions of a trace: what its numbers stand for. */
#include "hooks/modules/trace/trace_describe.h"

#include <string.h>

#include <cuaudit/clock.h>
#include <cuaudit/coverage.h>

#include "hooks/call_site.h"
#include "hooks/modules/trace/trace_chunk.h"
#include "hooks/modules/trace/trace_file.h"
#include "hooks/modules/trace/trace_plan.h"
#include "hooks/modules/trace/trace_table.h"
#include "hooks/provider_types.h"

static struct trace_chunk chunk;	/* none: they are still in the file's first */
static char *at, *end;

/* From what the core calls them to what the file does, + 1. */
static struct trace_table libraries, sites;
enum { QUICK = 1024 };		/* libraries, whose numbers are kept until any comes or goes */
static struct quick {
	uint64_t generation;	/* and 1 */
	uint32_t number;
} quick[QUICK];
static uint32_t nlibraries, nsites;
static uint8_t functions[CUAUDIT_SLOTS_MAX / 8], drivers[CUAUDIT_SLOTS_MAX / 8];	/* a bit each */

static bool take_room(size_t size, uint32_t *why)
{
	struct trace_chunk next = { .at = NULL };

	if (trace_file_ended(why))
		return false;
	if (!at) {
		at = trace_file_begin(why);
		end = at + CUAUDIT_TRACE_CHUNK - CUAUDIT_TRACE_HEADER;
		if (!at)
			return false;
	}
	if ((size_t)(end - at) >= size)
		return true;
	/* A fresh chunk would have no room for it either. */
	*why = CUAUDIT_TRACE_LOST_SIZE;
	if (size > CUAUDIT_TRACE_CHUNK - CUAUDIT_TRACE_CHUNK_HEADER)
		return false;
	if (!trace_chunk_begin(&next, CUAUDIT_TRACE_DESCRIPTIONS, 0, cuaudit_ticks(), 0, why))
		return false;
	if (chunk.at)
		trace_chunk_end(&chunk, 0);
	chunk = next;
	at = (char *)(chunk.at + 1);
	end = (char *)chunk.at + CUAUDIT_TRACE_CHUNK;
	return true;
}

void *trace_describe(size_t size, size_t texts, uint32_t *why)
{
	struct cuaudit_trace_record *record;

	size = (size + texts + CUAUDIT_TRACE_ALIGN - 1) / CUAUDIT_TRACE_ALIGN * CUAUDIT_TRACE_ALIGN;
	if (!take_room(size, why))
		return NULL;
	record = (void *)at;
	memset(record, 0, size);
	record->size = (uint32_t)size;
	return record;
}

size_t trace_describe_size(const char *text)
{
	return strnlen(text, CUAUDIT_TRACE_TEXT_MOST) + 1;
}

/* The text may have grown since it was measured. */
char *trace_describe_text(void *to, const char *text, size_t size)
{
	static const char cut[] = "...";
	size_t length = strnlen(text, size);
	char *copy = to;

	if (length < size) {
		memcpy(copy, text, length);
		return copy + length + 1;
	}
	copy += size - 1;
	memcpy(to, text, size - 1);
	if (size > sizeof(cut))
		memcpy(copy + 1 - sizeof(cut), cut, sizeof(cut) - 1);
	return copy + 1;
}

void trace_describe_publish(void *record, enum cuaudit_trace_type type)
{
	struct cuaudit_trace_record *its = record;

	at += its->size;
	if (at < end)
		((struct cuaudit_trace_record *)at)->type = CUAUDIT_TRACE_END;
	/* Pairs with the reader. */
	__atomic_store_n(&its->type, type, __ATOMIC_RELEASE);
}

static bool is_new(uint8_t *bits, uint32_t number)
{
	return number < CUAUDIT_SLOTS_MAX && !(bits[number / 8] & 1u << number % 8);
}

static void is_known(uint8_t *bits, uint32_t number)
{
	bits[number / 8] |= (uint8_t)(1u << number % 8);
}

static bool describe_driver(uint32_t index, uint32_t *why)
{
	const struct cuaudit_driver *driver = cuaudit_driver_get(index);
	struct cuaudit_trace_driver *record;
	size_t path;

	if (!driver || !is_new(drivers, index))
		return true;
	path = trace_describe_size(driver->path);
	record = trace_describe(sizeof(*record), path, why);
	if (!record)
		return false;
	record->index = index;
	record->version = __atomic_load_n(&driver->version, __ATOMIC_RELAXED);
	trace_describe_text(record + 1, driver->path, path);
	trace_describe_publish(record, CUAUDIT_TRACE_DRIVER);
	is_known(drivers, index);
	return true;
}

static bool describe_types(const struct cuaudit_function *function, uint32_t *why)
{
	static char text[CUAUDIT_TRACE_TEXT_MOST];	/* locked, and too much for a stack */
	size_t length = provider_types_text(function, text, sizeof(text));
	uint32_t count, first = CUAUDIT_TRACE_TYPES_WORDS;
	struct cuaudit_trace_types *record;
	uint8_t words[PRINT_TYPED];
	struct print_param result;

	if (!length)
		return true;
	record = trace_describe(sizeof(*record), length + sizeof(words), why);
	if (!record)
		return false;
	count = provider_types_words(function, words);
	record->slot = function->slot;
	record->nwords = (uint16_t)(count < first ? count : first);
	record->result = provider_types_result(function, &result) ? result.word : 0;
	memcpy(record->words, words, record->nwords);
	memcpy(record + 1, text, length);
	for (uint32_t i = first; i < count; i++)
		((char *)(record + 1))[length + 1 + i - first] = (char)(words[i] + 1);
	trace_describe_publish(record, CUAUDIT_TRACE_TYPES);
	return true;
}

static bool describe_function(const struct cuaudit_function *function,
			      const struct trace_plan *plan, uint32_t *why)
{
	size_t name = trace_describe_size(function->name);
	size_t base = trace_describe_size(function->base);
	struct cuaudit_trace_function *record;

	if (!is_new(functions, function->slot))
		return true;
	if (!describe_driver(function->driver, why))
		return false;
	record = trace_describe(sizeof(*record), name + base, why);
	if (!record)
		return false;
	record->slot = function->slot;
	record->driver = function->driver;
	record->id = function->id;
	record->classes = function->classes;
	record->version = function->version;
	record->nsteps = plan->nsteps;
	memcpy(record->steps, plan->steps, sizeof(record->steps));
	trace_describe_text(trace_describe_text(record + 1, function->name, name), function->base,
			    base);
	trace_describe_publish(record, CUAUDIT_TRACE_FUNCTION);
	is_known(functions, function->slot);
	return describe_types(function, why);
}

/* What is there by a path and an address, which may be another file than before: FNV-1a of its build ID. */
static uint64_t identity(uint64_t base, const uint8_t *id, uint32_t size)
{
	uint64_t hash = 14695981039346656037u;

	for (uint32_t i = 0; i < size; i++)
		hash = (hash ^ id[i]) * 1099511628211u;
	return base ^ hash;
}

/* One that was loaded again elsewhere, or from another file, is another; code of no known object is number 0. */
bool trace_describe_library(const struct cuaudit_library *library, uint32_t *number, uint32_t *why)
{
	uint64_t generation = *cuaudit_generation, same, base;
	uint8_t id[sizeof(((struct cuaudit_trace_library *)NULL)->build_id)];
	struct cuaudit_trace_library *record;
	uint32_t size;
	size_t path;

	/* As long as no library comes or goes. */
	if (library->index < QUICK && quick[library->index].generation == generation + 1) {
		*number = quick[library->index].number;
		return true;
	}
	base = library->index ? cuaudit_library_base(library) : 0;
	size = library->index ? cuaudit_library_build_id(library, id, sizeof(id)) : 0;
	size = size < sizeof(id) ? size : sizeof(id);
	same = identity(base, id, size);
	*number = (uint32_t)trace_table_get(&libraries, library->index, same) - 1;
	if (*number == UINT32_MAX) {
		path = trace_describe_size(library->path);
		record = trace_describe(sizeof(*record), path, why);
		if (!record)
			return false;
		*why = CUAUDIT_TRACE_LOST_MEMORY;
		*number = library->index ? nlibraries + 1 : 0;
		if (trace_table_put(&libraries, library->index, same, *number + 1))
			return false;
		nlibraries += library->index != 0;
		record->index = *number;
		record->base = base;
		record->id_size = size;
		memcpy(record->build_id, id, size);
		trace_describe_text(record + 1, library->path, path);
		trace_describe_publish(record, CUAUDIT_TRACE_LIBRARY);
	}
	if (library->index < QUICK)
		quick[library->index] = (struct quick){ generation + 1, *number };
	return true;
}

bool trace_describe_site(const struct cuaudit_call *call, const struct trace_plan *plan,
			 uint32_t *number, uint32_t *why)
{
	const struct cuaudit_function *function = call->function;
	uint64_t caller = (uintptr_t)call->caller, more;
	struct cuaudit_trace_site *record;
	uint32_t library;

	if (!trace_describe_library(cuaudit_call_library(call), &library, why))
		return false;
	more = (uint64_t)library << 32 | function->slot;
	*number = (uint32_t)trace_table_get(&sites, caller, more) - 1;
	if (*number != UINT32_MAX)
		return true;
	if (!describe_function(function, plan, why))
		return false;
	record = trace_describe(sizeof(*record), 0, why);
	if (!record)
		return false;
	*why = CUAUDIT_TRACE_LOST_MEMORY;
	if (trace_table_put(&sites, caller, more, nsites + 1))
		return false;
	*number = record->number = nsites++;
	record->slot = function->slot;
	record->library = library;
	record->routes = call_site_routes(call);
	record->caller = caller;
	trace_describe_publish(record, CUAUDIT_TRACE_SITE);
	return true;
}

uint32_t trace_describe_last(void)
{
	uint32_t used = (uint32_t)(CUAUDIT_TRACE_CHUNK - (end - at));

	if (!at || (chunk.at ? chunk.index : 0) != trace_file_chunks() - 1)
		return 0;
	return used;
}

void trace_describe_forked(void)
{
	trace_room_drop(&chunk);
	at = end = NULL;
	trace_table_clear(&libraries);
	memset(quick, 0, sizeof(quick));
	trace_table_clear(&sites);
	nlibraries = nsites = 0;
	memset(functions, 0, sizeof(functions));
	memset(drivers, 0, sizeof(drivers));
}
