/* SPDX-License-Identifier: Apache-2.0 */
/* How a record of a call is ended, see cuaudit-trace(5). */
#ifndef HOOKS_MODULES_TRACE_TRACE_RECORD_H
#define HOOKS_MODULES_TRACE_TRACE_RECORD_H

#include "hooks/modules/trace/trace_writer.h"

enum { TRACE_RECORD_PREFETCH = 128 };	/* words: some calls ahead, since they come in bursts */

static inline void trace_record_prefetch(const uint64_t *at)
{
#if defined(__x86_64__)
	/* The compiler's own would bring the line in as one to be read. */
	__asm__ volatile("prefetchw %0" : : "m"(*at));
#else
	__builtin_prefetch(at, 1);
#endif
}

/*
 * Context: call. Writes the first two words of a record that ends at `to`, and
 * ends the chunk there. What comes after it will be written before long: its
 * line of the cache is asked for now, since a locked instruction of the
 * program would wait for it later.
 */
static inline __attribute__((always_inline))
void trace_record_commit(struct trace_writer *writer, uint32_t site, uint64_t correlation,
			 size_t words, uint64_t ticks, uint64_t delta,
			 uint64_t flags)
{
	uint64_t *at = writer->at;

	at[words] = 0;
	at[1] = ticks | (uint64_t)site << 32;
	/* Pairs with the reader: the record is there with its first word. */
	__atomic_store_n(at, words | flags << 8 | (correlation & 0xffff) << 16 | delta << 32,
			 __ATOMIC_RELEASE);
	at += words;
	writer->at = at;
	writer->correlation = correlation;
	writer->calls++;
	trace_record_prefetch(at + TRACE_RECORD_PREFETCH);
}

#endif
