/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptions of a trace file: what its numbers stand for. */
#include "tracefile/describe.h"
#include "tracefile/names.h"

#include <cuaudit/api.h>
#include <cuaudit/params.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "print/table.h"
#include "print/prototypes.h"
#include "tracefile/arguments.h"
#include "util/sort.h"

enum { TYPES = CUAUDIT_TRACE_TYPES + 1, FRAMES_MOST = 1024 };

/* Where a type's texts begin, and the least size of its records; 0 of a type that is not known. */
static const uint32_t sizes[TYPES] = {
	[CUAUDIT_TRACE_FUNCTION] = sizeof(struct cuaudit_trace_function),
	[CUAUDIT_TRACE_LIBRARY] = sizeof(struct cuaudit_trace_library),
	[CUAUDIT_TRACE_SITE] = sizeof(struct cuaudit_trace_site),
	[CUAUDIT_TRACE_THREAD] = sizeof(struct cuaudit_trace_thread),
	[CUAUDIT_TRACE_KERNEL] = sizeof(struct cuaudit_trace_kernel),
	[CUAUDIT_TRACE_CALLERS] = sizeof(struct cuaudit_trace_callers),
	[CUAUDIT_TRACE_DRIVER] = sizeof(struct cuaudit_trace_driver),
	[CUAUDIT_TRACE_MARK] = sizeof(struct cuaudit_trace_mark),
	[CUAUDIT_TRACE_LAYOUT] = sizeof(struct cuaudit_trace_layout),
	[CUAUDIT_TRACE_PYTHON] = sizeof(struct cuaudit_trace_python),
	[CUAUDIT_TRACE_ERROR] = sizeof(struct cuaudit_trace_error),
	[CUAUDIT_TRACE_RANGE_NAME] = sizeof(struct cuaudit_trace_range_name),
	[CUAUDIT_TRACE_TYPES] = sizeof(struct cuaudit_trace_types),
};

struct cursor {
	struct trace *trace;
	size_t segment;
	size_t offset;
	uint64_t damaged;	/* segments that break off */
};

/* The next record of a known type, whole. */
static const struct cuaudit_trace_record *next(struct cursor *cursor)
{
	struct trace *trace = cursor->trace;

	for (; cursor->segment < trace->nsegments; cursor->segment++, cursor->offset = 0) {
		const struct trace_segment *segment = &trace->segments[cursor->segment];

		while (segment->size - cursor->offset >= sizeof(struct cuaudit_trace_record)) {
			struct cuaudit_trace_record *record =
				(void *)((char *)segment->data + cursor->offset);

			if (!record->type)
				break;
			if (record->size < sizeof(*record) || record->size % CUAUDIT_TRACE_ALIGN ||
			    record->size > segment->size - cursor->offset) {
				cursor->damaged++;
				break;
			}
			cursor->offset += record->size;
			if (record->type < TYPES && sizes[record->type] &&
			    sizes[record->type] <= record->size)
				return record;
		}
	}
	return NULL;
}

/* The text from at on, ended within its record; "" if there is none. */
static const char *text_at(const void *description, size_t at)
{
	size_t size = ((const struct cuaudit_trace_record *)description)->size;
	char *text = (char *)(uintptr_t)description;

	if (at >= size)
		return "";
	text[size - 1] = '\0';
	return text + at;
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* Rows of driver_api.def by name. */
static const char *const names[] = {
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) [id] = #symbol,
#include <cuaudit/driver_api.def>
#undef CUAPI
};

static int32_t row_of(const char *name, int32_t hint)
{
	int32_t count = sizeof(names) / sizeof(names[0]);

	if (hint >= 0 && hint < count && !strcmp(names[hint], name))
		return hint;
	for (int32_t id = 0; id < count; id++)
		if (!strcmp(names[id], name))
			return id;
	return -1;
}

/* Bits of count words from the first on. */
static uint64_t bits(uint32_t first, uint32_t count)
{
	return first < 64 && count < 64 ? ((UINT64_C(1) << count) - 1) << first : 0;
}

