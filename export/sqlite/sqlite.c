/* SPDX-License-Identifier: Apache-2.0 */
/* An SQLite database, cuaudit-sqlite(5). */
/*
 * It is made in one transaction without a journal, for nobody has the file
 * yet; indexes come last, where they are sorted rather than grown.
 */
#include <cuaudit/cuda_types.h>
#include <errno.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/kernel_launch.h"
#include "export/argument_text.h"
#include "export/fields.h"
#include "export/formats.h"
#include "export/lines.h"
#include "export/sqlite/sqlite_lists.h"
#include "export/sqlite/sqlite_rows.h"
#include "export/sqlite/sqlite_schema.h"
#include "print/prototypes.h"
#include "print/value.h"
#include "tracefile/copy.h"
#include "tracefile/ending.h"
#include "tracefile/names.h"
#include "util/utf8.h"

enum { RESULTS = 1024 };	/* that may have names */

enum statement {
	ARGUMENTS,
	CALLS,
	COPY,
	DIRECTION_NAME,
	DRIVER,
	ERROR_TEXT,
	FIND_FUNCTION,
	FIND_KERNEL,
	FRAME,
	FUNCTION,
	KERNEL,
	LAUNCH,
	LIBRARY,
	LOSS,
	MARK,
	NAME,
	PROCESS,
	RANGE,
	RESULT, RUNTIME_RESULT,
	SITE,
	SOURCE,
	STACK,
	THREAD,
	UNFINISHED,
	STATEMENTS
};

static const char *const statements[STATEMENTS] = {
	[ARGUMENTS] = sqlite_insert_arguments,
	[CALLS] = sqlite_insert_calls,
	[COPY] = "INSERT INTO copy VALUES (?, ?, ?)",
	[DIRECTION_NAME] = "INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES"
			   " (?, 'CUDA_MEMCPY_KIND_' || upper(?), ?)",
	[ERROR_TEXT] = "INSERT OR IGNORE INTO error_text VALUES (?, ?, ?)",
	[DRIVER] = "INSERT OR REPLACE INTO driver VALUES (?, ?, ?, ?)",
	[FIND_FUNCTION] = "SELECT id FROM function WHERE name = ?",
	[FIND_KERNEL] = "SELECT id FROM kernel WHERE name = ?",
	[FRAME] = "INSERT INTO frame VALUES (?, ?, ?, ?, ?)",
	[FUNCTION] = "INSERT OR IGNORE INTO function VALUES (NULL, ?, ?, ?)",
	[KERNEL] = "INSERT OR IGNORE INTO kernel VALUES (NULL, ?)",
	[LAUNCH] = "INSERT INTO launch VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[LIBRARY] = "INSERT INTO library VALUES (?, ?, ?, ?, ?, ?)",
	[LOSS] = "INSERT INTO loss VALUES (?, ?, ?)",
	[MARK] = "INSERT INTO mark VALUES (?, ?, ?, ?)",
	[NAME] = "INSERT INTO name VALUES (?, ?, ?, ?, ?)",
	[PROCESS] = "INSERT INTO process VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[RANGE] = "INSERT INTO range VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[RESULT] = "INSERT INTO result VALUES (?, ?)",
	[RUNTIME_RESULT] = "INSERT INTO runtime_result VALUES (?, ?)",
	[SITE] = "INSERT INTO site VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[SOURCE] = "INSERT OR IGNORE INTO source VALUES (?, ?, ?, ?, ?, ?)",
	[STACK] = "INSERT INTO stack VALUES (?, ?)",
	[THREAD] = "INSERT INTO thread VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[UNFINISHED] = "INSERT INTO unfinished VALUES (?, ?, ?, ?, ?)",
};

struct site_sums {
	uint64_t calls, errors, not_ready, duration, shortest, longest;
};

struct function {
	int64_t row;
	struct launch_plan plan;
	int copies;			/* copy_kind */
	bool queries;			/* "not ready" is no error of it */
	bool runtime;			/* returns a cudaError_t */
};

