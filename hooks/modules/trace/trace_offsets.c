/* SPDX-License-Identifier: Apache-2.0 */
/* What trace_fast_path_x86_64.S has to know of C. */
#include <internal/offsets.h>

#include "hooks/modules/trace/trace_kernel.h"
#include "hooks/modules/trace/trace_record.h"

static __attribute__((used)) void offsets(void)
{
	OFFSET(WRITER_AT, struct trace_writer, at);
	OFFSET(WRITER_LIMIT, struct trace_writer, limit);
	OFFSET(WRITER_END, struct trace_writer, end);
	OFFSET(WRITER_CORRELATION, struct trace_writer, correlation);
	OFFSET(WRITER_CALLS, struct trace_writer, calls);
	OFFSET(WRITER_EPOCH, struct trace_writer, kernels_epoch);
	OFFSET(WRITER_SITES, struct trace_writer, sites);
	OFFSET(WRITER_KERNELS, struct trace_writer, kernels);
	VALUE(KERNELS_LOW, TRACE_KERNELS_LOW);
	VALUE(KERNELS_HIGH, TRACE_KERNELS_HIGH);
	VALUE(KERNELS_MASK, TRACE_KERNELS - 2);

	VALUE(SITES_FACTOR, TRACE_SITES_FACTOR);
	VALUE(SITES_BITS, TRACE_SITES_BITS);
	VALUE(SITE_FUNCTION_SHIFT, TRACE_SITE_FUNCTION_SHIFT);
	VALUE(SITE_SHIFT, __builtin_ctz(sizeof(struct trace_site)));
	OFFSET(SITE_CALLER, struct trace_site, caller);
	OFFSET(SITE_FUNCTION, struct trace_site, function);
	OFFSET(SITE_GENERATION, struct trace_site, generation);
	OFFSET(SITE_NUMBER, struct trace_site, number);
	OFFSET(SITE_MASK, struct trace_site, fast.mask);
	OFFSET(SITE_WORDS, struct trace_site, fast.words);
	OFFSET(SITE_FIRST, struct trace_site, fast.first);
	OFFSET(SITE_SECOND, struct trace_site, fast.second);
	OFFSET(SITE_END, struct trace_site, fast.end);
	OFFSET(SITE_SMALL, struct trace_site, fast.small);
	VALUE(SMALL_SIZE, sizeof(struct trace_fast_small));
	OFFSET(SMALL_WORD, struct trace_fast_small, word);
	OFFSET(SMALL_AT, struct trace_fast_small, at);
	OFFSET(SMALL_UPPER, struct trace_fast_small, upper);
	OFFSET(LAST_RECORD, struct trace_site, last.record);
	OFFSET(LAST_WORD, struct trace_site, last.one.word);
	OFFSET(LAST_SMALL, struct trace_site, last.one.small);
	OFFSET(LAST_MASKS, struct trace_site, last.masks);
	OFFSET(COLD, struct trace_sites, cold);
	VALUE(COLD_WORDS, offsetof(struct trace_sites, cold[0].words));
	VALUE(COLD_SMALL, offsetof(struct trace_sites, cold[0].small));

	VALUE(RECORD_HEAD, TRACE_RECORD_WORDS * sizeof(uint64_t));
	VALUE(RECORD_WORDS, TRACE_RECORD_WORDS);
	VALUE(RECORD_FLAGS, TRACE_RECORD_FLAGS);
	VALUE(RECORD_CORRELATION, TRACE_RECORD_CORRELATION);
	VALUE(RECORD_DELTA, TRACE_RECORD_DELTA);
	VALUE(RECORD_NEAR, TRACE_RECORD_NEAR);
	VALUE(RECORD_AHEAD, TRACE_RECORD_PREFETCH * sizeof(uint64_t));
	VALUE(WITH_ARGUMENTS, CUAUDIT_TRACE_WITH_ARGUMENTS);
	VALUE(AGAIN_BACK, TRACE_AGAIN_BACK);
	VALUE(AGAIN_TICKS, TRACE_AGAIN_TICKS);
	VALUE(AGAIN_DELTA, TRACE_AGAIN_DELTA);
	OFFSET(LAUNCH_KERNEL, struct trace_launch, kernel);
	OFFSET(LAUNCH_SIZES, struct trace_launch, sizes);
	OFFSET(LAUNCH_STREAM, struct trace_launch, stream);
	VALUE(LAUNCH_END, sizeof(struct trace_launch));
}
