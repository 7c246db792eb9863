/* SPDX-License-Identifier: Apache-2.0 */
/* What a recorded function does to memory, or which kernel it launches. */
#include "analysis/facts.h"

#include <cuaudit/api.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/summary.h"
#include "print/table.h"
#include "tracefile/copy.h"

const char *const summary_memory_kinds[SUMMARY_KINDS] = {
#define MEMORY(name, text) [SUMMARY_##name] = text,
#include "tables/facts.def"
};

enum {
#define SPACE(name, type) SPACE_##name,
#include "tables/facts.def"
};

/* What an object of each kind is counted as, and its space. */
enum {
#define KIND(name, text, space, memory) \
	MEMORY_##name = SUMMARY_##memory, SPACE_OF_##name = SPACE_##space,
#include "tables/facts.def"
};

/* The spaces of what is counted, a bit each. */
static const uint64_t counted = 0
#define KIND(name, text, space, memory) \
	| (uint64_t)(SUMMARY_##memory != SUMMARY_UNCOUNTED) << SPACE_##space
#include "tables/facts.def"
	;

/* What the table's words are to one who counts. */
enum {
	AGAIN_NEW = FACT_NONE,
	AGAIN_SAME = FACT_NONE,
	AGAIN_OWNED = FACT_NONE,
	AGAIN_COUNT = FACT_CLAIMS,
	FREES_ONE = FACT_FREES,
	FREES_ALL = FACT_NONE,
	FREES_MAPPINGS = FACT_NONE,
	FREES_PRIMARY = FACT_NONE,
	FREES_RESET = FACT_NONE
};

static const struct row {
	const char *base;
	uint8_t action, kind, space, how;
	const char *handle, *size;
} rows[] = {
#define LAUNCHES(base, kernel) { #base, FACT_LAUNCHES, 0, 0, 0, #kernel, NULL },
#define ALLOCATES(base, kind, handle, parent, again) \
	{ #base, AGAIN_##again, MEMORY_##kind, SPACE_OF_##kind, 0, #handle, NULL },
#define SIZED(base, kind, handle, parent, again, how, size) \
	{ #base, FACT_ALLOCATES, MEMORY_##kind, SPACE_OF_##kind, FACT_##how, #handle, #size },
#define FREES(base, space, handle, how) \
	{ #base, FREES_##how, 0, SPACE_##space, 0, #handle, NULL },
#include "tables/facts.def"
};

static bool is_counted(const struct row *row)
{
	if (row->action == FACT_FREES)
		return counted >> row->space & 1;
	return row->action == FACT_LAUNCHES ||
	       (row->action && row->kind != SUMMARY_UNCOUNTED && row->how <= FACT_ARRAY3D);
}

static uint8_t word_of(const struct print_param *params, uint32_t count, const char *name)
{
	for (uint32_t i = 0; name && i < count; i++)
		if (!strcmp(params[i].name, name))
			return params[i].word;
	return FACT_NO_WORD;
}

/* Where a value lies among the arguments, if only values are before it. */
static uint16_t place_of(const struct trace_function *function, uint8_t word)
{
	uint32_t at = function->masked ? 2 : 0;

	for (uint32_t i = 0; i < function->nsteps; i++) {
		const struct cuaudit_trace_step *step = &function->steps[i];

		if (step->kind >= CUAUDIT_TRACE_DEREF)
			break;
		if (step->kind != CUAUDIT_TRACE_VALUE)
			continue;
		if (step->word == word && step->size == sizeof(uint64_t))
			return (uint16_t)at;
		at += step->size;
		if (at >= FACT_SEARCH)
			break;
	}
	return FACT_SEARCH;
}

struct fact fact_of(const struct trace_function *function)
{
	const struct fact none = { .action = FACT_NONE, .copies = (int8_t)copy_kind(function),
				   .waits = function->classes & CUAUDIT_CLASS_SYNC,
				   .asks = query_is(function->name) };
	const struct print_param *params = function->params;
	uint32_t count = function->nparams;

	for (size_t i = 0; count && i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct row *row = &rows[i];
		struct fact fact = none;

		if (strcmp(row->base, function->base) || !is_counted(row))
			continue;
		fact.action = row->action;
		fact.kind = row->kind;
		/* Arrays of any number of levels are distinguished together. */
		fact.space = row->space == SPACE_MIPMAPPED_ARRAY ? SPACE_ARRAY : row->space;
		fact.how = row->how;
		fact.handle = word_of(params, count, row->handle);
		fact.size = word_of(params, count, row->size);
		fact.height = word_of(params, count, "Height");
		fact.levels = word_of(params, count, "numMipmapLevels");
		fact.at = place_of(function, fact.handle);
		return fact;
	}
	return none;
}

struct fact *facts_of(const struct trace *trace)
{
	struct fact *facts = calloc(trace->nfunctions + 1, sizeof(*facts));

	for (size_t i = 0; facts && i < trace->nfunctions; i++)
		facts[i] = fact_of(&trace->functions[i]);
	return facts;
}
