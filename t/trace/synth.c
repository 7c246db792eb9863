/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a trace file that no program made: any number of calls of any number
 * of threads, what a training loop does, the same for the same seed.
 *
 * synth [-a] [-A] [-b] [-c CHUNK] [-D] [-E] [-e CALLS] [-g] [-i] [-k] [-l NAME] [-n CALLS] [-o] [-p PID]
 *       [-P] [-R] [-s SEED] [-t THREADS] [-x NAME] FILE
 *   -a  with arguments, -A  and those of kernels, -b  without the long pauses, -c  bytes of a chunk,
 *   -k  as a process that was killed leaves it,
 *   -E  many errors, of which the driver says something odd, as far as there is room,
 *   -e  calls after which a thread ends and a new one takes over its chunk,
 *   -g  arguments that are those of another call are said again,
 *   -P  stacks have frames of Python and are cut,
 *   -R  NVTX ranges of all kinds, some of which do not end, -D  and records of ranges that make no sense,
 *   -i  some calls are made inside of others, -o  each thread is in a wait at the end,
 *   -l  a function that takes twice as long, -x  one in whose place cuCtxGetCurrent is called
 *
 * Prints what it put in, one "KEY VALUE" a line: calls, errors, ns (in the
 * driver), launches, allocated (bytes, all in all), held (at the end), peak (of
 * a single thread), threads, nested (calls inside of others), inside (ns in
 * them), calls and ns of each function, and with -R: pushed, started, marks, unfinished (of the former
 * two), crossing (those that ended before one inside of them), senseless, and of each text of ranges,
 * by number, calls whose innermost range has it and errors; the last number is of calls in none.
 */
#include <cuaudit/api.h>
#include <cuaudit/clock.h>
#include <cuaudit/trace.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "print/table.h"

enum { THREADS_MAX = 100000, KERNELS = 24, HELD = 64, STACKS = 8, LAYOUTS = 5, RANGES = 6 };

