/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of recorded calls, back in words and behind pointers. */
#include "tracefile/arguments.h"

#include <string.h>

#include "print/numbers.h"
#include "print/prototypes.h"
#include "print/value.h"

/* Where no process has memory: pieces, so far apart, as pointers to them. */
enum { PIECE_SHIFT = 20 };
static const uint64_t pieces_base = UINT64_C(0xfff5) << 48;

enum { CUT = 0x8000 };

/* What is left of a call's arguments. */
struct bytes {
	const uint8_t *at;
	size_t left;
};

static const uint8_t *take(struct bytes *bytes, size_t size)
{
	const uint8_t *at = bytes->at;

	if (size > bytes->left)
		return NULL;
	bytes->at += size;
	bytes->left -= size;
	return at;
}

static bool take_16(struct bytes *bytes, uint16_t *value)
{
	const uint8_t *at = take(bytes, sizeof(*value));

	if (at)
		memcpy(value, at, sizeof(*value));
	return at;
}

static bool take_value(struct trace_arguments *arguments, struct bytes *bytes,
		       const struct cuaudit_trace_step *step)
{
	uint32_t words = (step->size + 7u) / 8;
	const uint8_t *at;

	if (step->word + words > TRACE_WORDS || !(at = take(bytes, step->size)))
		return false;
	memset(&arguments->words[step->word], 0, 8 * words);
	memcpy(&arguments->words[step->word], at, step->size);
	for (uint32_t i = 0; i < words; i++)
		arguments->known |= UINT64_C(1) << (step->word + i);
	return true;
}

static void add_piece(struct trace_arguments *arguments, const struct trace_piece *piece)
{
	arguments->pieces[arguments->npieces] = *piece;
	arguments->words[piece->word] = pieces_base + ((uint64_t)arguments->npieces++ << PIECE_SHIFT);
	arguments->known |= UINT64_C(1) << piece->word;
}

static bool take_piece(struct trace_arguments *arguments, struct bytes *bytes,
		       const struct cuaudit_trace_step *step)
{
	struct trace_piece piece;
	uint32_t size = step->size, element = step->size;
	uint16_t count = 0;

	if (step->word >= TRACE_WORDS)
		return false;
	if (step->kind != CUAUDIT_TRACE_DEREF && !take_16(bytes, &count))
		return false;
	if (step->kind == CUAUDIT_TRACE_TEXT)
		element = 1;
	if (step->kind != CUAUDIT_TRACE_DEREF)
		size = (count & (CUT - 1u)) * element;
	piece = (struct trace_piece){
		.data = take(bytes, size),
		.size = size,
		.element = element,
		.word = step->word,
		.text = step->kind == CUAUDIT_TRACE_TEXT,
		.cut = count & CUT,
	};
	if (!piece.data)
		return false;
	add_piece(arguments, &piece);
	return true;
}

/* Where nobody knew the layout, the pointer may lead to anything. */
static bool take_parameters(struct trace_arguments *arguments, struct bytes *bytes,
			    const struct cuaudit_trace_step *step)
{
	const struct trace *trace = arguments->trace;
	struct trace_piece piece = { .word = step->word };
	const uint8_t *number;
	uint16_t length;
	uint32_t layout;

	if (step->word >= TRACE_WORDS || !take_16(bytes, &length) ||
	    !(number = take(bytes, sizeof(layout))))
		return false;
	memcpy(&layout, number, sizeof(layout));
	piece.size = length & (CUT - 1u);
	piece.cut = length & CUT;
	piece.data = take(bytes, piece.size);
	if (layout == CUAUDIT_TRACE_NO_LAYOUT) {
		arguments->unfollowed |= UINT64_C(1) << step->word;
		return piece.data;
	}
	if (!piece.data || layout >= trace->nlayouts)
		return false;
	piece.layout = &trace->layouts[layout];
	add_piece(arguments, &piece);
	return true;
}

/*
 * One that begins inside the one before, or has no bytes, is as one that does not fit: so many
 * as a layout may have, all together are no longer than what was recorded.
 */
const void *trace_piece_parameter(const struct trace_piece *piece, uint32_t index, size_t *size)
{
	const struct cuaudit_trace_parameter *parameter = &piece->layout->parameters[index];
	uint64_t begin = 0;

	*size = 0;
	if (index >= piece->layout->count) {
		*size = index == piece->layout->count && piece->cut;
		return NULL;
	}
	*size = parameter->size ? parameter->size : 1;
	if (index)
		begin = (uint64_t)parameter[-1].offset + parameter[-1].size;
	return parameter->size && parameter->offset >= begin && parameter->offset <= piece->size &&
	       parameter->size <= piece->size - parameter->offset ?
	       piece->data + parameter->offset : NULL;
}

/* What an address stands for that add_piece made; NULL: it is the program's own. */
static const struct trace_piece *piece_at(const struct print_source *source, uint64_t address)
{
	const struct trace_arguments *arguments = (const struct trace_arguments *)source;
	uint64_t number = (address - pieces_base) >> PIECE_SHIFT;

	return address < pieces_base || number >= arguments->npieces ? NULL :
								       &arguments->pieces[number];
}