struct thread_sums {
	uint64_t calls, duration;
};

struct state {
	sqlite3 *database;
	sqlite3_stmt *statements[STATEMENTS];
	struct sqlite_rows *rows;
	struct sqlite_lists *lists;
	struct utf8_scratch scratch;
	int64_t list;			/* the last one of arguments */
	bool results[RESULTS], runtime_results[RESULTS];	/* seen */
	bool launches;			/* of kernels with a name, seen */
	/* The row before the first one of the file at hand. */
	int64_t process, thread, library, site, stack;
	/* Of the file at hand. */
	struct function *functions;
	int64_t *kernels;		/* rows, by their indices */
	bool handles_return;		/* a handle was one kernel's, and then another's */
	struct site_sums *sites;
	struct thread_sums *threads;	/* behind the last: of those that nothing describes */
	uint32_t current;		/* a thread's number, and ... */
	size_t current_index;		/* ... its place in threads */
	bool strangers;			/* there are such that nothing describes */
};

static int failed(struct convert *convert)
{
	struct state *state = convert->state;

	return convert_fault(convert, "%s", sqlite3_errmsg(state->database));
}

static int execute(struct convert *convert, const char *sql)
{
	struct state *state = convert->state;

	return sqlite3_exec(state->database, sql, NULL, NULL, NULL) ? failed(convert) : 0;
}

/* A code of SQLite's, as of the next. */
static int bind_text(struct state *state, sqlite3_stmt *statement, int at, const char *text)
{
	const char *clean = text ? utf8_clean(&state->scratch, text) : NULL;

	if (text && !clean)
		return SQLITE_NOMEM;
	return sqlite3_bind_text(statement, at, clean, -1, SQLITE_TRANSIENT);
}

/* va_list is an array on some machines, so it is wrapped. */
struct values {
	va_list list;
};

static int bind(struct state *state, sqlite3_stmt *statement, int at, char kind,
		struct values *values)
{
	const int64_t *pointer;
	int64_t number = 0;

	if (kind == 't')
		return bind_text(state, statement, at, va_arg(values->list, const char *));
	/* SQLite's integers have a sign. */
	if (kind == 'u') {
		uint64_t large = va_arg(values->list, uint64_t);

		return large > INT64_MAX ? sqlite3_bind_double(statement, at, (double)large) :
					   sqlite3_bind_int64(statement, at, (int64_t)large);
	}
	if (kind == 'p') {
		pointer = va_arg(values->list, const int64_t *);
		number = pointer ? *pointer : 0;
		kind = pointer ? 'i' : 'n';
	} else {
		number = va_arg(values->list, int64_t);
	}
	if (kind == 'n' && !number)
		return sqlite3_bind_null(statement, at);
	return sqlite3_bind_int64(statement, at, number);
}

/*
 * Runs a statement with what format says: i is an int64_t, n too, NULL if it
 * is 0, p one to an int64_t or NULL, t a text or NULL. Its first result, if it has any, goes to *row.
 */
static int put(struct convert *convert, enum statement which, int64_t *row, const char *format, ...)
{
	struct state *state = convert->state;
	sqlite3_stmt *statement = state->statements[which];
	struct values values;
	int code = SQLITE_OK;

	/* What is not bound keeps the value of the row before. */
	va_start(values.list, format);
	for (int at = 1; !code && format[at - 1]; at++)
		code = bind(state, statement, at, format[at - 1], &values);
	va_end(values.list);
	if (code)
		return code == SQLITE_NOMEM ? -ENOMEM : failed(convert);
	code = sqlite3_step(statement);
	if (code == SQLITE_ROW) {
		*row = sqlite3_column_int64(statement, 0);
		code = SQLITE_DONE;
	}
	if (sqlite3_reset(statement) == SQLITE_OK && code == SQLITE_DONE)
		return 0;
	return failed(convert);
}

