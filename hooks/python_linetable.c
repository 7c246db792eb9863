/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of instructions, from the tables of CPython's code objects. */
#include <string.h>

#include "hooks/python.h"
#include "hooks/safe_read.h"

enum {
	MOST = 4 << 20,		/* bytes of a table that are read */
	UNIT = 2,		/* bytes of an instruction */
	NO_LINE = -128		/* a step of 3.10's table: these instructions have none */
};

/* A table as a stream. */
struct table {
	struct python_thread *own;
	uint64_t at, end;	/* what is not in the scratch yet */
	uint32_t next, count;	/* of the scratch */
	uint32_t used;
};

static bool more(struct table *table)
{
	uint64_t size = table->end - table->at;

	if (table->next < table->count)
		return true;
	if (size > PYTHON_SCRATCH)
		size = PYTHON_SCRATCH;
	if (!size || table->used >= MOST || !safe_read(table->at, table->own->scratch, size))
		return false;
	table->at += size;
	table->next = 0;
	table->count = (uint32_t)size;
	return true;
}

/* 0 past the end. */
static uint8_t take(struct table *table)
{
	if (!more(table))
		return 0;
	table->used++;
	return (uint8_t)table->own->scratch[table->next++];
}

/* Six bits a byte, the lowest first; 64 says that others follow. */
static uint32_t take_number(struct table *table)
{
	uint32_t value = 0, shift = 0, byte;

	do {
		byte = take(table);
		value |= shift < 32 ? (byte & 63) << shift : 0;
		shift += 6;
	} while (byte & 64);
	return value;
}

static int32_t take_signed(struct table *table)
{
	uint32_t value = take_number(table);

	return value & 1 ? -(int32_t)(value >> 1) : (int32_t)(value >> 1);
}

/* Pairs of steps: of bytes of code, and of lines from there on. */
static int64_t line_by_pairs(struct table *table, int64_t line, int64_t instruction)
{
	int64_t at = 0;

	while (more(table)) {
		at += take(table);
		if (at > instruction)
			break;
		line += (int8_t)take(table);
	}
	return line;
}

/* Pairs: of bytes of code, and the step of their line. */
static int64_t line_by_ranges(struct table *table, int64_t line, int64_t instruction)
{
	int64_t at = 0;

	while (more(table)) {
		int32_t step;

		at += take(table);
		step = (int8_t)take(table);
		line += step == NO_LINE ? 0 : step;
		if (at > instruction)
			return step == NO_LINE ? 0 : line;
	}
	return 0;
}

/* Entries: a byte with a code and how many units, then what the code takes. */
static int64_t line_by_entries(struct table *table, int64_t line, int64_t instruction)
{
	enum { SHORT_LAST = 9, ONE_LINE_LAST = 12, NO_COLUMNS = 13, LONG = 14, NONE = 15 };
	int64_t at = 0;

	while (more(table)) {
		uint32_t first = take(table), code = first >> 3 & 15;

		at += UNIT * ((first & 7) + 1);
		if (code <= SHORT_LAST) {
			take(table);
		} else if (code <= ONE_LINE_LAST) {
			line += code - SHORT_LAST - 1;
			take(table);
			take(table);
		} else if (code != NONE) {
			line += take_signed(table);
			if (code == LONG)
				for (int i = 0; i < 3; i++)
					take_number(table);
		}
		if (at > instruction)
			return code == NONE ? 0 : line;
	}
	return 0;
}

uint32_t python_line(const struct python *python, struct python_thread *own,
		     const struct python_code *code, uint32_t *used)
{
	const struct python_layout *at = &python->at;
	struct table table = { .own = own };
	uint64_t type, size;
	int64_t line = code->line;

	*used = 0;
	if (!safe_read(code->lines + at->object_type, &type, sizeof(type)) ||
	    type != python->bytes_type ||
	    !safe_read(code->lines + at->bytes_size, &size, sizeof(size)) || size > INT32_MAX)
		return 0;
	table.at = code->lines + at->bytes_data;
	table.end = table.at + size;
	if (code->instruction >= 0)
		line = python->minor <= 9 ? line_by_pairs(&table, line, code->instruction) :
		       python->minor == 10 ? line_by_ranges(&table, line, code->instruction) :
					     line_by_entries(&table, line, code->instruction);
	*used = at->bytes_data + table.used;
	return line > 0 && line <= INT32_MAX ? (uint32_t)line : 0;
}