/* What is called how often in 1000 calls, from which library, and how long it takes in ns. */
static const struct {
	const char *name, *base;
	int id, classes, library, share, ns;
} mix[] = {
#define F(symbol, base, classes, library, share, ns) \
	{ #symbol, #base, CUAUDIT_ID_##symbol, CUAUDIT_CLASS_##classes, library, share, ns },
	F(cuLaunchKernel, cuLaunchKernel, LAUNCH, 2, 400, 2500)
	F(cuStreamIsCapturing, cuStreamIsCapturing, STREAM, 1, 200, 60)
	F(cuCtxGetCurrent, cuCtxGetCurrent, CONTEXT, 3, 150, 40)
	F(cuEventRecord, cuEventRecord, EVENT, 1, 80, 700)
	F(cuEventQuery, cuEventQuery, EVENT, 1, 60, 300)
	F(cuMemcpyHtoDAsync_v2, cuMemcpyHtoDAsync, MEMORY, 1, 50, 3000)
	F(cuMemAlloc_v2, cuMemAlloc, MEMORY, 1, 20, 40000)
	F(cuMemFree_v2, cuMemFree, MEMORY, 1, 19, 30000)
	F(cuStreamSynchronize, cuStreamSynchronize, SYNC, 3, 20, 200000)
	F(cuModuleGetFunction, cuModuleGetFunction, MODULE, 3, 1, 1500)
#undef F
};
enum { FUNCTIONS = sizeof(mix) / sizeof(mix[0]), GET_CURRENT = 2, WAIT = 8 };

static const char *const libraries[] = {
	"/usr/bin/python3.12",
	"/usr/lib/python3/dist-packages/torch/lib/libtorch_cuda.so",
	"/usr/lib/x86_64-linux-gnu/libcublasLt.so.13",
	"/usr/lib/x86_64-linux-gnu/libcudart.so.13"
};
enum { LIBRARIES = sizeof(libraries) / sizeof(libraries[0]), CALLERS = 3 };

/* The texts of ranges: what people write, and what no format likes. */
static const char *const range_texts[] = {
	"step", "forward", "", "=1+1,\"<b>\" \xe6\x97\xa5;\n\t", "\xff\xfe", "load = {a, b}"
};
enum { TEXTS = sizeof(range_texts) / sizeof(range_texts[0]), OUTSIDE = TEXTS };

struct open_range {
	uint64_t began;
	uint32_t text, domain;
};

struct thread {
	uint64_t now, last, correlation, records, left;
	uint32_t number;
	uint64_t *buffer, *at;
	uint64_t offset;
	uint64_t around, took;	/* when the last call began, how long it took ... */
	uint16_t level;		/* ... and how many calls around it are still to come */
	uint64_t held[HELD], sizes[HELD];
	uint32_t nheld;
	const uint64_t *said[FUNCTIONS * CALLERS];	/* by site, its last arguments in the chunk */
	struct open_range ranges[RANGES];
	uint32_t nranges;
};

static int fd;
static uint32_t chunk_size = CUAUDIT_TRACE_CHUNK;
static bool with_arguments, with_parameters, with_again, with_nested, with_python, with_texts, with_ranges,
	with_senseless, busy, killed, waiting;
static uint32_t nthreads = 4;
static uint64_t lifetime;
static uint32_t numbers;
static uint64_t state, sequence = 1, next_offset, address = UINT64_C(0x7f0000000000);
static uint64_t errors, ticks_in, nested, ticks_nested, launches, allocated, held, peak;
static uint64_t calls_of[FUNCTIONS], ticks_of[FUNCTIONS];
static uint64_t pushed, popped, range_started, range_ended, range_marks, crossing, senseless;
static uint64_t range_calls[TEXTS + 1], range_errors[TEXTS + 1];
static uint64_t started_id, started_ticks;
static const char *slow = "", *left_out = "";
static struct thread *threads;
static struct cuaudit_trace_step steps[FUNCTIONS][CUAUDIT_TRACE_STEPS];
static uint32_t nsteps[FUNCTIONS];
static char *descriptions;
static size_t used = CUAUDIT_TRACE_HEADER;

static uint64_t chance(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void put_at(const void *data, size_t size, uint64_t offset)
{
	if (pwrite(fd, data, size, (off_t)offset) != (ssize_t)size) {
		perror("pwrite");
		exit(1);
	}
}

static void plan(int f)
{
	struct print_param params[PRINT_PARAMS];
	uint32_t count = print_params(mix[f].id, params);

	for (uint32_t i = 0; i < count; i++) {
		struct cuaudit_trace_step *step = &steps[f][nsteps[f]++];

		step->word = params[i].word;
		step->size = params[i].shape.value.size;
		switch (params[i].shape.how) {
		case PRINT_FIXED:
			step->kind = CUAUDIT_TRACE_DEREF;
			break;
		case PRINT_STRING:
			step->kind = CUAUDIT_TRACE_TEXT;
			break;
		case PRINT_PARAMETERS:
			step->kind = with_parameters ? CUAUDIT_TRACE_PARAMETERS : CUAUDIT_TRACE_NOTHING;
			break;
		case PRINT_ADDRESS:
			step->kind = CUAUDIT_TRACE_NOTHING;
			break;
		case PRINT_DATA:
			step->size = 8;
			step->kind = CUAUDIT_TRACE_VALUE;
			break;
		default:
			step->kind = CUAUDIT_TRACE_VALUE;
		}
	}
}

static void *describe(uint32_t type, size_t size, const char *text, const char *more)
{
	size_t length = (text ? strlen(text) + 1 : 0) + (more ? strlen(more) + 1 : 0);
	struct cuaudit_trace_record *record = (void *)(descriptions + used);

	record->type = type;
	record->size = (uint32_t)(size + length + 7) & ~7u;
	used += record->size;
	if (used > chunk_size) {
		fprintf(stderr, "synth: too many descriptions\n");
		exit(1);
	}
	if (text)
		strcpy((char *)record + size, text);
	if (more)
		strcpy((char *)record + size + strlen(text) + 1, more);
	return record;
}

static void describe_all(void)
{
	for (uint32_t i = 0; i < LIBRARIES; i++) {
		struct cuaudit_trace_library *library =
			describe(CUAUDIT_TRACE_LIBRARY, sizeof(*library), libraries[i], NULL);

		library->index = i + 1;
		library->base = UINT64_C(0x7e0000000000) + ((uint64_t)i << 32);
	}
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		struct cuaudit_trace_function *function =
			describe(CUAUDIT_TRACE_FUNCTION, sizeof(*function), mix[i].name, mix[i].base);

		plan((int)i);
		function->slot = i * 7;
		function->id = mix[i].id;
		function->classes = (uint32_t)mix[i].classes;
		function->nsteps = nsteps[i];
		memcpy(function->steps, steps[i], sizeof(steps[i]));
		for (uint32_t j = 0; j < CALLERS; j++) {
			struct cuaudit_trace_site *site =
				describe(CUAUDIT_TRACE_SITE, sizeof(*site), NULL, NULL);

			site->number = i * CALLERS + j;
			site->slot = i * 7;
			site->library = 1 + ((uint32_t)mix[i].library + (j == 2)) % LIBRARIES;
			site->caller = UINT64_C(0x7e0000000000) +
				       ((uint64_t)(site->library - 1) << 32) + 0x1000 * i + 64 * j;
		}
	}
	for (uint32_t i = 0; i < KERNELS; i++) {
		struct cuaudit_trace_kernel *kernel;
		char name[80];

		/* void at::native::kernel_0_fw<0>(float const*, float*, int), and the same of 1 */
		snprintf(name, sizeof(name), "_ZN2at6native%ukernel_%u_fwILi%uEEEvPKfPfi",
			 11 + (i > 19), i / 2, i % 2);
		kernel = describe(CUAUDIT_TRACE_KERNEL, sizeof(*kernel), name, NULL);
		kernel->handle = UINT64_C(0x5500000000) + 0x100 * i;
	}
	for (uint32_t i = 0; with_python && i < STACKS; i++) {
		char name[64];
		struct cuaudit_trace_python *python;

		snprintf(name, sizeof(name), i % 2 ? "Model.step_%u" : "<module> \xe6\x97\xa5 %u", i);
		python = describe(CUAUDIT_TRACE_PYTHON, sizeof(*python), name,
				  i % 3 ? "/home/user/train.py" : "odd;\"name\n.py");
		python->number = i;
		python->line = i % 4 ? 42 + i : 0;
	}
	for (uint32_t i = 0; i < STACKS; i++) {
		struct cuaudit_trace_callers *callers = describe(CUAUDIT_TRACE_CALLERS,
			sizeof(*callers) + (4 + i) * sizeof(struct cuaudit_trace_frame), NULL, NULL);
		struct cuaudit_trace_frame *frames = (void *)(callers + 1);

		callers->number = i;
		callers->nframes = 4 + i;
		for (uint32_t j = 0; j < 4 + i; j++) {
			frames[j].library = 1 + (j + i) % LIBRARIES;
			frames[j].address = UINT64_C(0x7e0000000000) +
					    ((uint64_t)(frames[j].library - 1) << 32) + 0x400 * j;
			if (with_python && j >= 2)
				frames[j] = (struct cuaudit_trace_frame){ (i + j) % STACKS, 0,
									  CUAUDIT_TRACE_FRAME_PYTHON };
		}
		if (with_python && i % 2)
			frames[3 + i] = (struct cuaudit_trace_frame){ .kind = CUAUDIT_TRACE_FRAME_CUT };
	}
}

/* Domain 1, some of its categories, and the names of things. */
static void describe_names(void)
{
	static const struct {
		uint32_t kind, domain;
		uint64_t id;
		const char *text;
	} names[] = {
		{ CUAUDIT_TRACE_NAME_DOMAIN, 1, 0, "app, \"odd\" <i>" },
		{ CUAUDIT_TRACE_NAME_CATEGORY, 1, 7, "loading" },
		{ CUAUDIT_TRACE_NAME_CATEGORY, 0, 3, "k\xc3\xa4tegory" },
		{ CUAUDIT_TRACE_NAME_THREAD, 0, 4001, "before" },
		{ CUAUDIT_TRACE_NAME_THREAD, 0, 4001, "data loader, a name that is longer than the system's" },
		{ CUAUDIT_TRACE_NAME_DEVICE, 0, 0, "the \"first\"" },
		{ CUAUDIT_TRACE_NAME_STREAM, 0, 0x7700, "copies" },
		{ 77, 1, 2, "of a kind to come" },
	};

	for (size_t i = 0; with_ranges && i < sizeof(names) / sizeof(names[0]); i++) {
		struct cuaudit_trace_range_name *name =
			describe(CUAUDIT_TRACE_RANGE_NAME, sizeof(*name), names[i].text, NULL);

		name->id = names[i].id;
		name->domain = names[i].domain;
		name->kind = names[i].kind;
	}
}

/* Each has that many words, and four bytes. */
static void describe_layouts(void)
{
	for (uint32_t i = 0; with_parameters && i < LAYOUTS; i++) {
		struct cuaudit_trace_layout *layout = describe(CUAUDIT_TRACE_LAYOUT,
			sizeof(*layout) + (i + 1) * sizeof(struct cuaudit_trace_parameter), NULL, NULL);
		struct cuaudit_trace_parameter *parameters = (void *)(layout + 1);

		layout->number = i;
		layout->nparameters = i + 1;
		for (uint32_t j = 0; j <= i; j++)
			parameters[j] = (struct cuaudit_trace_parameter){ 8 * j, j < i ? 8 : 4 };
	}
}

static void flush(struct thread *thread, bool full, bool last)
{
	struct cuaudit_trace_chunk *chunk = (void *)thread->buffer;

	if (!thread->offset)
		return;
	chunk->records = full ? thread->records : 0;
	if (last && waiting)
		chunk->open[0] = (struct cuaudit_trace_open){ thread->now + 1, WAIT * CALLERS, 0 };
	put_at(thread->buffer, chunk_size, thread->offset);
}

enum { EVENT_SHIFT = 16, WHAT_SHIFT = 20, PAYLOAD_SHIFT = 28, RANGE_WORDS = 16 };

/* The next words of a chunk, for something of a range at the thread's present. */
static void write_range(struct thread *thread, uint32_t event, uint64_t what, uint64_t payload,
			uint64_t named, const uint64_t *words, uint32_t count, const char *text)
{
	uint64_t *at = thread->at, delta = thread->now - thread->last, flags = CUAUDIT_TRACE_RANGE;
	uint32_t size = 2;

	at[1] = named;
	if (delta > UINT32_MAX) {
		flags |= CUAUDIT_TRACE_LONG;
		at[size++] = delta;
		delta = 0;
	}
	for (uint32_t i = 0; i < count; i++)
		at[size++] = words[i];
	if (text && *text) {
		what |= CUAUDIT_TRACE_RANGE_TEXT;
		memset(&at[size], 0, (strlen(text) / 8 + 1) * 8);
		memcpy(&at[size], text, strlen(text));
		size += (uint32_t)strlen(text) / 8 + 1;
	}
	at[0] = size | flags << 8 | (uint64_t)event << EVENT_SHIFT | what << WHAT_SHIFT |
		payload << PAYLOAD_SHIFT | delta << 32;
	thread->at += size;
	thread->last = thread->now;
}

static void write_open(struct thread *thread)
{
	if (thread->nranges)
		write_range(thread, CUAUDIT_TRACE_RANGE_RESET, 0, 0, 0, NULL, 0, NULL);
	for (uint32_t i = 0; i < thread->nranges; i++)
		write_range(thread, CUAUDIT_TRACE_RANGE_IS_OPEN, CUAUDIT_TRACE_RANGE_TICKS, 0,
			    thread->ranges[i].domain, &thread->ranges[i].began, 1,
			    range_texts[thread->ranges[i].text]);
}

static void begin(struct thread *thread)
{
	struct cuaudit_trace_chunk *chunk = (void *)thread->buffer;

	memset(thread->buffer, 0, chunk_size);
	chunk->kind = CUAUDIT_TRACE_CALLS;
	chunk->thread = thread->number;
	chunk->sequence = sequence++;
	chunk->base_ticks = thread->last = thread->now;
	chunk->base_ns = UINT64_C(1700000000000000000) + (thread->now - 2000000000000) / 2;
	chunk->base_correlation = thread->correlation;
	thread->at = thread->buffer + sizeof(*chunk) / 8;
	thread->offset = next_offset;
	thread->records = 0;
	memset(thread->said, 0, sizeof(thread->said));
	next_offset += chunk_size;
	write_open(thread);
}

static uint8_t *put(uint8_t *at, const void *data, size_t size)
{
	memcpy(at, data, size);
	return at + size;
}

/* Of one of the layouts, or of none, all of it or a part. */
static uint8_t *put_parameters(uint8_t *at)
{
	uint32_t layout = (uint32_t)(chance() % (LAYOUTS + 1));
	uint16_t size = (uint16_t)(layout < LAYOUTS ? 8 * layout + 4 : 0), written = size;
	uint64_t values[LAYOUTS];

	if (size && chance() % 8 == 0)
		written = (size -= 4) | 0x8000;
	if (layout == LAYOUTS)
		layout = CUAUDIT_TRACE_NO_LAYOUT;
	for (uint32_t i = 0; i < LAYOUTS; i++)
		values[i] = chance();
	return put(put(put(at, &written, 2), &layout, 4), values, size);
}

/* The words of a call, and what is behind its pointers, as its steps say. */
static size_t arguments(uint8_t *at, int f, const uint64_t *words, uint64_t behind, bool good)
{
	uint8_t *start = at, *mask = NULL;
	uint32_t bit = 0;

	for (uint32_t i = 0; i < nsteps[f]; i++)
		if (steps[f][i].kind >= CUAUDIT_TRACE_DEREF)
			mask = at;
	if (mask) {
		memset(at, 0, 2);
		at += 2;
	}
	for (uint32_t i = 0; i < nsteps[f]; i++) {
		const struct cuaudit_trace_step *step = &steps[f][i];
		uint16_t length = 12;

		if (step->kind == CUAUDIT_TRACE_VALUE)
			at = put(at, &words[step->word], step->size);
		if (step->kind < CUAUDIT_TRACE_DEREF)
			continue;
		if (good)
			*mask |= (uint8_t)(1 << bit);
		bit++;
		if (good && step->kind == CUAUDIT_TRACE_DEREF)
			at = put(at, &behind, step->size);
		if (good && step->kind == CUAUDIT_TRACE_TEXT)
			at = put(put(at, &length, 2), "kernel_17_fw", 12);
		if (good && step->kind == CUAUDIT_TRACE_PARAMETERS)
			at = put_parameters(at);
	}
	return (size_t)(at - start);
}

static int pick(const struct thread *thread)
{
	int left = (int)(chance() % 1000), f = 0;

	while (f < FUNCTIONS - 1 && (left -= mix[f].share) >= 0)
		f++;
	if (!strcmp(mix[f].name, left_out))
		return GET_CURRENT;
	if (mix[f].id == CUAUDIT_ID_cuMemFree_v2 && !thread->nheld)
		return 0;
	if (mix[f].id == CUAUDIT_ID_cuMemAlloc_v2 && thread->nheld == HELD)
		return 0;
	return f;
}

static void account(struct thread *thread, int f, uint64_t *words, uint64_t *behind)
{
	if (mix[f].id == CUAUDIT_ID_cuMemAlloc_v2) {
		words[1] = 512 * (1 + chance() % 4096);
		thread->sizes[thread->nheld] = words[1];
		thread->held[thread->nheld++] = *behind = address;
		address += words[1];
		allocated += words[1];
		held += words[1];
		peak = held > peak ? held : peak;
	} else if (mix[f].id == CUAUDIT_ID_cuMemFree_v2) {
		words[0] = thread->held[--thread->nheld];
		held -= thread->sizes[thread->nheld];
	} else if (mix[f].id == CUAUDIT_ID_cuLaunchKernel) {
		launches++;
		words[0] = UINT64_C(0x5500000000) + 0x100 * (chance() % KERNELS);
	}
}

/* A call's depth: one inside of others comes first, then those around it, which began before. */
static uint16_t nest(struct thread *thread, uint64_t end, uint64_t *took)
{
	if (thread->level) {
		nested++;
		ticks_nested += thread->took;
		thread->around -= 10;
		*took = end - thread->around;
		thread->level--;
	} else if (chance() % 20 == 0) {
		thread->level = (uint16_t)(1 + chance() % 3);
		thread->around = end - *took;
	}
	thread->took = *took;
	return thread->level;
}

/* What a record is made of: its size as it is, or one word that says the same again. */
static size_t say(struct thread *thread, uint64_t *record, size_t size, uint64_t flags)
{
	const uint64_t **said = &thread->said[record[1] >> 32], *before = *said;
	uint64_t had = before ? before[0] >> 8 & 255 : 0, past, took = (uint32_t)record[1];

	if (!with_again)
		return size;
	past = 2 + 2 * !!(had & CUAUDIT_TRACE_LONG) + !!(had & CUAUDIT_TRACE_STATUS) +
	       !!(had & CUAUDIT_TRACE_STACK);
	if (flags & ~(uint64_t)CUAUDIT_TRACE_WITH_ARGUMENTS || !before || thread->at - before > 0xffff ||
	    took > 0x3ffff || record[0] >> 54 || (before[0] & 255) - past != size - 2 ||
	    memcmp(before + past, record + 2, (size - 2) * 8)) {
		if (size - 2 <= CUAUDIT_TRACE_AGAIN_MOST / 8)
			*said = thread->at;
		return size;
	}
	record[0] = record[0] >> 32 << 42 | took << 24 | (uint64_t)(thread->at - before) << 8;
	return 1;
}

/* Of the call that is written now. */
static void describe_error(const struct thread *thread, int result)
{
	static const char text[] = "Grid \"Dimension\" <X>\n\033[31mmust\303\251 be nonzero; =1+1";
	struct cuaudit_trace_error *error;

	if (used + sizeof(*error) + sizeof(text) + 8 > chunk_size / 2)
		return;
	error = describe(CUAUDIT_TRACE_ERROR, sizeof(*error), text, NULL);
	error->correlation = thread->correlation + 1;
	error->thread = thread->number;
	error->result = result;
}

static void push(struct thread *thread, uint32_t text)
{
	static const uint64_t payloads[] = {
		0, UINT64_MAX, (uint64_t)-5, UINT64_C(0x4004000000000000), UINT32_MAX, (uint32_t)-7, 0x3fc00000
	};
	uint32_t domain = chance() % 4 == 0, type = (uint32_t)(chance() % 8);
	uint64_t words[2] = { 0xff112233 }, what = chance() % 2 ? CUAUDIT_TRACE_RANGE_COLOUR : 0;
	uint64_t category = chance() % 3 ? 0 : domain ? 7 : chance() % 2 ? 3 : 99;
	uint32_t count = what ? 1 : 0;

	if (type && type < CUAUDIT_TRACE_RANGE_OTHER) {
		what |= CUAUDIT_TRACE_RANGE_PAYLOAD;
		words[count++] = payloads[type];
	}
	if (chance() % 50 == 0)
		what |= CUAUDIT_TRACE_RANGE_CUT;
	thread->ranges[thread->nranges++] = (struct open_range){ thread->now, text, domain };
	write_range(thread, CUAUDIT_TRACE_RANGE_PUSH, what, type, domain | category << 32, words, count,
		    range_texts[text]);
	pushed++;
}

/* The innermost one of a domain, which may be inside of others or around them. */
static void pop(struct thread *thread, uint32_t domain)
{
	uint32_t at = thread->nranges;

	while (at && thread->ranges[at - 1].domain != domain)
		at--;
	if (!at)
		return;
	crossing += at-- != thread->nranges;
	memmove(&thread->ranges[at], &thread->ranges[at + 1],
		(--thread->nranges - at) * sizeof(thread->ranges[0]));
	write_range(thread, CUAUDIT_TRACE_RANGE_POP, 0, 0, domain, NULL, 0, NULL);
	popped++;
}

/* One of the process at a time: begun here, perhaps ended by another thread. */
static void start_or_finish(struct thread *thread)
{
	uint64_t words[2] = { started_ticks, started_id };

	if (started_ticks && chance() % 20) {
		if (thread->now <= started_ticks)
			return;
		write_range(thread, CUAUDIT_TRACE_RANGE_FINISH, CUAUDIT_TRACE_RANGE_TICKS |
			    CUAUDIT_TRACE_RANGE_ID, 0, 1, words, 2, "async");
		started_ticks = 0;
		range_ended++;
		return;
	}
	started_ticks = thread->now;
	started_id = UINT64_C(1) << 62 | ++range_started;
	write_range(thread, CUAUDIT_TRACE_RANGE_START, CUAUDIT_TRACE_RANGE_ID, 0, 1, &started_id, 1, "async");
}

/* Its ranges were popped while nothing was recorded. */
static void miss(struct thread *thread)
{
	write_range(thread, CUAUDIT_TRACE_RANGE_RESET, 0, 0, 0, NULL, 0, NULL);
	thread->nranges = 0;
}

/* Of a domain, an event or words that cannot be. */
static void no_sense(struct thread *thread)
{
	uint64_t *at = thread->at;

	switch (chance() % 3) {
	case 0:
		write_range(thread, CUAUDIT_TRACE_RANGE_POP, 0, 0, 555, NULL, 0, NULL);
		break;
	case 1:
		write_range(thread, 14, 0, 7, UINT64_MAX, NULL, 0, "of an event to come");
		break;
	default:
		write_range(thread, CUAUDIT_TRACE_RANGE_PUSH, 0, 0, 0, NULL, 0, NULL);
		at[0] |= (uint64_t)(CUAUDIT_TRACE_RANGE_TICKS | CUAUDIT_TRACE_RANGE_PAYLOAD |
				    CUAUDIT_TRACE_RANGE_TEXT) << WHAT_SHIFT;
	}
	senseless++;
}

/* What the thread does between two calls; none of them is inside of the other. */
static void do_ranges(struct thread *thread)
{
	uint64_t what = chance() % 16;

	if (!thread->offset || thread->level ||
	    thread->at + 2 * RANGE_WORDS > thread->buffer + chunk_size / 8)
		return;
	thread->now += 20;
	if (what < 4 && thread->nranges < RANGES)
		push(thread, (uint32_t)(chance() % TEXTS));
	else if (what < 7)
		pop(thread, what == 6);
	else if (what == 7)
		start_or_finish(thread);
	else if (what == 8 && ++range_marks)
		write_range(thread, CUAUDIT_TRACE_RANGE_MARK, 0, 0, chance() % 2 ? UINT32_MAX : 0, NULL, 0, "tick");
	else if (what == 10 && chance() % 16 == 0)
		miss(thread);
	else if (what == 9 && with_senseless)
		no_sense(thread);
}

static void call(struct thread *thread)
{
	uint64_t words[16] = { 0x1000, 64, 2, 3, 128, 1, 1, 0, 0x7700, 9, 10 }, behind = 0x4242;
	uint64_t took, gap = 200 + chance() % 4000, record[64], flags = 0, size = 2;
	int f = pick(thread), result = 0;
	uint16_t depth = 0;
	uint64_t end;

	took = (uint64_t)mix[f].ns + chance() % ((uint64_t)mix[f].ns * 3);
	took += chance() % 1000 ? 0 : 50 * took;
	if (chance() % 2000 == 0 && !busy)
		gap = UINT64_C(5000000000);
	if (mix[f].id == CUAUDIT_ID_cuEventQuery && chance() % 3 == 0)
		result = 600;
	else if (chance() % (with_texts ? 20 : 5000) == 0 && !strstr(mix[f].name, "Mem"))
		result = with_texts || calls_of[f] % 4 ? 1 : 600;
	else if (chance() % 3000 == 0)
		depth = 1;
	took *= strcmp(mix[f].name, slow) ? 1 : 2;
	end = thread->now + gap + took;
	if (with_nested)
		depth = nest(thread, end, &took);
	account(thread, f, words, &behind);
	calls_of[f]++;
	ticks_of[f] += took;
	errors += result != 0 && (result != 600 || mix[f].id != CUAUDIT_ID_cuEventQuery);
	if (with_texts && result == 1)
		describe_error(thread, result);
	if (with_ranges) {
		uint32_t text = thread->nranges ? thread->ranges[thread->nranges - 1].text : OUTSIDE;

		range_calls[text]++;
		range_errors[text] += result != 0 && (result != 600 || mix[f].id != CUAUDIT_ID_cuEventQuery);
	}
	ticks_in += took;
	thread->now = end;
	thread->correlation++;
	record[1] = took | (uint64_t)(f * CALLERS + (int)(chance() % 8 == 0)) << 32;
	record[0] = (thread->now - thread->last) << 32 | (thread->correlation & 0xffff) << 16;
	if (thread->now - thread->last > UINT32_MAX || took > UINT32_MAX) {
		flags |= CUAUDIT_TRACE_LONG;
		record[0] = (thread->correlation & 0xffff) << 16;
		record[1] &= UINT64_C(0xffffffff00000000);
		record[size++] = thread->now - thread->last;
		record[size++] = took;
	}
	if (result || depth) {
		flags |= CUAUDIT_TRACE_STATUS;
		record[size++] = (uint32_t)result | (uint64_t)depth << 32;
	}
	if (mix[f].id == CUAUDIT_ID_cuMemAlloc_v2) {
		flags |= CUAUDIT_TRACE_STACK;
		record[size++] = chance() % STACKS;
	}
	if (with_arguments) {
		size_t bytes;

		flags |= CUAUDIT_TRACE_WITH_ARGUMENTS;
		record[size] = 0;
		bytes = arguments((uint8_t *)&record[size], f, words, behind, !result);
		memset((uint8_t *)&record[size] + bytes, 0, -bytes & 7);
		size += (bytes + 7) / 8;
	}
	if (!thread->offset || thread->at + size > thread->buffer + chunk_size / 8) {
		flush(thread, true, false);
		begin(thread);
		/* Counted from the chunk's base now, which is this call's end. */
		record[0] &= UINT32_MAX;
		if (flags & CUAUDIT_TRACE_LONG)
			record[2] = 0;
	}
	record[0] |= flags << 8;
	size = say(thread, record, size, flags);
	record[0] |= size;
	memcpy(thread->at, record, size * 8);
	thread->at += size;
	thread->last = thread->now;
	thread->records++;
}

/* The rest have calls and no description, as when a disk was full. */
static void describe_thread(uint32_t number, uint64_t end)
{
	struct cuaudit_trace_thread *thread;

	if (used + sizeof(*thread) > chunk_size)
		return;
	thread = describe(CUAUDIT_TRACE_THREAD, sizeof(*thread), NULL, NULL);
	thread->number = number;
	thread->tid = (int32_t)(3999 + number);
	if (number == 1)
		strcpy(thread->name, "python3");
	else
		snprintf(thread->name, sizeof(thread->name), "pt_autograd_%u", number % 1000);
	thread->start_ticks = 2000000000000;
	thread->end_ticks = end;
}

/* The thread is over; the next one's calls follow in the same chunk, if it has room. */
static void take_over(struct thread *thread)
{
	uint64_t *at = thread->at;

	describe_thread(thread->number, thread->now);
	thread->number = ++numbers;
	thread->left = lifetime;
	thread->correlation = (uint64_t)thread->number << 40;
	thread->nranges = 0;
	memset(thread->said, 0, sizeof(thread->said));
	if (!thread->offset || at + CUAUDIT_TRACE_NEXT_WORDS > thread->buffer + chunk_size / 8)
		return;
	at[CUAUDIT_TRACE_NEXT_FIRST] = CUAUDIT_TRACE_NEXT_WORDS | CUAUDIT_TRACE_NEXT_THREAD << 8;
	at[CUAUDIT_TRACE_NEXT_NUMBER] = thread->number;
	at[CUAUDIT_TRACE_NEXT_TICKS] = thread->last = thread->now;
	at[CUAUDIT_TRACE_NEXT_NS] = UINT64_C(1700000000000000000) +
				    (thread->now - 2000000000000) / 2;
	at[CUAUDIT_TRACE_NEXT_CORRELATION] = thread->correlation;
	thread->at += CUAUDIT_TRACE_NEXT_WORDS;
}

/* Each seed's is another process, though of one pid: it begins some nanoseconds later. */
static void write_header(uint32_t pid, uint64_t seed)
{
	struct cuaudit_trace_header *header = (void *)descriptions;

	memcpy(header->magic, CUAUDIT_TRACE_MAGIC, sizeof(header->magic));
	header->version = CUAUDIT_TRACE_VERSION;
	header->order = CUAUDIT_TRACE_ORDER;
	header->incompatible = (with_again ? CUAUDIT_TRACE_HAS_AGAIN : 0) |
			       (with_parameters ? CUAUDIT_TRACE_HAS_PARAMETERS : 0) |
			       (with_python ? CUAUDIT_TRACE_HAS_PYTHON : 0) |
			       (with_ranges ? CUAUDIT_TRACE_HAS_RANGES : 0);
	header->chunk = chunk_size;
	header->flags = with_arguments ? CUAUDIT_TRACE_ARGUMENTS : 0;
	header->pid = pid;
	header->parent = 1;
	header->rank = (int32_t)(pid % 8);
	header->clock_source = CUAUDIT_CLOCK_COUNTER;
	/* 2 GHz. */
	header->clock_mult = 1;
	header->clock_shift = 1;
	header->clock_hz = 2000000000;
	header->start_ticks = 2000000000000;
	header->start_ns = UINT64_C(1700000000000000000) + seed - 1;
	strcpy(header->host, "node017");
	strcpy(header->program, "/usr/bin/python3.12");
	memcpy(header->command, "python3\0train.py\0--steps=10", 28);
	if (!killed) {
		uint64_t end = 0;

		for (uint32_t i = 0; i < nthreads; i++)
			end = threads[i].now > end ? threads[i].now : end;
		header->flags |= CUAUDIT_TRACE_FINISHED;
		header->end_ticks = end;
		header->end_ns = header->start_ns + (end - header->start_ticks) / 2;
	}
	put_at(descriptions, chunk_size, 0);
}

static int usage(void)
{
	fprintf(stderr, "usage: see t/trace/synth.c\n");
	return 2;
}

int main(int argc, char **argv)
{
	uint64_t calls = 1000, seed = 1;
	uint32_t pid = 4711;
	int option;

	while ((option = getopt(argc, argv, "aAbc:DEe:gikl:n:op:PRs:t:x:")) > 0) {
		if (option == 'a')
			with_arguments = true;
		else if (option == 'A')
			with_arguments = with_parameters = true;
		else if (option == 'b')
			busy = true;
		else if (option == 'c')
			chunk_size = (uint32_t)atoi(optarg);
		else if (option == 'D')
			with_ranges = with_senseless = true;
		else if (option == 'E')
			with_texts = true;
		else if (option == 'e')
			lifetime = strtoull(optarg, NULL, 0);
		else if (option == 'g')
			with_again = true;
		else if (option == 'i')
			with_nested = true;
		else if (option == 'k')
			killed = true;
		else if (option == 'l')
			slow = optarg;
		else if (option == 'n')
			calls = strtoull(optarg, NULL, 0);
		else if (option == 'o')
			waiting = true;
		else if (option == 'p')
			pid = (uint32_t)atoi(optarg);
		else if (option == 'P')
			with_python = true;
		else if (option == 'R')
			with_ranges = true;
		else if (option == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (option == 't')
			nthreads = (uint32_t)atoi(optarg);
		else if (option == 'x')
			left_out = optarg;
		else
			return usage();
	}
	if (optind + 1 != argc || !nthreads || nthreads > THREADS_MAX)
		return usage();
	fd = open(argv[optind], O_RDWR | O_CREAT | O_TRUNC, 0666);
	threads = calloc(nthreads, sizeof(*threads));
	descriptions = calloc(1, chunk_size);
	if (fd < 0 || !threads || !descriptions) {
		perror(argv[optind]);
		return 1;
	}
	next_offset = chunk_size;
	state = seed * UINT64_C(0x9e3779b97f4a7c15) | 1;
	describe_all();
	describe_layouts();
	describe_names();
	numbers = nthreads;
	for (uint32_t i = 0; i < nthreads; i++) {
		threads[i].now = 2000000000000 + 1000 * i;
		threads[i].number = i + 1;
		threads[i].left = lifetime;
		threads[i].correlation = (uint64_t)(i + 1) << 40;
		threads[i].buffer = malloc(chunk_size);
		if (!threads[i].buffer)
			return 1;
	}
	for (uint64_t i = 0; i < calls; i++) {
		struct thread *thread = &threads[chance() % nthreads];

		if (lifetime && !thread->left--)
			take_over(thread);
		if (with_ranges)
			do_ranges(thread);
		call(thread);
	}
	for (uint32_t i = 0; i < nthreads; i++) {
		flush(&threads[i], !killed, true);
		describe_thread(threads[i].number, killed ? 0 : threads[i].now);
	}
	write_header(pid, seed);
	printf("calls %llu\nerrors %llu\nns %llu\nlaunches %llu\nallocated %llu\nheld %llu\npeak %llu\nthreads %u\n"
	       "nested %llu\ninside %llu\n",
	       (unsigned long long)calls, (unsigned long long)errors,
	       (unsigned long long)(ticks_in / 2), (unsigned long long)launches,
	       (unsigned long long)allocated, (unsigned long long)held,
	       (unsigned long long)peak, numbers,
	       (unsigned long long)nested, (unsigned long long)(ticks_nested / 2));
	for (int i = 0; i < FUNCTIONS; i++)
		printf("%s %llu %llu\n", mix[i].name, (unsigned long long)calls_of[i],
		       (unsigned long long)(ticks_of[i] / 2));
	if (with_ranges)
		printf("pushed %llu\nstarted %llu\nmarks %llu\nunfinished %llu\ncrossing %llu\nsenseless %llu\n",
		       (unsigned long long)pushed, (unsigned long long)range_started,
		       (unsigned long long)range_marks,
		       (unsigned long long)(pushed - popped + range_started - range_ended),
		       (unsigned long long)crossing, (unsigned long long)senseless);
	for (uint32_t i = 0; with_ranges && i <= TEXTS; i++)
		printf("range_%u %llu %llu\n", i, (unsigned long long)range_calls[i],
		       (unsigned long long)range_errors[i]);
	return close(fd) ? 1 : 0;
}