/* What is sorted beyond its cache goes beside the output, where there is room for it. */
static void place_temporary(const char *path)
{
	const char *slash = strrchr(path, '/');

	sqlite3_temp_directory = slash ? sqlite3_mprintf("%.*s", (int)(slash - path) + 1, path)
				       : sqlite3_mprintf(".");
}

static int begin(struct convert *convert)
{
	struct state *state = convert->state;
	char sql[512];

	state->rows = malloc(sizeof(*state->rows));
	state->lists = malloc(sizeof(*state->lists));
	if (!state->rows || !state->lists)
		return -ENOMEM;
	state->rows->ncalls = state->rows->narguments = state->rows->ntexts = 0;
	state->lists->victim = 0;
	/* One thread of the process uses it; locks and counts of memory took a twentieth of the time. */
	sqlite3_config(SQLITE_CONFIG_SINGLETHREAD);
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	place_temporary(convert->path);
	if (sqlite3_open_v2(convert->path, &state->database,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL))
		return state->database ? failed(convert) : -ENOMEM;
	snprintf(sql, sizeof(sql),
		 "PRAGMA page_size = 32768; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
		 "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -16384;"
		 "PRAGMA application_id = %d; PRAGMA user_version = %d;"
		 "BEGIN;", SQLITE_SCHEMA_APPLICATION, SQLITE_SCHEMA_VERSION);
	if (execute(convert, sql) || execute(convert, sqlite_tables))
		return -EIO;
	if (sqlite_rows_tables(state->database, state->rows))
		return failed(convert);
	for (int i = 0; i < STATEMENTS; i++)
		if (sqlite3_prepare_v2(state->database, statements[i], -1, &state->statements[i],
				       NULL))
			return failed(convert);
	return 0;
}

static int flush_calls(struct convert *convert)
{
	struct state *state = convert->state;
	int error = state->rows->ncalls ? put(convert, CALLS, NULL, "") : 0;

	state->rows->ncalls = 0;
	return error;
}

static int flush_arguments(struct convert *convert)
{
	struct state *state = convert->state;
	int error = state->rows->narguments ? put(convert, ARGUMENTS, NULL, "") : 0;

	state->rows->narguments = state->rows->ntexts = 0;
	return error;
}

static int put_process(struct convert *convert, const struct trace *trace)
{
	struct state *state = convert->state;
	const struct cuaudit_trace_header *header = &trace->header;
	char words[sizeof(header->command)], rank[16] = "";
	int64_t end = header->end_ticks ? (int64_t)trace_ns(trace, header->end_ticks) : 0;
	int64_t status = trace_status(header);
	int error;

	trace_command(trace, words);
	if (header->rank >= 0)
		snprintf(rank, sizeof(rank), "%d", header->rank);
	error = put(convert, PROCESS, NULL, "itiittttinitp", state->process + 1, trace->path,
		    (int64_t)header->pid, (int64_t)header->parent, header->host,
		    *rank ? rank : NULL, header->program, words, (int64_t)trace->start_ns, end,
		    (int64_t)!!(header->flags & CUAUDIT_TRACE_FINISHED),
		    trace_ending_name(header), status < 0 ? NULL : &status);
	for (size_t i = 0; !error && i < trace->ndrivers; i++)
		error = put(convert, DRIVER, NULL, "iint", state->process + 1,
			    (int64_t)trace->drivers[i].index, (int64_t)trace->drivers[i].version,
			    trace->drivers[i].path);
	return error;
}

static void hex(char *text, const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
}

static int put_libraries(struct convert *convert, const struct trace *trace)
{
	struct state *state = convert->state;
	int error = 0;

	for (size_t i = 0; !error && i < trace->nlibraries; i++) {
		const struct trace_library *library = &trace->libraries[i];
		char id[2 * sizeof(library->build_id) + 1] = "";

		hex(id, library->build_id, library->id_size);
		error = put(convert, LIBRARY, NULL, "iittit", state->library + 1 + (int64_t)i,
			    state->process + 1, library->name, library->path,
			    (int64_t)library->base, *id ? id : NULL);
	}
	return error;
}

