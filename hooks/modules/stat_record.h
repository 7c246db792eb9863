/* SPDX-License-Identifier: Apache-2.0 */
/* How a call is added to its cell. */
#ifndef HOOKS_MODULES_STAT_RECORD_H
#define HOOKS_MODULES_STAT_RECORD_H

#include <cuaudit/stat.h>

/*
 * Each cell has one writer, its thread; others may read it at any time, and
 * aligned words never tear. A signal handler that calls the driver while its
 * thread is in here writes to the same cell: one instruction a field keeps
 * both additions. squares, min, max and the bucket take several: what the
 * handler did to that one field between them is lost. Where there is no such
 * instruction, the same holds for every field.
 */
static inline void stat_add(uint64_t *word, uint64_t value)
{
#if defined(__x86_64__)
	__asm__("addq %1, %0" : "+m"(*word) : "er"(value));
#else
	*word += value;
#endif
}

/* What an exit hook does with the time; waits: the result that is no error. */
static inline void stat_record(struct cuaudit_stat_cell *cell, uint64_t ticks, int32_t result,
			       int32_t waits)
{
	uint32_t *bucket;

	/* The counter of another processor may be a little behind. */
	if (__builtin_expect((int64_t)ticks < 0, 0))
		ticks = 0;
	stat_add(&cell->calls, 1);
	if (__builtin_expect(result != 0, 0))
		stat_add(result == waits ? &cell->not_ready : &cell->errors, 1);
	stat_add(&cell->total, ticks);
	cell->squares += (double)(int64_t)ticks * (double)(int64_t)ticks;
	if (__builtin_expect(ticks < cell->min, 0))
		cell->min = ticks;
	if (__builtin_expect(ticks > cell->max, 0))
		cell->max = ticks;
	bucket = &cell->buckets[cuaudit_stat_bucket(ticks)];
	if (__builtin_expect(!++*bucket, 0))
		*bucket = UINT32_MAX;
}

#endif