static uint64_t unrecorded(const struct trace_function *function)
{
	uint64_t words = 0;

	for (uint32_t i = 0; i < function->nparams; i++)
		words |= bits(function->params[i].word, function->params[i].words);
	for (uint32_t i = 0; i < function->nsteps; i++) {
		const struct cuaudit_trace_step *step = &function->steps[i];

		words &= ~bits(step->word, step->kind == CUAUDIT_TRACE_VALUE ? (step->size + 7u) / 8 : 1);
	}
	return words;
}

static uint64_t inputs(const struct trace_function *function)
{
	struct print_param params[PRINT_PARAMS];
	uint32_t count = print_params(function->row, params);
	uint64_t words = 0;

	for (uint32_t i = 0; i < count; i++)
		if (params[i].direction == CUAUDIT_IN || params[i].direction == CUAUDIT_INOUT)
			words |= bits(params[i].word, 1);
	return words;
}

static void add_function(struct trace *trace, const struct cuaudit_trace_function *from)
{
	struct trace_function *function = &trace->functions[trace->nfunctions++];
	size_t length;

	function->name = text_at(from, sizeof(*from));
	length = strlen(function->name) + 1;
	function->base = text_at(from, sizeof(*from) + length);
	if (!*function->base)
		function->base = function->name;
	function->row = from->id == CUAUDIT_ID_TABLES ? from->id : row_of(function->name, from->id);
	function->runtime = from->id == CUAUDIT_ID_RUNTIME;
	function->provided = from->id == CUAUDIT_ID_PROVIDER;
	function->driver = from->driver;
	function->classes = from->classes;
	function->version = from->version;
	function->nsteps = from->nsteps <= CUAUDIT_TRACE_STEPS ? from->nsteps : 0;
	trace->damaged += function->nsteps != from->nsteps;
	memcpy(function->steps, from->steps, sizeof(function->steps));
	for (uint32_t i = 0; i < function->nsteps; i++)
		function->masked |= function->steps[i].kind >= CUAUDIT_TRACE_DEREF;
	function->nparams = print_params(function->row, function->params);
	function->unrecorded = unrecorded(function);
	function->inputs = inputs(function);
}

static void add_library(struct trace *trace, const struct cuaudit_trace_library *from)
{
	struct trace_library *library = &trace->libraries[trace->nlibraries++];

	library->path = text_at(from, sizeof(*from));
	library->name = last_component(library->path);
	library->base = from->base;
	library->id_size = from->id_size <= sizeof(library->build_id) ? from->id_size : 0;
	memcpy(library->build_id, from->build_id, sizeof(library->build_id));
}

static void add_thread(struct trace *trace, const struct cuaudit_trace_thread *from)
{
	struct trace_thread *thread = &trace->threads[trace->nthreads++];

	thread->number = from->number;
	thread->tid = from->tid;
	memcpy(thread->name, from->name, sizeof(from->name));
	thread->start = from->start_ticks;
	thread->end = from->end_ticks;
}

/* No more frames than that are taken: a short call may name any stack. */
static void add_callers(struct trace *trace, const struct cuaudit_trace_callers *from)
{
	size_t room = (from->record.size - sizeof(*from)) / sizeof(struct cuaudit_trace_frame);

	if (from->number >= trace->ncallers)
		return;
	if (room > FRAMES_MOST)
		room = FRAMES_MOST;
	trace->callers[from->number] = (struct trace_callers){
		.frames = (const struct cuaudit_trace_frame *)(from + 1),
		.count = from->nframes < room ? from->nframes : (uint32_t)room,
	};
}

static void add_python(struct trace *trace, const struct cuaudit_trace_python *from)
{
	const char *name = text_at(from, sizeof(*from));

	if (from->number >= trace->npythons)
		return;
	trace->pythons[from->number] = (struct trace_python){
		.name = name, .file = text_at(from, sizeof(*from) + strlen(name) + 1),
		.line = from->line,
	};
}