static int put_functions(struct convert *convert, const struct trace *trace)
{
	struct state *state = convert->state;
	int error = 0;

	for (size_t i = 0; !error && i < trace->nfunctions; i++) {
		const struct trace_function *function = &trace->functions[i];
		char text[128];
		struct buffer classes = { text, sizeof(text), 0 };

		state->functions[i].plan = launch_plan(function);
		state->functions[i].queries = query_is(function->name);
		state->functions[i].runtime = print_is_runtime(function->name);
		state->functions[i].copies = copy_kind(function);
		fields_classes(&classes, function->classes);
		buffer_end(&classes);
		error = put(convert, FUNCTION, NULL, "ttt", function->name, function->base, text) ?:
			put(convert, FIND_FUNCTION, &state->functions[i].row, "t", function->name);
	}
	return error;
}

static int put_kernels(struct convert *convert, const struct trace *trace)
{
	struct state *state = convert->state;
	int error = 0;

	for (size_t i = 0; !error && i < trace->nkernels; i++) {
		const struct trace_kernel *kernel = &trace->kernels[i];

		if (state->kernels[kernel->number])
			continue;
		error = put(convert, KERNEL, NULL, "t", kernel->name) ?:
			put(convert, FIND_KERNEL, &state->kernels[kernel->number], "t", kernel->name);
	}
	return error;
}

/* The functions of a return address, the innermost first. */
static int put_source(struct convert *convert, uint32_t library, uint64_t address,
		      struct symbol_stack found)
{
	struct state *state = convert->state;
	int error = 0;

	for (uint32_t i = 0; !error && i < found.count; i++)
		error = put(convert, SOURCE, NULL, "iiittn", state->library + 1 + (int64_t)library,
			    (int64_t)address, (int64_t)i, found.at[i].function, found.at[i].file,
			    (int64_t)found.at[i].line);
	return error;
}

static int put_stacks(struct convert *convert, const struct trace *trace)
{
	struct state *state = convert->state;
	int error = 0;

	for (size_t i = 0; !error && i < trace->ncallers; i++) {
		int64_t id = state->stack + 1 + (int64_t)i;

		error = put(convert, STACK, NULL, "ii", id, state->process + 1);
		for (uint32_t j = 0; !error && j < trace->callers[i].count; j++) {
			const struct cuaudit_trace_frame *frame = &trace->callers[i].frames[j];
			bool known = frame->library < trace->nlibraries;
			bool native = frame->kind == CUAUDIT_TRACE_FRAME_NATIVE;
			char text[FIELDS_PLACE];

			error = put(convert, FRAME, NULL, "iiitn", id, (int64_t)j,
				    native ? (int64_t)frame->address : 0, fields_place(text, trace, frame),
				    known ? state->library + 1 + (int64_t)frame->library : 0) ?:
				put_source(convert, frame->library, frame->address,
					   lines_frame(convert, trace, frame));
		}
	}
	return error;
}

static void release_file(struct state *state)
{
	free(state->functions);
	free(state->kernels);
	free(state->sites);
	free(state->threads);
	state->functions = NULL;
	state->kernels = NULL;
	state->sites = NULL;
	state->threads = NULL;
}