/* A damaged trace may have anything else in the place of parameters. */
static const void *parameter(const struct print_source *source, uint64_t address, uint32_t index,
			     size_t *size)
{
	const struct trace_piece *piece = piece_at(source, address);

	if (piece && piece->layout)
		return trace_piece_parameter(piece, index, size);
	*size = !index;
	return NULL;
}

static bool read_piece(const struct print_source *source, uint64_t address, void *to, size_t size)
{
	uint64_t at = address & ((UINT64_C(1) << PIECE_SHIFT) - 1);
	const struct trace_piece *piece = piece_at(source, address);

	if (!piece)
		return false;
	if (piece->text && !piece->cut && at + size == piece->size + 1 && at <= piece->size) {
		/* The NUL that ended it. */
		memcpy(to, piece->data + at, size - 1);
		((char *)to)[size - 1] = '\0';
		return true;
	}
	if (at > piece->size || size > piece->size - at)
		return false;
	memcpy(to, piece->data + at, size);
	return true;
}

/* Kernels have names. */
static const char *name_of(const struct print_source *source, uint32_t kind, uint64_t handle)
{
	struct trace_arguments *arguments = (struct trace_arguments *)(uintptr_t)source;
	const struct trace_kernel *kernel = NULL;

	if (kind == KIND_function || kind == KIND_kernel)
		kernel = trace_kernel(arguments->trace, handle, arguments->start);
	arguments->nnames += kernel != NULL;
	return kernel ? kernel->name : NULL;
}

/*
 * Words that were not recorded. A pointer that was to be followed, and has nothing, was NULL: of
 * any where the call was a success, of what the driver reads where the call's status says so.
 */
static uint64_t unknown_words(const struct trace_arguments *arguments, bool success, bool inputs)
{
	const struct trace_function *function = arguments->function;
	uint64_t unknown = function->unrecorded;
	uint64_t followed = success ? UINT64_MAX : inputs ? function->inputs : 0;

	for (uint32_t i = 0; i < function->nsteps; i++) {
		const struct cuaudit_trace_step *step = &function->steps[i];

		if (step->word < TRACE_WORDS &&
		    (step->kind < CUAUDIT_TRACE_DEREF || !(followed >> step->word & 1)))
			unknown |= UINT64_C(1) << step->word;
	}
	return (unknown & ~arguments->known) | arguments->unfollowed;
}

bool trace_arguments_read(struct trace_arguments *arguments, const struct trace *trace,
			  const struct trace_call *call)
{
	const struct trace_function *function =
		&trace->functions[trace->sites[call->site].function];
	struct bytes bytes = { call->arguments, call->size };
	uint16_t mask = 0;
	bool good;

	memset(arguments, 0, offsetof(struct trace_arguments, pieces));
	arguments->npieces = arguments->nnames = 0;
	arguments->source = (struct print_source){ .read = read_piece, .name = name_of,
						    .parameter = parameter, .recorded = true,
						    .types = function->types ? function->types->functions : NULL };
	arguments->trace = trace;
	arguments->start = call->start;
	arguments->function = function;
	arguments->result = call->result;
	arguments->unknown = UINT64_MAX;
	if (!call->arguments)
		return false;
	good = !function->masked || take_16(&bytes, &mask);
	for (uint32_t i = 0; good && i < function->nsteps; i++) {
		const struct cuaudit_trace_step *step = &function->steps[i];

		if (step->kind == CUAUDIT_TRACE_VALUE) {
			good = take_value(arguments, &bytes, step);
		} else if (step->kind >= CUAUDIT_TRACE_DEREF) {
			if (mask & 1)
				good = step->kind < CUAUDIT_TRACE_PARAMETERS ?
				       take_piece(arguments, &bytes, step) :
				       step->kind == CUAUDIT_TRACE_PARAMETERS &&
				       take_parameters(arguments, &bytes, step);
			mask >>= 1;
		}
	}
	arguments->unknown = unknown_words(arguments, good && trace_call_succeeded(call),
					   good && call->status & CUAUDIT_TRACE_INPUTS);
	/* A hook that answers knows of no vector register. */
	if (function->result.shape.value.kind == PRINT_REAL && call->status & CUAUDIT_TRACE_SKIPPED)
		arguments->unknown |= UINT64_C(1) << function->result.word;
	return good || call->status & CUAUDIT_TRACE_CUT;
}

const struct trace_piece *trace_arguments_behind(const struct trace_arguments *arguments,
						 uint32_t word)
{
	for (uint32_t i = 0; i < arguments->npieces; i++)
		if (arguments->pieces[i].word == word)
			return &arguments->pieces[i];
	return NULL;
}

bool trace_arguments_number(const struct trace_arguments *arguments, uint32_t word, uint64_t *value)
{
	const struct trace_piece *piece = trace_arguments_behind(arguments, word);

	if (!piece || piece->size > sizeof(*value))
		return false;
	*value = 0;
	memcpy(value, piece->data, piece->size);
	return true;
}

