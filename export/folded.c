/* SPDX-License-Identifier: Apache-2.0 */
/* Folded stacks, for flame graphs. */
/*
 * "process;thread;frame;...;function NUMBER" for each backtrace; the
 * number is what was spent there itself, without the calls made inside.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/fields.h"
#include "export/formats.h"
#include "export/lines.h"
#include "export/nest.h"
#include "util/sort.h"

/* A node of the tree of backtraces; node 0 is none. */
struct node {
	uint32_t parent;	/* 0: directly in its thread */
	uint32_t thread, site, stack;
	uint64_t spent;	/* modulo 2^64: a damaged trace has any times; below zero it is nothing */
};

struct state {
	struct nest nest;
	uint32_t *firsts;	/* of each site, the first one with its function and library */
	struct node *nodes;
	uint32_t count, room;
	uint32_t *slots;	/* numbers of nodes by their hash, a power of two */
	uint32_t nslots;
};

static uint32_t hash_of(const struct node *node)
{
	uint64_t hash = node->parent;

	hash = hash * UINT64_C(0x9e3779b97f4a7c15) + node->thread;
	hash = hash * UINT64_C(0x9e3779b97f4a7c15) + node->site;
	hash = hash * UINT64_C(0x9e3779b97f4a7c15) + node->stack;
	return (uint32_t)((hash * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

static bool same(const struct node *a, const struct node *b)
{
	return a->parent == b->parent && a->thread == b->thread && a->site == b->site &&
	       a->stack == b->stack;
}

/* Where its number is, or belongs. */
static uint32_t *slot_of(struct state *state, const struct node *node)
{
	uint32_t at = hash_of(node) & (state->nslots - 1);

	while (state->slots[at] && !same(&state->nodes[state->slots[at]], node))
		at = (at + 1) & (state->nslots - 1);
	return &state->slots[at];
}

static int grow(struct state *state)
{
	uint32_t room = state->room ? 2 * state->room : 1024;
	struct node *nodes = reallocarray(state->nodes, room, sizeof(*nodes));
	uint32_t *slots = calloc(2 * (size_t)room, sizeof(*slots));

	if (nodes)
		state->nodes = nodes;
	if (!nodes || !slots || room > UINT32_MAX / 4) {
		free(slots);
		return -ENOMEM;
	}
	free(state->slots);
	state->room = room;
	state->slots = slots;
	state->nslots = 2 * room;
	for (uint32_t i = 1; i < state->count; i++)
		*slot_of(state, &nodes[i]) = i;
	return 0;
}

static int find(struct state *state, const struct node *node, uint32_t *number)
{
	uint32_t *slot;

	if (state->count + 1 >= state->room && grow(state))
		return -ENOMEM;
	slot = slot_of(state, node);
	if (!*slot) {
		if (!state->count)
			state->count = 1;
		*slot = state->count++;
		state->nodes[*slot] = *node;
	}
	*number = *slot;
	return 0;
}

static int take(struct convert *convert, const struct trace *trace, const struct trace_call *call,
		uint64_t parent, uint64_t *self)
{
	struct state *state = convert->state;
	struct node node = { (uint32_t)parent, call->thread, state->firsts[call->site],
			     parent ? TRACE_NONE : call->stack, 0 };
	uint64_t ns = trace_duration(trace, call->end - call->start);
	uint32_t number;

	if (find(state, &node, &number))
		return -ENOMEM;
	*self = number;
	if (convert->choice.count) {
		state->nodes[number].spent++;
		return 0;
	}
	state->nodes[number].spent += ns;
	if (parent)
		state->nodes[parent].spent -= ns;
	return 0;
}

static int compare_sites(const void *a, const void *b, void *data)
{
	const struct trace_site *sites = data;
	const struct trace_site *x = &sites[*(const uint32_t *)a], *y = &sites[*(const uint32_t *)b];

	return ORDER(x->function, y->function) ?: ORDER(x->library, y->library);
}

/* Ways show functions and libraries: sites that differ in nothing else are one. */
static int folded_file(struct convert *convert, const struct trace *trace)
{
	struct state *state = convert->state;
	uint32_t *sorted = calloc(trace->nsites + 1, sizeof(*sorted)), first = 0;

	state->firsts = calloc(trace->nsites + 1, sizeof(*state->firsts));
	if (!sorted || !state->firsts) {
		free(sorted);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < trace->nsites; i++)
		sorted[i] = i;
	qsort_r(sorted, trace->nsites, sizeof(*sorted), compare_sites, trace->sites);
	for (uint32_t i = 0; i < trace->nsites; i++) {
		if (!i || compare_sites(&sorted[i], &first, trace->sites))
			first = sorted[i];
		state->firsts[sorted[i]] = first;
	}
	free(sorted);
	return 0;
}

static const struct nest_ops nest_ops = { .take = take };

static int folded_call(struct convert *convert, const struct trace *trace,
		       const struct trace_call *call)
{
	struct state *state = convert->state;

	return nest_call(&state->nest, convert, trace, call);
}

/* As if it ended with the trace. */
static int folded_open(struct convert *convert, const struct trace *trace,
		       const struct convert_open *open)
{
	const struct trace_call call = nest_open(open);

	return folded_call(convert, trace, &call);
}

/* A semicolon would begin another frame. */
static void name(struct buffer *out, const char *text)
{
	for (; *text; text++) {
		size_t length = strcspn(text, ";");

		buffer_printed(out, text, length);
		text += length;
		if (!*text)
			break;
		buffer_char(out, ':');
	}
}

/* Functions that are inlined into another are frames below it. */
static void frame(struct buffer *out, const struct convert *convert, const struct trace *trace,
		  const struct cuaudit_trace_frame *of)
{
	struct symbol_stack found = lines_frame(convert, trace, of);
	char text[FIELDS_PLACE];

	if (!found.count) {
		name(out, fields_place(text, trace, of));
		buffer_char(out, ';');
	}
	for (uint32_t i = found.count; i > 0; i--) {
		name(out, found.at[i - 1].function);
		buffer_char(out, ';');
	}
}

static void print_roots(struct buffer *out, const struct trace *trace, uint32_t number)
{
	const struct trace_thread *thread = trace_thread(trace, number);

	name(out, fields_program(trace));
	buffer_char(out, '-');
	buffer_unsigned(out, trace->header.pid);
	buffer_char(out, ';');
	name(out, fields_thread_name(thread));
	buffer_char(out, '-');
	buffer_signed(out, fields_tid(thread));
	buffer_char(out, ';');
}

/* The stack of a node, and its function. */
static void print_way(struct buffer *out, const struct convert *convert, const struct trace *trace,
		      const struct node *node)
{
	const struct state *state = convert->state;

	if (node->parent) {
		print_way(out, convert, trace, &state->nodes[node->parent]);
		buffer_char(out, ';');
	} else {
		print_roots(out, trace, node->thread);
	}
	if (node->stack != TRACE_NONE) {
		const struct trace_callers *callers = &trace->callers[node->stack];

		for (uint32_t i = callers->count; i > 0; i--)
			frame(out, convert, trace, &callers->frames[i - 1]);
	} else {
		name(out, convert_library(trace, node->site)->name);
		buffer_char(out, ';');
	}
	name(out, convert_function(trace, node->site)->name);
}

static void release_file(struct state *state)
{
	free(state->firsts);
	state->firsts = NULL;
}

static int folded_file_end(struct convert *convert, const struct trace *trace)
{
	struct state *state = convert->state;
	int error = nest_flush(&state->nest, convert, trace);

	for (uint32_t i = 1; !error && i < state->count; i++) {
		/* What it spent may be less than what is known of the calls inside, which are rounded. */
		if ((int64_t)state->nodes[i].spent <= 0)
			continue;
		SINK_PRINT(convert->sink, out) {
			print_way(out, convert, trace, &state->nodes[i]);
			buffer_char(out, ' ');
			buffer_signed(out, (int64_t)state->nodes[i].spent);
			buffer_char(out, '\n');
		}
		error = convert->lines->error ?: convert->sink->error;
	}
	release_file(state);
	state->count = 0;
	if (state->slots)
		memset(state->slots, 0, state->nslots * sizeof(*state->slots));
	return error;
}

static int folded_begin(struct convert *convert)
{
	struct state *state = convert->state;

	state->nest.ops = &nest_ops;
	return 0;
}

static void folded_release(struct convert *convert)
{
	struct state *state = convert->state;

	nest_free(&state->nest);
	release_file(state);
	free(state->nodes);
	free(state->slots);
}

const struct convert_format convert_folded = {
	.name = "folded", .order = CONVERT_BY_THREAD, .target = CONVERT_STREAM, .nests = true,
	.state = sizeof(struct state), .begin = folded_begin, .file = folded_file,
	.call = folded_call, .open = folded_open, .file_end = folded_file_end,
	.release = folded_release,
};