static int file(struct convert *convert, const struct trace *trace)
{
	struct state *state = convert->state;

	state->functions = calloc(trace->nfunctions + 1, sizeof(*state->functions));
	state->kernels = calloc(trace->nnames + 1, sizeof(*state->kernels));
	state->sites = calloc(trace->nsites + 1, sizeof(*state->sites));
	state->threads = calloc(trace->nthreads + 1, sizeof(*state->threads));
	state->current = TRACE_NONE;
	state->strangers = false;
	sqlite_lists_clear(state->lists);
	state->handles_return = false;
	/* By handle. */
	for (size_t i = 1; i < trace->nkernels; i++)
		state->handles_return |= trace->kernels[i].handle == trace->kernels[i - 1].handle;
	if (!state->functions || !state->kernels || !state->sites || !state->threads)
		return -ENOMEM;
	return put_process(convert, trace) ?: put_libraries(convert, trace) ?:
	       put_functions(convert, trace) ?: put_kernels(convert, trace) ?:
	       put_stacks(convert, trace);
}

static size_t thread_index(struct state *state, const struct trace *trace, uint32_t number)
{
	const struct trace_thread *thread;

	if (state->current != number) {
		thread = trace_thread(trace, number);
		state->current = number;
		state->current_index = thread ? (size_t)(thread - trace->threads) : trace->nthreads;
		state->strangers |= !thread;
	}
	return state->current_index;
}

static int64_t thread_row(struct state *state, const struct trace *trace, uint32_t number)
{
	return state->thread + 1 + (int64_t)thread_index(state, trace, number);
}

static void account(struct state *state, const struct trace *trace, const struct trace_call *call,
		    uint64_t ns)
{
	struct site_sums *site = &state->sites[call->site];
	struct thread_sums *thread = &state->threads[thread_index(state, trace, call->thread)];
	const struct function *function = &state->functions[trace->sites[call->site].function];

	if (call->result == QUERY_NOT_READY && function->queries)
		site->not_ready++;
	else
		site->errors += call->result != 0;
	site->duration += ns;
	site->shortest = !site->calls || ns < site->shortest ? ns : site->shortest;
	site->longest = ns > site->longest ? ns : site->longest;
	site->calls++;
	thread->calls++;
	thread->duration += ns;
	if ((uint32_t)call->result < RESULTS)
		(function->runtime ? state->runtime_results : state->results)[call->result] = true;
}

static int put_argument(struct convert *convert, const struct trace_arguments *arguments,
			const struct print_param *params, uint32_t index, uint32_t position)
{
	struct state *state = convert->state;
	struct sqlite_rows *rows = state->rows;
	char text[ARGUMENTS_TEXT];
	const char *value;
	uint64_t number;
	size_t length;
	bool is_number;
	int error;

	arguments_value(text, sizeof(text), arguments, params, index);
	value = utf8_clean(&state->scratch, text);
	if (!value)
		return -ENOMEM;
	length = strlen(value);
	is_number = arguments_number(arguments, &params[index], &number);
	if (rows->narguments == SQLITE_ARGUMENTS || length > SQLITE_TEXTS - rows->ntexts) {
		error = flush_arguments(convert);
		if (error)
			return error;
	}
	rows->arguments[rows->narguments++] = (struct sqlite_argument){
		.list = state->list,
		.position = (uint16_t)position,
		.name = params[index].name,
		.value = rows->ntexts,
		.length = (uint32_t)length,
		.is_number = is_number,
		.is_large = is_number && number > INT64_MAX && !value_is_signed(params[index].shape.value),
		.number = is_number ? (int64_t)number : 0,
	};
	memcpy(rows->texts + rows->ntexts, value, length);
	rows->ntexts += (uint32_t)length;
	return 0;
}

static int put_launch(struct convert *convert, const struct trace_arguments *arguments)
{
	static const char *const names[8] = {
		"gridDimX", "gridDimY", "gridDimZ", "blockDimX", "blockDimY", "blockDimZ",
		"sharedMemBytes", "hStream"
	};
	const struct state *state = convert->state;
	int64_t numbers[8];
	const int64_t *known[8];

	for (int i = 0; i < 8; i++) {
		uint64_t number;

		known[i] = trace_arguments_named(arguments, names[i], &number) ? &numbers[i] : NULL;
		numbers[i] = known[i] ? (int64_t)number : 0;
	}
	return put(convert, LAUNCH, NULL, "ipppppppp", state->list, known[0], known[1], known[2],
		   known[3], known[4], known[5], known[6], known[7]);
}

