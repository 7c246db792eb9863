/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of recorded calls, back in words and behind pointers. */
#ifndef TRACEFILE_ARGUMENTS_H
#define TRACEFILE_ARGUMENTS_H

#include "print/print.h"
#include "tracefile/tracefile.h"

enum { TRACE_WORDS = 64 };

/* What lay behind the pointer in a word. */
struct trace_piece {
	const uint8_t *data;
	uint32_t size;		/* of all of it */
	uint32_t element;	/* of one: an array's; else size */
	uint8_t word;
	const struct trace_layout *layout;	/* of a kernel's parameters; NULL: it is none */
	bool text;
	bool cut;		/* there was more */
};

/*
 * Words of pointers whose target was recorded hold addresses that mean
 * something to `source` alone, those of pointers that were NULL hold 0, as do
 * those that are unknown. Valid while the call is.
 */
struct trace_arguments {
	struct print_source source;
	const struct trace *trace;
	const struct trace_function *function;
	uint64_t start;		/* ticks */
	uint64_t words[TRACE_WORDS];
	uint64_t known;		/* bits of the words that were recorded */
	uint64_t unfollowed;	/* of pointers that were not NULL, and of which no more is known */
	uint64_t unknown;	/* of those that may have been anything */
	struct trace_piece pieces[CUAUDIT_TRACE_STEPS];
	uint32_t npieces;
	int32_t result;
	uint32_t nnames;	/* how often `source` had a name for a handle, which may mean another later */
};

/* false, and all is zero or unknown: the call has none, or they make no sense. */
bool trace_arguments_read(struct trace_arguments *arguments, const struct trace *trace,
			  const struct trace_call *call);

/* What lies behind the pointer in a word, NULL if it was not written. */
const struct trace_piece *trace_arguments_behind(const struct trace_arguments *arguments,
						 uint32_t word);

/*
 * Where parameter index of a kernel is, and its bytes; *size is 0 behind the last, and the
 * result NULL for one that was not written.
 */
const void *trace_piece_parameter(const struct trace_piece *piece, uint32_t index, size_t *size);

/* An unsigned number of size bytes behind the pointer in a word. */
bool trace_arguments_number(const struct trace_arguments *arguments, uint32_t word, uint64_t *value);

/*
 * The parameter of that name, or the member of a structure behind one. false
 * if there is none, or it was not recorded.
 */
bool trace_arguments_named(const struct trace_arguments *arguments, const char *name,
			   uint64_t *number);

/* The call in print_call's manner, with its result; for one without arguments: NAME(...) = RESULT. */
void trace_arguments_print(struct buffer *out, const struct trace *trace,
			   const struct trace_call *call, unsigned int flags);

/* The same without what it was given: NAME(...) = RESULT. */
void trace_bare_print(struct buffer *out, const struct trace *trace, const struct trace_call *call);

/* What it returned, by the types of its function if they are known, else as trace_print_result does. */
void trace_call_result(struct buffer *out, const struct trace *trace, const struct trace_call *call);

/* The call as print/ takes it, its arguments raw; valid as long as arguments. */
static inline struct print_call trace_arguments_call(const struct trace_arguments *arguments)
{
	return (struct print_call){
		.name = arguments->function->name,
		.words = arguments->words,
		.unknown = arguments->unknown,
		.source = &arguments->source,
		.id = arguments->function->row,
		.result = arguments->result,
		.flags = CUAUDIT_PRINT_AFTER | CUAUDIT_PRINT_RAW,
	};
}

#endif
