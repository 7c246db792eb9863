/* SPDX-License-Identifier: Apache-2.0 */
/* Reads traces for what their programs ask of the driver. */
#include "analysis/manifest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cuaudit/api.h>
#include <cuaudit/cuda_types.h>

#include "tracefile/arguments.h"

/* Of the function itself, whatever the library. */
enum role { ROLE_NONE, ROLE_INITIALIZES, ROLE_COUNTS, ROLE_LOOKS_UP, ROLE_ALWAYS };

/* Functions with a role, by row. */
static const struct {
	int32_t row;
	enum role role;
	const char *parameter;
} roles[] = {
#define INITIALIZES(symbol) { CUAUDIT_ID_##symbol, ROLE_INITIALIZES, NULL },
#define COUNTS(symbol, parameter) { CUAUDIT_ID_##symbol, ROLE_COUNTS, parameter },
#define LOOKS_UP(symbol) { CUAUDIT_ID_##symbol, ROLE_LOOKS_UP, NULL },
#define ALWAYS(symbol) { CUAUDIT_ID_##symbol, ROLE_ALWAYS, NULL },
#include "analysis/manifest.def"
};

static const struct limit {
	enum manifest_question question;
	enum manifest_verdict verdict;
	const char *base;
	int variant;		/* 0: any */
	const char *text;
} limits[] = {
#define LIMIT(question, answer, base, variant, text) \
	{ MANIFEST_##question, MANIFEST_##answer, #base, variant, text },
#include "analysis/manifest.def"
};

static const struct {
	enum manifest_question question;
	enum manifest_verdict verdict;
	const char *prefix, *text;
} libraries[] = {
#define LIBRARY(question, answer, prefix, text) { MANIFEST_##question, MANIFEST_##answer, prefix, text },
#include "analysis/manifest.def"
};
enum { LIBRARIES = sizeof(libraries) / sizeof(libraries[0]) };

/* Which version of its base a row is, from 1. */
static const uint8_t variants[] = {
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) [id] = variant,
#include <cuaudit/driver_api.def>
#undef CUAPI
};

/* A file that is being read: its functions and libraries, and what was decided about them. */
struct reading {
	struct manifest *manifest;
	struct manifest_process *process;
	const struct trace *trace;
	uint32_t number;	/* of the process */
	uint32_t *functions, *libraries;
	const struct limit **limits[2];	/* of functions: for each of two questions, or NULL */
	uint8_t *roles;			/* indices of roles + 1, 0 for none */
};

static const char *keep(struct manifest *manifest, const char *text)
{
	uint32_t number = table_text(&manifest->texts, text);

	return number == TABLE_NONE ? NULL : manifest->texts.keys[number].bytes;
}

void manifest_site_first(struct manifest_site *site, const struct manifest_site *other)
{
	if (other->known && (!site->known || other->ns < site->ns))
		*site = *other;
}

struct manifest_evidence *manifest_evidence(struct manifest *manifest, enum manifest_question question,
					    enum manifest_verdict verdict, const char *text,
					    uint32_t function, uint32_t library)
{
	const struct { uint32_t question, function, library, verdict; } key =
		{ question, function, library, verdict };
	uint32_t number = table_find(&manifest->evidence, &key, sizeof(key));
	struct manifest_evidence *row;

	if (number == TABLE_NONE)
		return NULL;
	row = table_row(&manifest->evidence, number);
	row->question = question;
	row->verdict = verdict;
	row->text = text;
	row->function = function;
	row->library = library;
	return row;
}

static struct manifest_site site_of(const struct reading *reading, const struct trace_call *call)
{
	const struct trace_site *site = &reading->trace->sites[call->site];
	uint64_t base = reading->trace->libraries[site->library].base;

	return (struct manifest_site){
		.library = reading->libraries[site->library], .known = 1,
		.offset = site->caller >= base ? site->caller - base : site->caller,
		.ns = trace_ns(reading->trace, call->start),
	};
}

/* For went_on. */
static void note_process(struct manifest_in *in, const struct reading *reading, uint64_t ns)
{
	if (in->process != reading->number + 1 || ns < in->ns)
		*in = (struct manifest_in){ reading->number + 1, ns };
}

static int add_evidence(const struct reading *reading, const struct trace_call *call,
			enum manifest_question question, enum manifest_verdict verdict,
			const char *text)
{
	const struct manifest_site site = site_of(reading, call);
	uint32_t function = reading->functions[reading->trace->sites[call->site].function];
	struct manifest_evidence *row = manifest_evidence(reading->manifest, question, verdict, text,
							  function, site.library);

	if (!row)
		return -ENOMEM;
	row->count++;
	manifest_site_first(&row->first, &site);
	return 0;
}