static int put_copy(struct convert *convert, const struct trace_arguments *arguments, int kind)
{
	const struct state *state = convert->state;
	struct copy copy = copy_read(kind, arguments);

	return put(convert, COPY, NULL, copy.sized ? "iui" : "ini", state->list, copy.sized ? copy.bytes : 0,
		   (int64_t)copy.direction);
}

/* *list is of these from now on, 0 if there are none. */
static int put_arguments(struct convert *convert, const struct trace_arguments *arguments,
			 uint32_t number, int64_t *list)
{
	struct state *state = convert->state;
	const struct trace_function *function = arguments->function;
	int error = 0;

	*list = function->nparams || function->has_others || function->has_result ? ++state->list : 0;
	for (uint32_t i = 0; !error && i < function->nparams; i++)
		error = put_argument(convert, arguments, function->params, i, i);
	if (!error && function->has_others)
		error = put_argument(convert, arguments, &prototypes_others, 0, function->nparams);
	if (!error && function->has_result)
		error = put_argument(convert, arguments, &function->result, 0, function->nparams + 1);
	if (!error && *list && state->functions[number].plan.launches)
		error = put_launch(convert, arguments);
	if (!error && *list && state->functions[number].copies != COPY_NONE)
		error = put_copy(convert, arguments, state->functions[number].copies);
	return error;
}

static int take_arguments(struct convert *convert, const struct trace *trace,
			  const struct trace_call *call, struct sqlite_call *row)
{
	struct state *state = convert->state;
	uint32_t function = trace->sites[call->site].function;
	const struct launch_plan *plan = &state->functions[function].plan;
	struct trace_arguments arguments;
	struct sqlite_list *list;
	struct launch launch;
	bool known;
	int error = 0;

	if (convert->choice.no_arguments && !plan->launches)
		return 0;
	list = sqlite_lists_find(state->lists, function, call, &known);
	if (known) {
		row->kernel = list->kernel;
		row->arguments = list->list;
		return 0;
	}
	if (trace_arguments_read(&arguments, trace, call)) {
		if (launch_read(&launch, plan, trace, call, &arguments)) {
			row->kernel = state->kernels[launch.kernel->number];
			state->launches = true;
		}
		if (!convert->choice.no_arguments)
			error = put_arguments(convert, &arguments, function, &row->arguments);
		if (list && state->handles_return && (arguments.nnames || row->kernel))
			list->function = TRACE_NONE;
	}
	if (list) {
		list->kernel = row->kernel;
		list->list = row->arguments;
	}
	return error;
}

static int call(struct convert *convert, const struct trace *trace, const struct trace_call *call)
{
	struct state *state = convert->state;
	uint64_t ns = trace_duration(trace, call->end - call->start);
	const char *why = trace_error_text(trace, call);
	struct sqlite_call *row;
	int error = 0;

	account(state, trace, call, ns);
	row = &state->rows->calls[state->rows->ncalls++];
	*row = (struct sqlite_call){
		.start = (int64_t)trace_ns(trace, call->start),
		.duration = (int64_t)ns,
		.correlation = (int64_t)call->correlation,
		.thread = thread_row(state, trace, call->thread),
		.site = state->site + 1 + call->site,
		.stack = call->stack == TRACE_NONE ? 0 : state->stack + 1 + call->stack,
		.result = trace_result_unknown(convert_function(trace, call->site), call->result) ?
			  SQLITE_UNKNOWN : call->result,
		.depth = call->depth,
		.skipped = call->status & CUAUDIT_TRACE_SKIPPED,
	};
	if (call->arguments)
		error = take_arguments(convert, trace, call, row);
	if (!error && why)
		error = put(convert, ERROR_TEXT, NULL, "iit", state->process + 1,
			    (int64_t)call->correlation, why);
	return !error && state->rows->ncalls == SQLITE_CALLS ? flush_calls(convert) : error;
}

