/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the records of calls, see cuaudit-trace(5). */
#include "hooks/modules/trace/trace_record.h"

#include <string.h>

#include <cuaudit/hook.h>

#include "hooks/modules/trace/trace_error.h"
#include "hooks/modules/trace/trace_kernel.h"
#include "hooks/safe_read.h"

/* Copies what is behind a pointer of the call: of one that failed, if it can be read. */
static bool copy(bool failed, uint64_t from, void *to, size_t size)
{
	if (failed)
		return safe_read(from, to, size);
	memcpy(to, (const void *)(uintptr_t)from, size);
	return true;
}

/* Of an array, or the room for a text; what is negative is none. */
static bool copy_length(const struct trace_op *op, const uint64_t *words, bool failed,
			uint64_t *length)
{
	uint64_t from = (uintptr_t)&words[op->count_word];

	*length = 0;
	if (op->count_behind)
		from = words[op->count_word];
	if ((from || failed) && !copy(failed && op->count_behind, from, length, op->count_size))
		return false;
	if (*length >> (8 * op->count_size - 1))
		*length = 0;
	return true;
}

/* As much as can be read: up to its NUL, to the most, or to a page that is not there. */
static char *copy_text(char *to, const struct trace_op *op, const uint64_t *words, bool failed)
{
	uint64_t from = words[op->word], room = UINT64_MAX, most, length = 0, size;
	char *at = to + sizeof(uint16_t), after = '\0';
	bool ended = false;
	uint16_t written;

	if (op->count_size)
		copy_length(op, words, failed, &room);
	for (most = room < op->most ? room : op->most; length < most && !ended; length += size) {
		size = failed ? PEEK_PAGE - (from + length) % PEEK_PAGE :
			strnlen((const char *)(uintptr_t)from, most) + 1;
		if (size > most - length)
			size = most - length;
		if (!copy(failed, from + length, at + length, size))
			break;
		ended = memchr(at + length, '\0', size);
	}
	if (failed && !length && !safe_read(from, &after, 1))
		return to;
	written = (uint16_t)strnlen(at, length);
	at += written;
	if (!ended && length < room && (!copy(failed, from + length, &after, 1) || after))
		written |= 0x8000;
	memcpy(to, &written, sizeof(written));
	return at;
}

/*
 * How many there are the driver may have written, and perhaps not how many it
 * wrote: then what cannot be read is left out.
 */
static char *copy_array(char *to, const struct trace_op *op, const uint64_t *words, bool failed)
{
	uint16_t count, written;
	uint64_t length;
	size_t size;

	if (!copy_length(op, words, failed, &length))
		return to;
	count = (uint16_t)(length < op->most ? length : op->most);
	size = (size_t)count * op->size;
	if (size && !copy(failed || op->count_behind, words[op->word], to + sizeof(written), size)) {
		if (failed)
			return to;
		size = count = 0;
	}
	written = (uint16_t)(count | (length > count ? 0x8000 : 0));
	memcpy(to, &written, sizeof(written));
	return to + sizeof(written) + size;
}

static __attribute__((noinline))
char *copy_any(char *to, const struct trace_op *op, const struct trace_layout *layout,
	       const uint64_t *words, bool failed)
{
	if (op->kind == CUAUDIT_TRACE_TEXT)
		return copy_text(to, op, words, failed);
	if (op->kind == CUAUDIT_TRACE_ARRAY)
		return copy_array(to, op, words, failed);
	if (op->kind == CUAUDIT_TRACE_PARAMETERS) {
		if (!trace_layout_copy(layout, words[op->word], op->extra, &to) && !failed)
			return trace_layout_none(to);
		return to;
	}
	return copy(failed, words[op->word], to, op->size) ? to + op->size : to;
}

/* What is behind a pointer; returns where it ends, which is `to` if it cannot be read. */
static inline __attribute__((always_inline))
char *copy_behind(char *to, const struct trace_op *op, const struct trace_layout *layout,
		  const uint64_t *words, bool simple, bool failed)
{
	const void *from = (const void *)(uintptr_t)words[op->word];

	if (!simple)
		return copy_any(to, op, layout, words, failed);
	if (op->size == sizeof(uint64_t)) {
		memcpy(to, from, sizeof(uint64_t));
		return to + sizeof(uint64_t);
	}
	memcpy(to, from, sizeof(uint32_t));
	return to + sizeof(uint32_t);
}