static void add_layout(struct trace *trace, const struct cuaudit_trace_layout *from)
{
	size_t room = (from->record.size - sizeof(*from)) / sizeof(struct cuaudit_trace_parameter);

	if (from->number >= trace->nlayouts)
		return;
	trace->layouts[from->number] = (struct trace_layout){
		.parameters = (const struct cuaudit_trace_parameter *)(from + 1),
		.count = from->nparameters < room ? from->nparameters : (uint32_t)room,
	};
}

static void add(struct trace *trace, const struct cuaudit_trace_record *record)
{
	const struct cuaudit_trace_kernel *kernel = (const void *)record;
	const struct cuaudit_trace_driver *driver = (const void *)record;
	const struct cuaudit_trace_mark *mark = (const void *)record;
	const struct cuaudit_trace_error *error = (const void *)record;
	const struct cuaudit_trace_range_name *name = (const void *)record;

	switch (record->type) {
	case CUAUDIT_TRACE_FUNCTION:
		add_function(trace, (const void *)record);
		break;
	case CUAUDIT_TRACE_LIBRARY:
		add_library(trace, (const void *)record);
		break;
	case CUAUDIT_TRACE_THREAD:
		add_thread(trace, (const void *)record);
		break;
	case CUAUDIT_TRACE_KERNEL:
		trace->kernels[trace->nkernels++] = (struct trace_kernel){
			kernel->handle, kernel->ticks, text_at(record, sizeof(*kernel)), 0 };
		break;
	case CUAUDIT_TRACE_CALLERS:
		add_callers(trace, (const void *)record);
		break;
	case CUAUDIT_TRACE_LAYOUT:
		add_layout(trace, (const void *)record);
		break;
	case CUAUDIT_TRACE_PYTHON:
		add_python(trace, (const void *)record);
		break;
	case CUAUDIT_TRACE_DRIVER:
		trace->drivers[trace->ndrivers++] = (struct trace_driver){
			driver->index, driver->version, text_at(record, sizeof(*driver)) };
		break;
	case CUAUDIT_TRACE_MARK:
		trace->marks[trace->nmarks++] = (struct trace_mark){
			mark->ticks, mark->thread, mark->kind, text_at(record, sizeof(*mark)) };
		break;
	case CUAUDIT_TRACE_ERROR:
		trace->error_texts[trace->nerror_texts++] = (struct trace_error_text){
			error->correlation, text_at(record, sizeof(*error)) };
		break;
	case CUAUDIT_TRACE_RANGE_NAME:
		trace->range_names[trace->nrange_names] = (struct trace_range_name){
			name->id, name->domain, name->kind, (uint32_t)trace->nrange_names,
			text_at(record, sizeof(*name)) };
		trace->nrange_names++;
		break;
	default:
		break;
	}
}

static int allocate(struct trace *trace, const size_t counts[TYPES])
{
	trace->functions = calloc(counts[CUAUDIT_TRACE_FUNCTION] + 1, sizeof(*trace->functions));
	trace->libraries = calloc(counts[CUAUDIT_TRACE_LIBRARY] + 1, sizeof(*trace->libraries));
	trace->sites = calloc(counts[CUAUDIT_TRACE_SITE] + 1, sizeof(*trace->sites));
	/* Threads that have calls and no description, too. */
	trace->threads = calloc(counts[CUAUDIT_TRACE_THREAD] + trace->nchunks + 1,
				sizeof(*trace->threads));
	trace->kernels = calloc(counts[CUAUDIT_TRACE_KERNEL] + 1, sizeof(*trace->kernels));
	trace->callers = calloc(counts[CUAUDIT_TRACE_CALLERS] + 1, sizeof(*trace->callers));
	trace->pythons = calloc(counts[CUAUDIT_TRACE_PYTHON] + 1, sizeof(*trace->pythons));
	trace->layouts = calloc(counts[CUAUDIT_TRACE_LAYOUT] + 1, sizeof(*trace->layouts));
	trace->drivers = calloc(counts[CUAUDIT_TRACE_DRIVER] + 1, sizeof(*trace->drivers));
	trace->marks = calloc(counts[CUAUDIT_TRACE_MARK] + 1, sizeof(*trace->marks));
	trace->error_texts = calloc(counts[CUAUDIT_TRACE_ERROR] + 1, sizeof(*trace->error_texts));
	trace->range_names = calloc(counts[CUAUDIT_TRACE_RANGE_NAME] + 1, sizeof(*trace->range_names));
	if (!trace->functions || !trace->libraries || !trace->sites || !trace->threads ||
	    !trace->kernels || !trace->callers || !trace->pythons || !trace->layouts || !trace->drivers || !trace->marks ||
	    !trace->error_texts || !trace->range_names)
		return -ENOMEM;
	trace->nsites = counts[CUAUDIT_TRACE_SITE];
	trace->ncallers = counts[CUAUDIT_TRACE_CALLERS];
	trace->nlayouts = counts[CUAUDIT_TRACE_LAYOUT];
	trace->npythons = counts[CUAUDIT_TRACE_PYTHON];
	return 0;
}

