/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the calling thread's own Python frames. */
#include <pthread.h>
#include <string.h>

#include "hooks/python.h"
#include "hooks/safe_read.h"

enum {
	INTERPRETERS = 256, THREADS = 65536, KEYS = 1024,
	TAGS = 7,	/* the low bits of a reference, which 3.14 uses */
	AHEAD = 2048	/* bytes below a frame, where those that called it are */
};

static uint64_t word_at(const char *bytes, uint32_t offset)
{
	uint64_t word;

	memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

static bool read_word(uint64_t address, uint64_t *word)
{
	return safe_read(address, word, sizeof(*word));
}

/* Of a state, perhaps another thread's, who may free it meanwhile. */
static bool read_listed(uint64_t address, uint64_t *word)
{
	return safe_read_shared(address, word, sizeof(*word));
}

/* Of a state, what tells whose it is. */
static bool is_own(const struct python *python, uint64_t state)
{
	uint64_t id;

	return state && read_word(state + python->at.thread_id, &id) && id == (uint64_t)pthread_self();
}

static uint64_t frame_of(const struct python *python, uint64_t state, uint64_t *cframe)
{
	const struct python_layout *at = &python->at;
	uint64_t frame = 0;

	*cframe = 0;
	if (at->thread_cframe && !read_word(state + at->thread_cframe, cframe))
		return 0;
	if (at->thread_frame)
		return read_word(state + at->thread_frame, &frame) ? frame : 0;
	return *cframe && read_word(*cframe + at->cframe_frame, &frame) ? frame : 0;
}

static bool is_listed(const struct python *python, uint64_t state)
{
	uint64_t id;

	return read_listed(state + python->at.thread_id, &id) && id == (uint64_t)pthread_self();
}

/*
 * The thread's states in all interpreters, the newest interpreter first: that of an inner one
 * is younger. Others may come and go meanwhile, so that what is read may be anything.
 */
static uint64_t search_states(const struct python *python)
{
	const struct python_layout *at = &python->at;
	uint64_t interpreter, state, cframe, first = 0;
	uint32_t states = 0;

	if (!read_listed(python->runtime + at->head, &interpreter))
		return 0;
	for (uint32_t i = 0; interpreter && i < INTERPRETERS; i++) {
		if (!read_listed(interpreter + at->interpreter_threads, &state))
			return first;
		for (; state && states < THREADS; states++) {
			if (is_listed(python, state)) {
				first = first ? first : state;
				if (frame_of(python, state, &cframe))
					return state;
			}
			if (!read_listed(state + at->thread_next, &state))
				break;
		}
		if (!read_listed(interpreter + at->interpreter_next, &interpreter))
			break;
	}
	return first;
}

static bool one_interpreter(const struct python *python, uint64_t state)
{
	uint64_t its, head, next;

	return read_word(state + python->at.thread_interpreter, &its) &&
	       read_word(python->runtime + python->at.head, &head) && its == head &&
	       read_word(head + python->at.interpreter_next, &next) && !next;
}

/* Since 3.12 the main interpreter is a part of _PyRuntime. */
static bool is_main(const struct python *python, uint64_t interpreter)
{
	return interpreter - python->lo < python->hi - python->lo;
}

/* What is asked for of the last state: parts, one behind the other, and where they are. */
struct probe {
	uint64_t at[3];
	uint32_t size[3];
};

enum { RUNTIME, STATE, INTERPRETER };

static void span(struct probe *probe, int part, uint64_t base, uint32_t offset)
{
	uint64_t at = base + offset, end = at + sizeof(uint64_t);
	uint64_t last = probe->at[part] + probe->size[part];

	if (probe->size[part]) {
		end = end > last ? end : last;
		at = at < probe->at[part] ? at : probe->at[part];
	}
	probe->at[part] = at;
	probe->size[part] = (uint32_t)(end - at);
}

/* Its size; 0: there is nothing to be asked for. */
static uint32_t what_to_probe(const struct python *python, const struct python_thread *own,
			      struct probe *probe)
{
	const struct python_layout *at = &python->at;

	*probe = (struct probe){ .size = { 0 } };
	if (!own->state)
		return 0;
	span(probe, RUNTIME, python->runtime, at->key);
	if (at->current) {
		span(probe, RUNTIME, python->runtime, at->head);
		span(probe, RUNTIME, python->runtime, at->current);
		span(probe, INTERPRETER, own->interpreter, at->interpreter_next);
	}
	if (at->interpreter_id && !is_main(python, own->interpreter))
		span(probe, INTERPRETER, own->interpreter, at->interpreter_id);
	span(probe, STATE, own->state, at->thread_id);
	span(probe, STATE, own->state, at->thread_interpreter);
	span(probe, STATE, own->state, at->thread_frame ? at->thread_frame : at->thread_cframe);
	if (at->thread_cframe)
		span(probe, STATE, own->state, at->thread_cframe);
	for (int i = RUNTIME; i <= INTERPRETER; i++)
		if (probe->size[i] > PYTHON_PROBE / 3)
			return 0;
	return probe->size[RUNTIME] + probe->size[STATE] + probe->size[INTERPRETER];
}

/* A word of what was probed. */
static uint64_t probed(const struct python_thread *own, const struct probe *probe, int part,
		       uint64_t address)
{
	size_t offset = 0;

	for (int i = 0; i < part; i++)
		offset += probe->size[i];
	return word_at(own->probe + offset, (uint32_t)(address - probe->at[part]));
}

/*
 * Windows for what the last call looked at; a page is rarely left by a gap that is read as well.
 * Returns their bytes.
 */
static uint32_t plan_windows(struct python_thread *own)
{
	enum { GAP = 768, NEAR = 3 };

	own->nwindows = own->window = own->used = 0;
	for (uint32_t i = 0; i < own->nvisited; i++) {
		uint64_t at = own->visited[i], end = at + own->sizes[i];
		uint32_t j = own->nwindows < NEAR ? 0 : own->nwindows - NEAR;

		for (; j < own->nwindows; j++) {
			struct python_window *window = &own->windows[j];
			uint64_t low = at < window->at ? at : window->at;
			uint64_t high = window->at + window->size;

			high = end > high ? end : high;
			if (high - low > window->size + own->sizes[i] + (uint64_t)GAP)
				continue;
			window->at = low;
			window->size = (uint32_t)(high - low);
			break;
		}
		if (j == own->nwindows)
			own->windows[own->nwindows++] = (struct python_window){ at, own->sizes[i], 0 };
	}
	for (uint32_t i = 0; i < own->nwindows; i++) {
		if (own->windows[i].size > PYTHON_ROOM - own->used) {
			own->nwindows = i;
			break;
		}
		own->windows[i].offset = own->used;
		own->used += own->windows[i].size;
	}
	return own->used;
}

/* The windows and code objects that so many bytes behind the probe hold. */
static void keep_read(const struct python *python, struct python_thread *own, size_t got)
{
	uint32_t count = 0;

	if (got >= own->used) {
		got = (got - own->used) / python->code_size;
		own->ncodes = got < own->ncodes ? (uint32_t)got : own->ncodes;
		return;
	}
	own->ncodes = 0;
	while (count < own->nwindows &&
	       own->windows[count].offset + own->windows[count].size <= got)
		count++;
	own->nwindows = count;
	own->used = count ? own->windows[count - 1].offset + own->windows[count - 1].size : 0;
}

/* By one system call, all that the last call found. Whether the probe was read. */
static bool read_ahead(const struct python *python, struct python_thread *own,
		       const struct probe *probe, uint32_t size)
{
	struct iovec *parts = own->parts;
	const struct iovec to[] = {
		{ own->probe, size }, { own->room, plan_windows(own) },
		{ own->code_bytes, (size_t)own->ncodes * python->code_size },
	};
	uint32_t count = 0;
	size_t got = 0;

	for (int i = RUNTIME; i <= INTERPRETER && probe->size[i]; i++)
		parts[count++] = (struct iovec){ (void *)(uintptr_t)probe->at[i], probe->size[i] };
	for (uint32_t i = 0; i < own->nwindows; i++)
		parts[count++] = (struct iovec){ (void *)(uintptr_t)own->windows[i].at,
						 own->windows[i].size };
	for (uint32_t i = 0; i < own->ncodes; i++)
		parts[count++] = (struct iovec){ (void *)(uintptr_t)own->codes[i], python->code_size };
	if (size)
		got = safe_read_parts(parts, count, to, 3);
	keep_read(python, own, got > size ? got - size : 0);
	own->nvisited = 0;
	return size && got >= size;
}

/* Whether the calling thread's state is still the last one, of what was probed; as find_state finds it. */
static bool is_last(const struct python *python, const struct python_thread *own,
		    const struct probe *probe)
{
	const struct python_layout *at = &python->at;
	uint64_t key = probed(own, probe, RUNTIME, python->runtime + at->key);

	if (probed(own, probe, STATE, own->state + at->thread_id) != (uint64_t)pthread_self() ||
	    probed(own, probe, STATE, own->state + at->thread_interpreter) != own->interpreter)
		return false;
	if (at->current &&
	    probed(own, probe, RUNTIME, python->runtime + at->current) == own->state)
		return true;
	/* Two ints: whether there is a key, and it. */
	if ((uint32_t)key != 1 || key >> 32 >= KEYS ||
	    (uintptr_t)pthread_getspecific((pthread_key_t)(key >> 32)) != own->state)
		return false;
	return !at->current ||
	       (probed(own, probe, RUNTIME, python->runtime + at->head) == own->interpreter &&
		!probed(own, probe, INTERPRETER, own->interpreter + at->interpreter_next));
}

/*
 * The state of the calling thread, which has the GIL or has not. Up to 3.11 the thread's key
 * has its first one, whichever interpreter runs; since then it has the last one.
 */
static uint64_t find_state(const struct python *python)
{
	uint64_t state, current;
	uint32_t key[2];

	if (python->at.current && read_word(python->runtime + python->at.current, &current) &&
	    current && is_listed(python, current))
		return current;
	if (!safe_read(python->runtime + python->at.key, key, sizeof(key)))
		return 0;
	if (key[0] != 1 || key[1] >= KEYS)
		return search_states(python);
	state = (uintptr_t)pthread_getspecific(key[1]);
	if (!state || !is_own(python, state))
		return state ? search_states(python) : 0;
	return python->at.current && !one_interpreter(python, state) ? search_states(python) : state;
}

static const char *in_window(struct python_thread *own, uint64_t at, uint32_t size)
{
	for (uint32_t i = 0; i < own->nwindows; i++) {
		uint32_t j = own->window + i < own->nwindows ? own->window + i :
							       own->window + i - own->nwindows;
		const struct python_window *window = &own->windows[j];

		if (at >= window->at && at + size <= window->at + window->size) {
			own->window = j;
			return own->room + window->offset + (at - window->at);
		}
	}
	return NULL;
}

/*
 * Memory of the thread's frames, with so much below it if that can be read as well. It holds
 * until the next is asked for.
 */
static const char *read_near(struct python_thread *own, uint64_t at, uint32_t size, uint32_t below)
{
	const char *bytes;
	struct python_window *window;

	if (at % sizeof(void *) || at + size < at || at < below)
		return NULL;
	if (own->nvisited < PYTHON_WINDOWS) {
		own->visited[own->nvisited] = at;
		own->sizes[own->nvisited++] = size;
	}
	bytes = in_window(own, at, size);
	if (bytes)
		return bytes;
	if (own->nwindows == PYTHON_WINDOWS || own->used + below + size > PYTHON_ROOM)
		own->nwindows = own->used = 0;
	own->window = own->nwindows;
	if (!below || !safe_read_shared(at - below, own->room + own->used, below + size)) {
		/* What is below the frame's own page may be another thread's, who unmaps it. */
		below = at % PEEK_PAGE < below ? (uint32_t)(at % PEEK_PAGE) : below;
		if (!safe_read(at - below, own->room + own->used, below + size))
			return NULL;
	}
	window = &own->windows[own->nwindows++];
	*window = (struct python_window){ at - below, below + size, own->used };
	own->used += window->size;
	return own->room + window->offset + below;
}

/* What _PyCFrame has: which frame, and its previous one. */
static uint64_t in_cframe(const struct python *python, struct python_thread *own, uint64_t cframe,
			  uint32_t offset)
{
	const struct python_layout *at = &python->at;
	uint32_t size = at->cframe_frame > at->cframe_previous ? at->cframe_frame : at->cframe_previous;
	const char *bytes = cframe ? read_near(own, cframe, size + sizeof(uint64_t), 0) : NULL;

	return bytes ? word_at(bytes, offset) : 0;
}

/* Which C frame runs a Python frame, where the version tells so beside it. */
static uint64_t take_entry(const struct python *python, struct python_thread *own,
			   bool is_entry, uint64_t *cframe)
{
	uint64_t entry = *cframe;

	if (entry && is_entry)
		*cframe = in_cframe(python, own, *cframe, python->at.cframe_previous);
	return is_entry ? entry : 0;
}

/* The innermost frame. */
static uint64_t find_frame(const struct python *python, struct python_thread *own, bool last,
			   const struct probe *probe, uint64_t *cframe)
{
	const struct python_layout *at = &python->at;
	uint64_t frame = 0;

	*cframe = 0;
	if (at->thread_cframe) {
		if (last)
			*cframe = probed(own, probe, STATE, own->state + at->thread_cframe);
		else if (!read_word(own->state + at->thread_cframe, cframe))
			return 0;
	}
	if (!at->thread_frame)
		return in_cframe(python, own, *cframe, at->cframe_frame);
	if (last)
		return probed(own, probe, STATE, own->state + at->thread_frame);
	return read_word(own->state + at->thread_frame, &frame) ? frame : 0;
}

/* The interpreter's number, which no other has, though it may come to lie where that was. */
static uint64_t find_id(const struct python *python, const struct python_thread *own, bool last,
			const struct probe *probe)
{
	uint64_t id, at = own->interpreter + python->at.interpreter_id;

	if (!python->at.interpreter_id || is_main(python, own->interpreter))
		return 0;
	if (last)
		return probed(own, probe, INTERPRETER, at);
	return read_word(at, &id) ? id : UINT64_MAX;
}

uint32_t python_walk(const struct python *python, struct python_thread *own, uint32_t max,
		     bool entries)
{
	const struct python_layout *at = &python->at;
	uint32_t count = 0, steps = 2 * max + PYTHON_FRAMES;
	uint64_t state, cframe, frame;
	struct probe probe;
	bool last = read_ahead(python, own, &probe, what_to_probe(python, own, &probe)) &&
		    is_last(python, own, &probe);

	if (!last) {
		own->state = 0;
		state = find_state(python);
		if (!state || !read_word(state + at->thread_interpreter, &own->interpreter))
			return 0;
		own->state = state;
	}
	own->interpreter_id = find_id(python, own, last, &probe);
	for (frame = find_frame(python, own, last, &probe, &cframe); frame && count < max && steps;
	     steps--) {
		/* Those that called it are below it since 3.11. */
		const char *bytes = read_near(own, frame, python->frame_size,
					      at->code_bytes ? AHEAD : 0);
		struct python_frame *to = &own->frames[count];

		if (!bytes)
			break;
		*to = (struct python_frame){
			.code.address = word_at(bytes, at->frame_code) & ~(uint64_t)TAGS,
			.owner = at->frame_owner ? (uint8_t)bytes[at->frame_owner] : 0,
			.instruction = word_at(bytes, at->frame_instruction),
		};
		frame = word_at(bytes, at->frame_previous);
		if (at->owner_entry && to->owner >= at->owner_entry) {
			/* On the C stack, in place of a frame. */
			if (count)
				to[-1].entry = own->visited[own->nvisited - 1];
			continue;
		}
		if (entries && at->thread_cframe)
			to->entry = take_entry(python, own, !at->code_bytes ||
					       (at->frame_is_entry && bytes[at->frame_is_entry]),
					       &cframe);
		count++;
	}
	return count;
}