/* Whole words are stored, the next over what of one does not count. */
static inline char *copy_values(const struct trace_plan *plan, const uint64_t *words, char *to)
{
	enum { FEW = 2, MANY = 10 };
	struct trace_launch *launch = (void *)to;

	if (plan->is_launch) {
		launch->kernel = words[0];
#pragma GCC unroll 7
		for (uint32_t i = 0; i < 7; i++)
			launch->sizes[i] = (uint32_t)words[1 + i];
		launch->stream = words[8];
		return (char *)(launch + 1);
	}
	for (uint32_t i = 0; i < FEW; i++)
		memcpy(to + plan->values[i], &words[i], sizeof(*words));
	if (plan->nwords <= FEW)
		return to + plan->values[FEW];
#pragma GCC unroll 8
	for (uint32_t i = FEW; i < MANY; i++)
		memcpy(to + plan->values[i], &words[i], sizeof(*words));
	for (uint32_t i = MANY; i < plan->nwords; i++)
		memcpy(to + plan->values[i], &words[i], sizeof(*words));
	return to + plan->values[TRACE_PLAN_WORDS];
}

/* Where a step has as many words as there are one behind the other. */
static __attribute__((noinline))
char *copy_joined(const struct trace_plan *plan, const uint64_t *words, char *to)
{
	for (uint32_t i = 0; i < plan->nsteps && plan->steps[i].kind == CUAUDIT_TRACE_VALUE; i++) {
		memcpy(to, &words[plan->steps[i].word], plan->steps[i].size);
		to += plan->steps[i].size;
	}
	return to;
}

/*
 * The values of a function of a file of types: each is of one word, unless there are many. What hooks
 * made of its result is what it returns.
 */
static char *copy_typed(const struct trace_plan *plan, const struct cuaudit_call *call, char *to)
{
	if (plan->answer)
		memcpy(&call->words[plan->answer], &call->result, sizeof(call->result));
	if (plan->is_joined)
		return copy_joined(plan, call->words, to);
	for (uint32_t i = 0; i < plan->nsteps; i++) {
		const struct cuaudit_trace_step *step = &plan->steps[i];

		if (step->kind != CUAUDIT_TRACE_VALUE)
			break;
		memcpy(to, &call->words[step->word], sizeof(*call->words));
		to += step->size;
	}
	return to;
}

/* What a record has beside its site and correlation. */
struct record {
	uint64_t ticks, delta, flags;
	uint64_t *status;	/* NULL: none */
};

/*
 * The arguments, the last word filled up. Of a call that failed, only what the driver reads
 * is followed, and the status says whether all of it is there that is not NULL.
 */
static inline __attribute__((always_inline))
uint64_t *write_arguments(struct record *record, struct trace_writer *writer,
			  const struct trace_plan *plan, const struct cuaudit_call *call,
			  uint64_t *at, bool simple)
{
	bool failed = !simple && !cuaudit_call_succeeded(call), whole = failed;
	const struct trace_layout *layout = NULL;
	char *mask_at = (char *)at, *to, *from;
	uint16_t mask = 0;

	record->flags |= CUAUDIT_TRACE_WITH_ARGUMENTS;
	to = mask_at + plan->mask;
	to = !simple && plan->is_typed ? copy_typed(plan, call, to) : copy_values(plan, call->words, to);
	if (!simple && plan->after & TRACE_AFTER_PARAMETERS)
		layout = trace_kernel_layout(writer, call->words[plan->kernel]);
	for (uint32_t i = 0; i < plan->nops; i++) {
		if (!call->words[plan->ops[i].word] || (failed && !plan->ops[i].input))
			continue;
		from = to;
		to = copy_behind(to, &plan->ops[i], layout, call->words, simple,
				 failed || plan->ops[i].guarded);
		if (simple || to > from)
			mask |= (uint16_t)(1u << i);
		else
			whole = false;
	}
	if (plan->mask)
		memcpy(mask_at, &mask, sizeof(mask));
	if (whole && record->status)
		*record->status |= (uint64_t)CUAUDIT_TRACE_INPUTS << 48;
	memset(to, 0, sizeof(*at));
	return at + (size_t)(to - mask_at + 7) / 8;
}