static int open_call(struct convert *convert, const struct trace *trace,
		     const struct convert_open *open)
{
	struct state *state = convert->state;

	return put(convert, UNFINISHED, NULL, "iiiii",
		   thread_row(state, trace, open->thread), state->site + 1 + open->site,
		   trace_ns(trace, open->start), trace_duration(trace, open->seen - open->start),
		   (int64_t)open->depth);
}

static int mark(struct convert *convert, const struct trace *trace, const struct trace_mark *mark)
{
	struct state *state = convert->state;

	return put(convert, MARK, NULL, "iiit", state->process + 1,
		   thread_row(state, trace, mark->thread), trace_ns(trace, mark->ticks), mark->text);
}

static int range_row(struct convert *convert, const struct trace *trace,
		     const struct trace_range *range)
{
	struct state *state = convert->state;
	int64_t category = range->category_number, colour = range->colour, depth = range->depth;
	int64_t number = (int64_t)(range->id & TRACE_RANGE_ID);
	bool pushed = range->event == CUAUDIT_TRACE_RANGE_PUSH;
	bool started = range->event == CUAUDIT_TRACE_RANGE_START;
	int64_t thread = range->thread ? thread_row(state, trace, range->thread) : 0;
	int64_t end_thread = started && !(range->flags & TRACE_RANGE_UNFINISHED) ?
			     thread_row(state, trace, range->end_thread) : 0;
	char payload[32];

	trace_range_payload(range, payload, sizeof(payload));
	return put(convert, RANGE, NULL, "intiittntptppni", state->process + 1, thread,
		   trace_range_event_name(range), trace_ns(trace, range->start),
		   trace_duration(trace, range->end - range->start), range->text, range->domain,
		   category, *range->category ? range->category : NULL,
		   range->flags & TRACE_RANGE_COLOUR ? &colour : NULL, *payload ? payload : NULL,
		   pushed ? &depth : NULL, started ? &number : NULL, end_thread,
		   (int64_t)!!(range->flags & TRACE_RANGE_UNFINISHED));
}

/* Those of a kind that is not known are left out. */
static int put_names(struct convert *convert, const struct trace *trace)
{
	static const char *const kinds[] = {
		[CUAUDIT_TRACE_NAME_DOMAIN] = "domain", [CUAUDIT_TRACE_NAME_CATEGORY] = "category",
		[CUAUDIT_TRACE_NAME_THREAD] = "thread", [CUAUDIT_TRACE_NAME_DEVICE] = "device",
		[CUAUDIT_TRACE_NAME_CONTEXT] = "context", [CUAUDIT_TRACE_NAME_STREAM] = "stream",
		[CUAUDIT_TRACE_NAME_EVENT] = "event",
	};
	struct state *state = convert->state;
	int error = 0;

	for (size_t i = 0; !error && i < trace->nrange_names; i++) {
		const struct trace_range_name *name = &trace->range_names[i];
		bool domain = name->kind == CUAUDIT_TRACE_NAME_DOMAIN;

		if (name->kind && name->kind < sizeof(kinds) / sizeof(kinds[0]))
			error = put(convert, NAME, NULL, "ititt", state->process + 1, kinds[name->kind],
				    (int64_t)(domain ? name->domain : name->id),
				    trace_name(trace, CUAUDIT_TRACE_NAME_DOMAIN, name->domain, 0),
				    name->text);
	}
	return error;
}