static bool begins(const char *text, const char *beginning)
{
	return !strncmp(text, beginning, strlen(beginning));
}

/* What somebody may refuse: the function, if the driver did not, or whatever the library calls. */
static int add_limits(const struct reading *reading, const struct trace_call *call)
{
	const struct trace_site *site = &reading->trace->sites[call->site];
	const char *name = reading->trace->libraries[site->library].name;
	int error = 0;

	for (int i = 0; i < LIBRARIES && !error; i++)
		if (begins(name, libraries[i].prefix))
			error = add_evidence(reading, call, libraries[i].question, libraries[i].verdict,
					     libraries[i].text);
	for (int i = 0; i < 2 && !error && trace_call_succeeded(call); i++) {
		const struct limit *limit = reading->limits[i][site->function];

		if (limit)
			error = add_evidence(reading, call, limit->question, limit->verdict,
					     limit->text);
	}
	return error;
}

static int add_call(const struct reading *reading, const struct trace_call *call)
{
	const struct manifest_site site = site_of(reading, call);
	const uint32_t key[2] = { reading->functions[reading->trace->sites[call->site].function],
				  site.library };
	uint32_t number = table_find(&reading->manifest->calls, key, sizeof(key));
	struct manifest_calls *row;

	if (number == TABLE_NONE)
		return -ENOMEM;
	row = table_row(&reading->manifest->calls, number);
	row->function = key[0];
	row->library = key[1];
	row->count++;
	manifest_site_first(&row->first, &site);
	return 0;
}

/* The number that the parameter of that name points to. */
static bool number_behind(const struct trace_arguments *arguments, const char *name, uint64_t *number)
{
	const struct trace_function *function = arguments->function;

	for (uint32_t i = 0; i < function->nparams; i++)
		if (!strcmp(function->params[i].name, name))
			return trace_arguments_number(arguments, function->params[i].word, number);
	return false;
}

/* Without a status, which the first version of the look-up has not, the pointer tells. */
static enum manifest_answer answer_of(const struct trace_arguments *arguments,
				      const struct trace_call *call)
{
	uint64_t status, found;

	if (call->result == CUDA_ERROR_NOT_FOUND)
		return MANIFEST_NOT_FOUND;
	if (call->result)
		return MANIFEST_REFUSED;
	if (!number_behind(arguments, "symbolStatus", &status))
		return !number_behind(arguments, "pfn", &found) || found ? MANIFEST_FOUND :
									   MANIFEST_NOT_FOUND;
	return status == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND ? MANIFEST_NOT_FOUND :
	       status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT ? MANIFEST_TOO_OLD :
								      MANIFEST_FOUND;
}

/* The name that was asked for; NULL: it was not recorded, or not all of it. */
static const char *name_of(const struct reading *reading, const struct trace_arguments *arguments)
{
	const struct trace_piece *piece = trace_arguments_behind(arguments, 0);
	char name[256];

	if (!piece || !piece->text || piece->cut || piece->size >= sizeof(name))
		return NULL;
	memcpy(name, piece->data, piece->size);
	name[piece->size] = '\0';
	return keep(reading->manifest, name);
}

static int add_request(const struct reading *reading, const struct trace_call *call)
{
	const struct manifest_site site = site_of(reading, call);
	struct {
		const char *base;
		uint64_t version, flags;
		uint32_t library, answer;
	} key = { NULL, 0, 0, 0, 0 };
	struct trace_arguments arguments;
	struct manifest_request *row;
	uint32_t number;

	if (!call->arguments || !trace_arguments_read(&arguments, reading->trace, call) ||
	    !(key.base = name_of(reading, &arguments)) ||
	    !trace_arguments_named(&arguments, "cudaVersion", &key.version) ||
	    !trace_arguments_named(&arguments, "flags", &key.flags)) {
		reading->process->unrecorded = true;
		return 0;
	}
	key.library = site.library;
	key.answer = answer_of(&arguments, call);
	number = table_find(&reading->manifest->requests, &key, sizeof(key));
	if (number == TABLE_NONE)
		return -ENOMEM;
	row = table_row(&reading->manifest->requests, number);
	row->base = key.base;
	row->version = (int32_t)key.version;
	row->flags = key.flags;
	row->library = key.library;
	row->answer = key.answer;
	row->count++;
	manifest_site_first(&row->first, &site);
	note_process(&row->in, reading, site.ns);
	return 0;
}