/* simple: the call and its plan are, see trace_record. */
static inline __attribute__((always_inline))
void write(struct record record, struct trace_writer *writer, const struct trace_site *site,
	   const struct cuaudit_call *call, uint64_t *to, bool simple)
{
	const struct trace_plan *plan = trace_site_cold_of(site)->plan;
	uint64_t *at = writer->at;

	if (plan->nsteps)
		to = write_arguments(&record, writer, plan, call, to, simple);
	*to = 0;
	at[1] = record.ticks | (uint64_t)site->number << 32;
	/* Pairs with the reader: the record is there with its first word. */
	__atomic_store_n(at, (uint64_t)(to - at) | record.flags << TRACE_RECORD_FLAGS |
			     (call->correlation & 0xffff) << TRACE_RECORD_CORRELATION |
			     record.delta << TRACE_RECORD_DELTA, __ATOMIC_RELEASE);
	writer->at = to;
	writer->correlation = call->correlation;
	writer->calls++;
	/*
	 * What comes after it will be written before long: its line of the cache is asked for
	 * now, since a locked instruction of the program would wait for it later. On x86-64
	 * the compiler's own would bring the line in as one to be read.
	 */
#if defined(__x86_64__)
	__asm__ volatile("prefetchw %0" : : "m"(to[TRACE_RECORD_PREFETCH]));
#else
	__builtin_prefetch(to + TRACE_RECORD_PREFETCH, 1);
#endif
}

/* With what does not fit into the first two words. */
static __attribute__((noinline))
void record_any(struct trace_writer *writer, const struct trace_site *site,
		const struct cuaudit_call *call, uint64_t start, uint64_t end,
		const uint32_t *stack)
{
	struct record record = { .ticks = end - start, .delta = end - writer->end };
	uint64_t *to = writer->at + TRACE_RECORD_WORDS, status = 0;
	int32_t result = cuaudit_call_status(call);

	if (call->flags & CUAUDIT_CALL_SKIPPED)
		status |= CUAUDIT_TRACE_SKIPPED;
	if (call->flags & CUAUDIT_CALL_FAILED && !result)
		status |= CUAUDIT_TRACE_FAILED;

	if (result)
		trace_error(writer, call);

	/* The counter of another processor may be a little behind. */
	if ((int64_t)record.ticks < 0)
		record.ticks = 0;
	/* So may a call that a handler interrupted, and called, just after the clock was read. */
	if ((int64_t)record.delta < 0)
		record.delta = 0;
	writer->end += record.delta;
	if ((record.ticks | record.delta) >> 32) {
		record.flags |= CUAUDIT_TRACE_LONG;
		*to++ = record.delta;
		*to++ = record.ticks;
		record.ticks = record.delta = 0;
	}
	if (result || call->depth || status) {
		record.flags |= CUAUDIT_TRACE_STATUS;
		record.status = to;
		*to++ = (uint32_t)result | (uint64_t)(call->depth & 0xffff) << 32 |
			status << 48;
	}
	if (call->correlation - writer->correlation + TRACE_RECORD_NEAR >= 2 * TRACE_RECORD_NEAR) {
		record.flags |= CUAUDIT_TRACE_CORRELATION;
		*to++ = call->correlation;
	}
	if (stack) {
		record.flags |= CUAUDIT_TRACE_STACK;
		*to++ = *stack;
	}
	write(record, writer, site, call, to, false);
}

/*
 * Between two calls the program uses the caches and the processor's memory of
 * jumps for itself. So the common case goes straight down, calls nothing, and
 * touches few lines.
 */
__attribute__((hot))
void trace_record(struct trace_writer *writer, const struct trace_site *site,
		  const struct cuaudit_call *call, uint64_t start, uint64_t end,
		  const uint32_t *stack)
{
	uint64_t ticks = end - start, delta = end - writer->end;
	uint64_t step = call->correlation - writer->correlation + TRACE_RECORD_NEAR;
	uint64_t more = (ticks | delta) >> 32 | step >> 16 | (uint32_t)call->result | call->depth |
			(call->flags & (CUAUDIT_CALL_SKIPPED | CUAUDIT_CALL_FAILED)) |
			(uintptr_t)stack;

	if (__builtin_expect(more || !trace_site_cold_of(site)->plan->is_simple, 0)) {
		record_any(writer, site, call, start, end, stack);
		return;
	}
	writer->end = end;
	write((struct record){ .ticks = ticks, .delta = delta }, writer, site, call,
	      writer->at + TRACE_RECORD_WORDS, true);
}