static bool member_named(const struct print_param *param, const struct trace_piece *piece,
			 const char *name, uint64_t *number)
{
	struct print_struct all = print_struct_get(param->shape.value.detail);

	for (uint32_t i = 0; i < all.count; i++) {
		const struct print_member *member = &all.members[i];

		if (strcmp(print_member_name(member), name) || member->length_size ||
		    member->bytes != member->value.size || member->at + member->bytes > piece->size)
			continue;
		*number = value_integer(member->value, piece->data + member->at);
		return true;
	}
	return false;
}

bool trace_arguments_named(const struct trace_arguments *arguments, const char *name,
			   uint64_t *number)
{
	const struct trace_function *function = arguments->function;

	for (uint32_t i = 0; i < function->nparams; i++) {
		const struct print_param *param = &function->params[i];
		const struct trace_piece *piece;

		if (param->shape.how == PRINT_VALUE && !strcmp(param->name, name)) {
			*number = value_integer(param->shape.value, &arguments->words[param->word]);
			return arguments->known >> param->word & 1;
		}
		if (param->shape.how != PRINT_FIXED || param->shape.value.kind != PRINT_STRUCT)
			continue;
		piece = trace_arguments_behind(arguments, param->word);
		if (piece && member_named(param, piece, name, number))
			return true;
	}
	return false;
}

void trace_print_result(struct buffer *out, const struct trace_function *function, int32_t result)
{
	if (trace_result_unknown(function, result))
		buffer_text(out, function->provided ? "returned" : "?");
	else
		print_result_name(out, function->name, result);
}

static void print_error_text(struct buffer *out, const char *text)
{
	if (!text)
		return;
	buffer_text(out, " (");
	buffer_name(out, text);
	buffer_char(out, ')');
}

/* Registers as they were recorded, of a function whose parameters nobody knows. */
static void print_raw(struct buffer *out, const struct trace_arguments *arguments, int32_t result)
{
	uint32_t count = 0;

	buffer_name(out, arguments->function->name);
	buffer_char(out, '(');
	for (; arguments->known >> count & 1; count++) {
		buffer_hex(out, arguments->words[count]);
		buffer_text(out, ", ");
	}
	buffer_text(out, "...) = ");
	trace_print_result(out, arguments->function, result);
}

static void typed_result(struct buffer *out, const struct print_call *print, const struct trace_function *function)
{
	print_typed_result(out, print, function->has_result ? &function->result : NULL);
}

void trace_call_result(struct buffer *out, const struct trace *trace, const struct trace_call *call)
{
	const struct trace_function *function = &trace->functions[trace->sites[call->site].function];
	struct trace_arguments arguments;
	struct print_call print;

	if (!function->types) {
		trace_print_result(out, function, call->result);
		return;
	}
	/* Where they make no sense, all is unknown. */
	trace_arguments_read(&arguments, trace, call);
	print = trace_arguments_call(&arguments);
	typed_result(out, &print, function);
}

static bool has_parameters(const struct trace_function *function)
{
	struct print_param params[PRINT_PARAMS];

	if (function->types)
		return function->types->functions->nparams || function->types->functions->open;
	return function->row < 0 || print_params(function->row, params);
}

void trace_bare_print(struct buffer *out, const struct trace *trace, const struct trace_call *call)
{
	const struct trace_function *function = &trace->functions[trace->sites[call->site].function];

	buffer_name(out, function->name);
	buffer_text(out, has_parameters(function) ? "(...) = " : "() = ");
	trace_call_result(out, trace, call);
	print_error_text(out, trace_error_text(trace, call));
}

/* Of a function that takes structures alone, which are only said to be there. */
static bool nothing_written(const struct trace *trace, const struct trace_function *function)
{
	return function->types && !function->nsteps && trace->header.flags & CUAUDIT_TRACE_ARGUMENTS;
}

void trace_arguments_print(struct buffer *out, const struct trace *trace,
			   const struct trace_call *call, unsigned int flags)
{
	struct trace_arguments arguments;
	uint8_t words[PRINT_TYPED];
	struct print_call print;

	if (!trace_arguments_read(&arguments, trace, call) && !nothing_written(trace, arguments.function)) {
		trace_bare_print(out, trace, call);
		return;
	}
	if (arguments.function->types) {
		print = trace_arguments_call(&arguments);
		print.flags = flags;
		for (uint32_t i = 0; i < arguments.function->nparams; i++)
			words[i] = arguments.function->params[i].word;
		print_typed(out, &print, words, arguments.function->nparams);
		buffer_text(out, " = ");
		typed_result(out, &print, arguments.function);
		return;
	}
	if (arguments.function->provided) {
		print_raw(out, &arguments, call->result);
		return;
	}
	print = (struct print_call){
		.name = arguments.function->name,
		.words = arguments.words,
		.source = &arguments.source,
		.id = arguments.function->row,
		.unknown = arguments.unknown,
		.result = call->result,
		.flags = flags | CUAUDIT_PRINT_AFTER,
	};
	print_call(out, &print);
	print_error_text(out, trace_error_text(trace, call));
}