static int add_unsupported(const struct reading *reading, const struct trace_call *call)
{
	const struct manifest_site site = site_of(reading, call);
	const struct { uint32_t function, library; int32_t result; } key = {
		reading->functions[reading->trace->sites[call->site].function], site.library,
		call->result
	};
	uint32_t number = table_find(&reading->manifest->unsupported, &key, sizeof(key));
	struct manifest_unsupported *row;

	if (number == TABLE_NONE)
		return -ENOMEM;
	row = table_row(&reading->manifest->unsupported, number);
	row->function = key.function;
	row->library = key.library;
	row->result = key.result;
	row->count++;
	manifest_site_first(&row->first, &site);
	note_process(&row->in, reading, site.ns);
	return 0;
}

/* By process, for whoever was forked: it is known at the end alone. */
static int add_refused(const struct reading *reading, const struct trace_call *call)
{
	const struct manifest_site site = site_of(reading, call);
	const uint32_t key[3] = { reading->number,
				  reading->functions[reading->trace->sites[call->site].function],
				  site.library };
	uint32_t number = table_find(&reading->manifest->refused, key, sizeof(key));
	struct manifest_calls *row;

	if (number == TABLE_NONE)
		return -ENOMEM;
	row = table_row(&reading->manifest->refused, number);
	row->function = key[1];
	row->library = key[2];
	row->count++;
	manifest_site_first(&row->first, &site);
	return 0;
}

static bool lacks_device(const struct reading *reading, const struct trace_call *call,
			 const char *parameter)
{
	struct trace_arguments arguments;
	uint64_t count;

	if (call->result == CUDA_ERROR_NO_DEVICE)
		return true;
	return parameter && !call->result && call->arguments &&
	       trace_arguments_read(&arguments, reading->trace, call) &&
	       number_behind(&arguments, parameter, &count) && !count;
}

static int add_initialisation(const struct reading *reading, const struct trace_call *call)
{
	struct manifest_process *process = reading->process;
	uint64_t ns = trace_ns(reading->trace, call->end);

	if (!process->initialised || ns < process->initialised_at) {
		process->initialised = call->correlation;
		process->initialised_at = ns;
	}
	return add_evidence(reading, call, MANIFEST_FORK, MANIFEST_UNKNOWN, "initialises the driver");
}

/* What the first functions that a program calls tell of it. */
static int add_role(const struct reading *reading, const struct trace_call *call, size_t role)
{
	if (roles[role].role == ROLE_LOOKS_UP)
		return add_request(reading, call);
	if (roles[role].role == ROLE_INITIALIZES && trace_call_succeeded(call))
		return add_initialisation(reading, call);
	if (roles[role].role == ROLE_ALWAYS)
		return 0;
	if (!lacks_device(reading, call, roles[role].parameter))
		return 0;
	reading->process->no_device = true;
	return add_evidence(reading, call, MANIFEST_NO_DEVICE, MANIFEST_UNKNOWN, "there is no device");
}

/* Requests are listed by name. */
static bool is_request(const struct reading *reading, uint32_t function)
{
	uint8_t role = reading->roles[function];

	return role && roles[role - 1].role == ROLE_LOOKS_UP;
}

static int add_failure(const struct reading *reading, const struct trace_call *call)
{
	const struct trace *trace = reading->trace;
	uint32_t function = trace->sites[call->site].function;
	bool entry = trace->functions[function].classes & CUAUDIT_CLASS_PROCADDR;
	int error = 0;

	if (call->result == CUDA_ERROR_NOT_INITIALIZED)
		error = add_refused(reading, call);
	if (!error && !is_request(reading, function) &&
	    (call->result == CUDA_ERROR_NOT_SUPPORTED ||
	     (call->result == CUDA_ERROR_NOT_FOUND && entry)))
		error = add_unsupported(reading, call);
	return error;
}

/* Whether it tells that the driver is initialised. */
static bool works(uint8_t role, const struct trace_call *call)
{
	return trace_call_succeeded(call) &&
	       !(role && (roles[role - 1].role == ROLE_ALWAYS || roles[role - 1].role == ROLE_LOOKS_UP));
}