/* The file's number of something, and where it lies in our array. */
struct number {
	uint32_t number;
	uint32_t index;
};

static int compare_numbers(const void *a, const void *b)
{
	const struct number *x = a, *y = b;

	return ORDER(x->number, y->number) ?: ORDER(x->index, y->index);
}

/* The last of that number; TRACE_NONE. */
static uint32_t index_of(const struct number *numbers, size_t count, uint32_t number)
{
	size_t at = FIRST(count, i, numbers[i].number <= number);

	return at && numbers[at - 1].number == number ? numbers[at - 1].index : TRACE_NONE;
}

/* Numbers of functions and libraries, in the order of their records. */
static struct number *numbers_of(struct trace *trace, uint32_t type, size_t count)
{
	struct number *numbers = calloc(count + 1, sizeof(*numbers));
	const struct cuaudit_trace_record *record;
	struct cursor cursor = { .trace = trace };
	uint32_t index = 0;

	while (numbers && (record = next(&cursor))) {
		const struct cuaudit_trace_function *function = (const void *)record;
		const struct cuaudit_trace_library *library = (const void *)record;

		if (record->type != type)
			continue;
		numbers[index].number = type == CUAUDIT_TRACE_FUNCTION ? function->slot :
									 library->index;
		numbers[index].index = index;
		index++;
	}
	if (numbers && count > 1)
		qsort(numbers, count, sizeof(*numbers), compare_numbers);
	return numbers;
}

static void add_sites(struct trace *trace, const struct number *slots, const struct number *indices)
{
	const struct cuaudit_trace_record *record;
	struct cursor cursor = { .trace = trace };

	for (size_t i = 0; i < trace->nsites; i++)
		trace->sites[i].function = TRACE_NONE;
	while ((record = next(&cursor))) {
		const struct cuaudit_trace_site *site = (const void *)record;
		uint32_t function, library;

		if (record->type != CUAUDIT_TRACE_SITE || site->number >= trace->nsites)
			continue;
		function = index_of(slots, trace->nfunctions, site->slot);
		library = index_of(indices, trace->nlibraries, site->library);
		if (function == TRACE_NONE || library == TRACE_NONE) {
			trace->damaged++;
			continue;
		}
		trace->sites[site->number] = (struct trace_site){ function, library, site->routes,
							   site->caller };
	}
}

/* Where the parameters begin: the first in the record, others behind its text. How many are told. */
static uint32_t read_words(uint8_t words[PRINT_TYPED], const struct cuaudit_trace_types *from, const char *behind)
{
	const char *end = (const char *)from + from->record.size;
	uint32_t first = CUAUDIT_TRACE_TYPES_WORDS, count = from->nwords < first ? from->nwords : first;

	memcpy(words, from->words, count);
	for (; count >= first && count < PRINT_TYPED && behind < end && *behind; behind++)
		words[count++] = (uint8_t)(*behind - 1);
	return count;
}