static int put_sites(struct convert *convert, const struct trace *trace)
{
	struct state *state = convert->state;
	int error = 0;

	for (size_t i = 0; !error && i < trace->nsites; i++) {
		const struct trace_site *site = &trace->sites[i];
		const struct site_sums *sums = &state->sites[i];
		char text[FIELDS_PLACE];

		if (site->function == TRACE_NONE)
			continue;
		error = put(convert, SITE, NULL, "iiiitiiiinn", state->site + 1 + (int64_t)i,
			    state->functions[site->function].row,
			    state->library + 1 + (int64_t)site->library, (int64_t)site->caller,
			    fields_site(text, trace, (uint32_t)i), sums->calls, sums->errors,
			    sums->not_ready, sums->duration, sums->shortest, sums->longest) ?:
			put_source(convert, site->library, site->caller,
				   lines_site(convert, trace, (uint32_t)i));
	}
	return error;
}

static int put_threads(struct convert *convert, const struct trace *trace)
{
	struct state *state = convert->state;
	int error = 0;

	for (size_t i = 0; !error && i < trace->nthreads + state->strangers; i++) {
		static const struct trace_thread unknown;
		const struct trace_thread *thread = i < trace->nthreads ? &trace->threads[i]
									: &unknown;

		error = put(convert, THREAD, NULL, "iiintnnii", state->thread + 1 + (int64_t)i,
			    state->process + 1, (int64_t)thread->number, (int64_t)thread->tid,
			    thread->name,
			    thread->start ? trace_ns(trace, thread->start) : (uint64_t)0,
			    thread->end ? trace_ns(trace, thread->end) : (uint64_t)0,
			    state->threads[i].calls, state->threads[i].duration);
	}
	return error;
}

static int put_loss(struct convert *convert, const struct trace *trace, const char *reason,
		    uint64_t count)
{
	struct state *state = convert->state;

	(void)trace;
	/* Only a damaged file has so many. */
	return put(convert, LOSS, NULL, "iti", state->process + 1, reason,
		   (int64_t)(count < INT64_MAX ? count : INT64_MAX));
}

static int file_end(struct convert *convert, const struct trace *trace)
{
	struct state *state = convert->state;
	int error = flush_calls(convert) ?: flush_arguments(convert) ?: put_sites(convert, trace) ?:
		    put_threads(convert, trace) ?: put_names(convert, trace) ?:
		    convert_each_loss(convert, trace, put_loss);

	release_file(state);
	state->process++;
	state->thread += (int64_t)trace->nthreads + 1;
	state->library += (int64_t)trace->nlibraries;
	state->site += (int64_t)trace->nsites;
	state->stack += (int64_t)trace->ncallers;
	return error;
}

static int end(struct convert *convert)
{
	struct state *state = convert->state;
	int error = 0;

	for (int i = 0; !error && i < RESULTS; i++) {
		char text[PRINT_RESULT];

		if (state->results[i] && *print_result_text(text, NULL, i) > '9')
			error = put(convert, RESULT, NULL, "it", (int64_t)i, text);
		if (!error && state->runtime_results[i] && *print_result_text(text, "cudaMalloc", i) > '9')
			error = put(convert, RUNTIME_RESULT, NULL, "it", (int64_t)i, text);
	}
	for (int i = 0; !error && i < COPY_DIRECTIONS; i++)
		error = put(convert, DIRECTION_NAME, NULL, "itt", (int64_t)i, copy_names[i],
			    copy_labels[i]);
	if (!error && state->launches)
		error = execute(convert, sqlite_kernel_index);
	return error ?: execute(convert, sqlite_views) ?: execute(convert, "COMMIT");
}

static void release(struct convert *convert)
{
	struct state *state = convert->state;

	release_file(state);
	for (int i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(state->statements[i]);
	sqlite3_close(state->database);
	sqlite3_free(sqlite3_temp_directory);
	sqlite3_temp_directory = NULL;
	free(state->scratch.at);
	free(state->rows);
	free(state->lists);
}

const struct convert_format convert_sqlite = {
	.name = "sqlite", .order = CONVERT_BY_THREAD, .target = CONVERT_FILE,
	.state = sizeof(struct state), .begin = begin, .file = file, .call = call,
	.open = open_call, .mark = mark, .range = range_row, .file_end = file_end, .end = end, .release = release,
};