static int take_call(const struct reading *reading, const struct trace_call *call)
{
	struct manifest_process *process = reading->process;
	uint8_t role = reading->roles[reading->trace->sites[call->site].function];
	uint64_t ns = trace_ns(reading->trace, call->start);
	int error = add_call(reading, call);

	process->calls++;
	process->works |= works(role, call);
	if (ns > process->last_ns)
		process->last_ns = ns;
	if (!process->first_call || call->correlation < process->first_call)
		process->first_call = call->correlation;
	if (!error)
		error = add_limits(reading, call);
	if (!error && call->result)
		error = add_failure(reading, call);
	return error || !role ? error : add_role(reading, call, role - 1u);
}

static const struct limit *limit_of(enum manifest_question question,
				    const struct trace_function *function)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		if (limits[i].question == question && !strcmp(limits[i].base, function->base) &&
		    (!limits[i].variant ||
		     (function->row >= 0 && variants[function->row] == limits[i].variant)))
			return &limits[i];
	return NULL;
}

static uint8_t role_of(const struct trace_function *function)
{
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (function->row >= 0 && roles[i].row == function->row)
			return (uint8_t)(i + 1);
	return 0;
}

static int number_functions(struct reading *reading)
{
	struct manifest *manifest = reading->manifest;

	for (size_t i = 0; i < reading->trace->nfunctions; i++) {
		const struct trace_function *function = &reading->trace->functions[i];
		uint32_t number = table_text(&manifest->functions, function->name);
		struct manifest_function *row;

		if (number == TABLE_NONE)
			return -ENOMEM;
		row = table_row(&manifest->functions, number);
		row->symbol = manifest->functions.keys[number].bytes;
		if (!row->base)
			row->base = keep(manifest, function->base);
		if (!row->base)
			return -ENOMEM;
		row->version = manifest_since(function->row);
		reading->functions[i] = number;
		reading->roles[i] = role_of(function);
		reading->limits[0][i] = limit_of(MANIFEST_CHECKPOINT, function);
		reading->limits[1][i] = limit_of(MANIFEST_MPS, function);
	}
	return 0;
}

static int number_libraries(struct reading *reading)
{
	for (size_t i = 0; i < reading->trace->nlibraries; i++) {
		reading->libraries[i] = table_text(&reading->manifest->libraries,
						   reading->trace->libraries[i].path);
		if (reading->libraries[i] == TABLE_NONE)
			return -ENOMEM;
	}
	return 0;
}

static int begin(struct reading *reading)
{
	size_t nfunctions = reading->trace->nfunctions + 1;

	reading->functions = calloc(nfunctions, sizeof(*reading->functions));
	reading->libraries = calloc(reading->trace->nlibraries + 1, sizeof(*reading->libraries));
	reading->limits[0] = calloc(nfunctions, sizeof(*reading->limits[0]));
	reading->limits[1] = calloc(nfunctions, sizeof(*reading->limits[1]));
	reading->roles = calloc(nfunctions, sizeof(*reading->roles));
	if (!reading->functions || !reading->libraries || !reading->limits[0] || !reading->limits[1] ||
	    !reading->roles)
		return -ENOMEM;
	return number_functions(reading) ?: number_libraries(reading);
}

static void end(struct reading *reading)
{
	free(reading->functions);
	free(reading->libraries);
	free(reading->limits[0]);
	free(reading->limits[1]);
	free(reading->roles);
}

static int read_calls(struct reading *reading)
{
	const struct trace *trace = reading->trace;
	size_t window = trace_window(trace);
	void *buffer = malloc(window);
	struct trace_walk walk;
	struct trace_call call;
	int error = 0;

	if (!buffer)
		return -ENOMEM;
	trace_walk_begin(&walk, trace, buffer, window);
	for (size_t i = 0; !error && i < trace->nchunks; i++) {
		reading->process->partial |= trace->chunks[i].filtered != 0;
		trace_walk_chunk(&walk, i);
		while (!error && trace_walk_next(&walk, &call))
			error = take_call(reading, &call);
		if (!error)
			error = walk.error;
	}
	free(buffer);
	reading->process->losses = trace_losses(trace, walk.damaged);
	return error;
}

/* In quotes where a shell would not take it as it is. */
static void put_word(struct out *out, const char *word, size_t length)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=./:,@%";

	if (length && strspn(word, plain) >= length) {
		out_bytes(out, word, length);
		return;
	}
	out_text(out, "'");
	for (size_t i = 0; i < length; i++) {
		if (word[i] == '\'')
			out_text(out, "'\\''");
		else
			out_bytes(out, word + i, 1);
	}
	out_text(out, "'");
}