/* Reads the lines behind a record of types; -EINVAL if they are damaged, or not of that function. */
static int read_types(struct trace_function *function, const struct cuaudit_trace_types *from)
{
	char *text = (char *)(uintptr_t)text_at(from, sizeof(*from));
	size_t length = strlen(text);
	struct prototypes *types = malloc(sizeof(*types) + prototypes_room(text, length));
	uint8_t words[PRINT_TYPED];

	if (!types)
		return -ENOMEM;
	if (prototypes_read(types, text, length, types + 1, true) || types->nfunctions != 1) {
		free(types);
		return -EINVAL;
	}
	function->types = types;
	function->nparams = read_words(words, from, text + length + 1);
	if (function->nparams > types->functions->nparams)
		function->nparams = types->functions->nparams;
	for (uint32_t i = 0; i < function->nparams; i++)
		function->params[i] = prototypes_param(types->functions, i, words[i] % TRACE_WORDS);
	function->has_others = types->functions->open || types->functions->nparams > function->nparams;
	function->unrecorded = unrecorded(function);
	function->has_result = from->result && prototypes_result(types->functions, &function->result);
	function->result.word = from->result % TRACE_WORDS;
	return 0;
}

static int add_types(struct trace *trace, const struct number *slots)
{
	const struct cuaudit_trace_record *record;
	struct cursor cursor = { .trace = trace };

	while ((record = next(&cursor))) {
		const struct cuaudit_trace_types *from = (const void *)record;
		struct trace_function *function;
		uint32_t index;
		int error;

		if (record->type != CUAUDIT_TRACE_TYPES)
			continue;
		index = index_of(slots, trace->nfunctions, from->slot);
		function = index == TRACE_NONE ? NULL : &trace->functions[index];
		error = function && function->provided && !function->types ?
			read_types(function, from) : -EINVAL;
		if (error == -ENOMEM)
			return error;
		trace->damaged += error != 0;
	}
	return 0;
}

/*
 * Frames' libraries as ours; an unknown one, and code of no known object, become TRACE_NONE. Frames
 * of Python keep the number of what is described; of what is not, nothing but that is known.
 */
static void number_frame(struct trace *trace, struct cuaudit_trace_frame *frame,
			 const struct number *indices)
{
	frame->library = frame->library ? index_of(indices, trace->nlibraries, frame->library) :
					  TRACE_NONE;
	if (!(trace->header.incompatible & CUAUDIT_TRACE_HAS_PYTHON))
		frame->kind = CUAUDIT_TRACE_FRAME_NATIVE;
	if (frame->kind == CUAUDIT_TRACE_FRAME_NATIVE)
		return;
	frame->library = TRACE_NONE;
	if (frame->kind == CUAUDIT_TRACE_FRAME_PYTHON && frame->address < trace->npythons &&
	    trace->pythons[frame->address].name)
		return;
	trace->damaged += frame->kind != CUAUDIT_TRACE_FRAME_CUT;
	frame->kind = CUAUDIT_TRACE_FRAME_CUT;
}

static void number_frames(struct trace *trace, const struct number *indices)
{
	for (size_t i = 0; i < trace->ncallers; i++) {
		struct trace_callers *callers = &trace->callers[i];

		callers->python = TRACE_NONE;
		for (uint32_t j = 0; j < callers->count; j++) {
			struct cuaudit_trace_frame *frame = (void *)(uintptr_t)&callers->frames[j];

			number_frame(trace, frame, indices);
			if (frame->kind == CUAUDIT_TRACE_FRAME_PYTHON && callers->python == TRACE_NONE)
				callers->python = (uint32_t)frame->address;
		}
	}
}

static int resolve(struct trace *trace)
{
	struct number *slots = numbers_of(trace, CUAUDIT_TRACE_FUNCTION, trace->nfunctions);
	struct number *indices = numbers_of(trace, CUAUDIT_TRACE_LIBRARY, trace->nlibraries);
	int error = slots && indices ? 0 : -ENOMEM;

	if (!error)
		error = add_types(trace, slots);
	if (!error) {
		add_sites(trace, slots, indices);
		number_frames(trace, indices);
	}
	free(slots);
	free(indices);
	return error;
}

static int compare_threads(const void *a, const void *b)
{
	const struct trace_thread *x = a, *y = b;

	/* In the order of the file, kept in first. */
	return ORDER(x->number, y->number) ?: ORDER(x->first, y->first);
}