/* Quoted for a shell, "" if it is not known; NULL when memory is out. */
static const char *command_of(struct manifest *manifest, const struct cuaudit_trace_header *header)
{
	const char *command = NULL;
	struct out out = { 0 };
	size_t at = 0, size = sizeof(header->command);

	while (at < size && header->command[at]) {
		size_t length = strnlen(header->command + at, size - at);

		if (at)
			out_text(&out, " ");
		put_word(&out, header->command + at, length);
		at += length + 1;
	}
	if (at >= size - 1)
		out_text(&out, " ...");
	out_bytes(&out, "", 1);
	if (!out.error)
		command = keep(manifest, out.data);
	out_free(&out);
	return command;
}

static int describe(struct manifest *manifest, struct manifest_process *process,
		    const struct trace *trace)
{
	const struct cuaudit_trace_header *header = &trace->header;

	process->host = keep(manifest, header->host);
	process->program = keep(manifest, header->program);
	process->command = command_of(manifest, header);
	process->pid = header->pid;
	process->parent = header->parent;
	process->ending = trace_ending(header);
	process->status = trace_status(header);
	for (size_t i = 0; i < trace->ndrivers; i++)
		if (trace->drivers[i].version > manifest->driver)
			manifest->driver = trace->drivers[i].version;
	return process->host && process->program && process->command ? 0 : -ENOMEM;
}

/* Whether calls are missing, by a loss, a filter, start= or stop=. */
static bool is_partial(const struct manifest_process *process, const struct trace *trace)
{
	bool partial = process->partial || trace_losses_any(&process->losses) ||
		       process->losses.calls[CUAUDIT_TRACE_LOST_RING];

	for (size_t i = 0; i < trace->nmarks; i++)
		partial |= trace->marks[i].kind == CUAUDIT_TRACE_MARK_TRIGGER;
	return partial;
}

static void note_went_on(struct manifest *manifest, uint32_t number, uint64_t last_ns)
{
	for (uint32_t i = 0; i < manifest->requests.count; i++) {
		struct manifest_request *row = table_row(&manifest->requests, i);

		row->went_on |= row->in.process == number + 1 && row->in.ns < last_ns;
	}
	for (uint32_t i = 0; i < manifest->unsupported.count; i++) {
		struct manifest_unsupported *row = table_row(&manifest->unsupported, i);

		row->went_on |= row->in.process == number + 1 && row->in.ns < last_ns;
	}
}

static int read_trace(struct manifest *manifest, uint32_t number)
{
	struct manifest_process *process = &manifest->processes[number];
	struct reading reading = { .manifest = manifest, .process = process, .number = number };
	struct trace trace;
	int error = 0;

	process->fault = trace_open(&trace, process->path);
	reading.trace = &trace;
	if (process->fault) {
		process->fault = keep(manifest, process->fault);
		error = process->fault ? 0 : -ENOMEM;
		manifest->nfaults++;
	} else {
		error = begin(&reading) ?: read_calls(&reading) ?: describe(manifest, process, &trace);
		end(&reading);
		process->partial = is_partial(process, &trace);
		note_went_on(manifest, number, process->last_ns);
		manifest->partial |= process->partial;
		manifest->unrecorded |= process->unrecorded;
		manifest->ncalls += process->calls;
	}
	trace_close(&trace);
	return error;
}

int manifest_read(struct manifest *manifest, char *const *paths, size_t count)
{
	int error = 0;

	*manifest = (struct manifest){ .nprocesses = count };
	manifest->libraries.row = manifest->texts.row = 1;
	manifest->functions.row = sizeof(struct manifest_function);
	manifest->calls.row = manifest->refused.row = sizeof(struct manifest_calls);
	manifest->requests.row = sizeof(struct manifest_request);
	manifest->unsupported.row = sizeof(struct manifest_unsupported);
	manifest->evidence.row = sizeof(struct manifest_evidence);
	manifest->processes = calloc(count + 1, sizeof(*manifest->processes));
	if (!manifest->processes)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		manifest->processes[i].path = paths[i];
	for (size_t i = 0; i < count && !error; i++)
		error = read_trace(manifest, (uint32_t)i);
	return error;
}

void manifest_free(struct manifest *manifest)
{
	free(manifest->processes);
	free(manifest->by_calls);
	free(manifest->by_request);
	free(manifest->by_unsupported);
	free(manifest->by_evidence);
	table_free(&manifest->libraries);
	table_free(&manifest->functions);
	table_free(&manifest->texts);
	table_free(&manifest->calls);
	table_free(&manifest->requests);
	table_free(&manifest->unsupported);
	table_free(&manifest->evidence);
	table_free(&manifest->refused);
}