/* One entry a thread: its last description, and where its chunks are. */
static void settle_threads(struct trace *trace)
{
	size_t count = trace->nthreads, kept = 0;

	for (size_t i = 0; i < trace->nchunks; i++)
		if (!i || trace->chunks[i].thread != trace->chunks[i - 1].thread)
			trace->threads[count++] = (struct trace_thread){
				.number = trace->chunks[i].thread,
				.start = trace->chunks[i].base_ticks };
	for (size_t i = 0; i < count; i++)
		trace->threads[i].first = i < trace->nthreads ? (uint32_t)i + 1 : 0;
	if (count > 1)
		qsort(trace->threads, count, sizeof(*trace->threads), compare_threads);
	for (size_t i = 0; i < count; i++) {
		if (kept && trace->threads[kept - 1].number == trace->threads[i].number)
			kept--;
		trace->threads[kept++] = trace->threads[i];
	}
	trace->nthreads = kept;
	for (size_t i = 0, chunk = 0; i < kept; i++) {
		struct trace_thread *thread = &trace->threads[i];

		while (chunk < trace->nchunks && trace->chunks[chunk].thread < thread->number)
			chunk++;
		thread->first = (uint32_t)chunk;
		while (chunk < trace->nchunks && trace->chunks[chunk].thread == thread->number)
			chunk++;
		thread->count = (uint32_t)chunk - thread->first;
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct trace_kernel *)a)->name, ((const struct trace_kernel *)b)->name);
}

static int by_handle(const void *a, const void *b)
{
	const struct trace_kernel *x = a, *y = b;

	return ORDER(x->handle, y->handle) ?: ORDER(x->ticks, y->ticks);
}

static void settle_kernels(struct trace *trace)
{
	struct trace_kernel *kernels = trace->kernels;
	size_t count = trace->nkernels;

	if (!count)
		return;
	qsort(kernels, count, sizeof(*kernels), by_name);
	kernels[0].number = 0;
	for (size_t i = 1; i < count; i++)
		kernels[i].number = kernels[i - 1].number +
				    (strcmp(kernels[i].name, kernels[i - 1].name) != 0);
	trace->nnames = kernels[count - 1].number + 1;
	qsort(kernels, count, sizeof(*kernels), by_handle);
}

/* LIBRARY:SYMBOL, as functions of libraries have it: the same with the name that is meant, NULL as demangle. */
static char *demangle_provided(const char *name, enum demangle how)
{
	const char *colon = strchr(name, ':');
	char *meant = colon ? demangle(colon + 1, how) : NULL, *whole;
	size_t library = colon ? (size_t)(colon + 1 - name) : 0, length;

	if (!meant)
		return NULL;
	length = strlen(meant) + 1;
	whole = malloc(library + length);
	if (whole) {
		memcpy(whole, name, library);
		memcpy(whole + library, meant, length);
	}
	free(meant);
	return whole;
}

static int demangle_functions(struct trace *trace, enum demangle how)
{
	trace->function_names = calloc(trace->nfunctions, sizeof(*trace->function_names));
	if (!trace->function_names)
		return -ENOMEM;
	for (size_t i = 0; i < trace->nfunctions; i++) {
		struct trace_function *function = &trace->functions[i];
		char **name = &trace->function_names[i];

		if (!function->provided)
			continue;
		errno = 0;
		*name = demangle_provided(function->name, how);
		if (!*name && errno == ENOMEM)
			return -ENOMEM;
		if (*name)
			function->name = function->base = *name;
	}
	return 0;
}

int trace_demangle(struct trace *trace, enum demangle how)
{
	if (how != DEMANGLE_NO && trace->nfunctions && demangle_functions(trace, how))
		return -ENOMEM;
	if (how == DEMANGLE_NO || !trace->nkernels)
		return 0;
	trace->spelled = calloc(trace->nnames, sizeof(*trace->spelled));
	if (!trace->spelled)
		return -ENOMEM;
	trace->nspelled = trace->nnames;
	for (size_t i = 0; i < trace->nkernels; i++) {
		struct trace_kernel *kernel = &trace->kernels[i];
		char **name = &trace->spelled[kernel->number];

		errno = 0;
		if (!*name)
			*name = demangle(kernel->name, how);
		if (!*name && errno == ENOMEM)
			return -ENOMEM;
		if (*name)
			kernel->name = *name;
	}
	/* What was different may be the same now. */
	settle_kernels(trace);
	return 0;
}

static int compare_marks(const void *a, const void *b)
{
	uint64_t x = ((const struct trace_mark *)a)->ticks, y = ((const struct trace_mark *)b)->ticks;

	return ORDER(x, y);
}

static int compare_error_texts(const void *a, const void *b)
{
	const struct trace_error_text *x = a, *y = b;

	return ORDER(x->correlation, y->correlation) ?: strcmp(x->text, y->text);
}

int trace_describe(struct trace *trace)
{
	const struct cuaudit_trace_record *record;
	struct cursor cursor = { .trace = trace };
	size_t counts[TYPES] = { 0 };

	while ((record = next(&cursor)))
		counts[record->type]++;
	if (allocate(trace, counts))
		return -ENOMEM;
	trace->damaged += cursor.damaged;
	cursor = (struct cursor){ .trace = trace };
	while ((record = next(&cursor)))
		add(trace, record);
	if (resolve(trace))
		return -ENOMEM;
	settle_threads(trace);
	settle_kernels(trace);
	trace_names_settle(trace);
	if (trace->nmarks > 1)
		qsort(trace->marks, trace->nmarks, sizeof(*trace->marks), compare_marks);
	if (trace->nerror_texts > 1)
		qsort(trace->error_texts, trace->nerror_texts, sizeof(*trace->error_texts),
		      compare_error_texts);
	return 0;
}

void trace_describe_free(struct trace *trace)
{
	for (size_t i = 0; trace->functions && i < trace->nfunctions; i++)
		free(trace->functions[i].types);
	free(trace->functions);
	free(trace->libraries);
	free(trace->sites);
	free(trace->threads);
	free(trace->kernels);
	free(trace->callers);
	free(trace->pythons);
	free(trace->layouts);
	free(trace->drivers);
	free(trace->marks);
	free(trace->error_texts);
	free(trace->range_names);
	for (size_t i = 0; i < trace->nspelled; i++)
		free(trace->spelled[i]);
	free(trace->spelled);
	for (size_t i = 0; trace->function_names && i < trace->nfunctions; i++)
		free(trace->function_names[i]);
	free(trace->function_names);
}

const char *trace_error_text(const struct trace *trace, const struct trace_call *call)
{
	const struct trace_error_text *texts = trace->error_texts;
	size_t at;

	if (!call->result || !trace->nerror_texts)
		return NULL;
	at = FIRST(trace->nerror_texts, i, texts[i].correlation < call->correlation);
	return at < trace->nerror_texts && texts[at].correlation == call->correlation ?
	       texts[at].text : NULL;
}

const char *trace_library_file(const struct trace *trace, size_t index)
{
	const struct trace_library *library = &trace->libraries[index];
	const char *program = trace->header.program, *slash = strrchr(program, '/');

	return *library->path != '/' && slash && !strcmp(slash + 1, library->name) ? program :
										      library->path;
}

const struct trace_thread *trace_thread(const struct trace *trace, uint32_t number)
{
	size_t at = FIRST(trace->nthreads, i, trace->threads[i].number < number);

	return at < trace->nthreads && trace->threads[at].number == number ?
	       &trace->threads[at] : NULL;
}

const struct trace_kernel *trace_kernel(const struct trace *trace, uint64_t handle, uint64_t ticks)
{
	const struct trace_kernel *kernels = trace->kernels;
	size_t at = FIRST(trace->nkernels, i, kernels[i].handle < handle ||
			  (kernels[i].handle == handle && kernels[i].ticks <= ticks));

	if (at && kernels[at - 1].handle == handle)
		return &kernels[at - 1];
	/* Named after the call began. */
	return at < trace->nkernels && kernels[at].handle == handle ? &kernels[at] : NULL;
}
