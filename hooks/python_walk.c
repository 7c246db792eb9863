/* SPDX-License-Identifier: Apache-2.0 */
/* Walks the calling thread's own Python frames. */
#include <pthread.h>
#include <string.h>

#include "hooks/python.h"
#include "hooks/safe_read.h"

enum {
	INTERPRETERS = 256, THREADS = 65536, KEYS = 1024,
	TAGS = 7,	/* the low bits of a reference, which 3.14 uses */
	AHEAD = 4096	/* bytes below a frame, where those that called it are */
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

/*
 * The thread's states in all interpreters, the newest interpreter first: that of an inner one
 * is younger. Others may come and go meanwhile, so that what is read may be anything.
 */
static uint64_t search_states(const struct python *python)
{
	const struct python_layout *at = &python->at;
	uint64_t interpreter, state, cframe, first = 0;
	uint32_t states = 0;

	if (!read_word(python->runtime + at->head, &interpreter))
		return 0;
	for (uint32_t i = 0; interpreter && i < INTERPRETERS; i++) {
		if (!read_word(interpreter + at->interpreter_threads, &state))
			return first;
		for (; state && states < THREADS; states++) {
			if (is_own(python, state)) {
				first = first ? first : state;
				if (frame_of(python, state, &cframe))
					return state;
			}
			if (!read_word(state + at->thread_next, &state))
				break;
		}
		if (!read_word(interpreter + at->interpreter_next, &interpreter))
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

/* What is asked for of the last state: a part each, one behind the other. */
struct probe {
	uint64_t current;
	uint32_t key[2];
	uint64_t head, next, id, interpreter;
};

/* Whether the calling thread's state is still the last one, by one system call; as find_state finds it. */
static bool is_last(const struct python *python, const struct python_thread *own)
{
	const struct python_layout *at = &python->at;
	const uint64_t from[] = {
		python->runtime + (at->current ? at->current : at->head), python->runtime + at->key,
		python->runtime + at->head, own->interpreter + at->interpreter_next,
		own->state + at->thread_id, own->state + at->thread_interpreter,
	};
	struct iovec parts[sizeof(from) / sizeof(from[0])];
	struct probe probe;

	if (!own->state)
		return false;
	for (size_t i = 0; i < sizeof(from) / sizeof(from[0]); i++)
		parts[i] = (struct iovec){ (void *)(uintptr_t)from[i], sizeof(uint64_t) };
	if (!safe_read_parts(parts, sizeof(from) / sizeof(from[0]), &probe, sizeof(probe)) ||
	    probe.id != (uint64_t)pthread_self() || probe.interpreter != own->interpreter)
		return false;
	if (at->current && probe.current == own->state)
		return true;
	if (probe.key[0] != 1 || probe.key[1] >= KEYS ||
	    (uintptr_t)pthread_getspecific(probe.key[1]) != own->state)
		return false;
	return !at->current || (probe.head == own->interpreter && !probe.next);
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
	    is_own(python, current))
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

/* Frames of one thread are near each other since 3.11. */
static const char *read_frame(const struct python *python, struct python_thread *own,
			      uint64_t frame)
{
	uint64_t from = frame - (python->at.code_bytes ? AHEAD : 0);
	uint64_t end = frame + python->frame_size;

	if (frame % sizeof(void *) || end < frame)
		return NULL;
	if (frame >= own->window_at && end <= own->window_end)
		return own->window + (frame - own->window_at);
	own->window_end = 0;
	if (from > frame || !safe_read(from, own->window, end - from)) {
		from = frame;
		if (!safe_read(from, own->window, end - from))
			return NULL;
	}
	own->window_at = from;
	own->window_end = end;
	return own->window + (frame - from);
}

/* Which C frame runs a Python frame, where the version tells so beside it. */
static uint64_t take_entry(const struct python *python, const char *bytes, uint64_t *cframe)
{
	const struct python_layout *at = &python->at;
	uint64_t entry = *cframe;

	if (!entry || (at->code_bytes && !(at->frame_is_entry && bytes[at->frame_is_entry])))
		return 0;
	if (!read_word(*cframe + at->cframe_previous, cframe))
		*cframe = 0;
	return entry;
}

uint32_t python_walk(const struct python *python, struct python_thread *own, uint32_t max)
{
	const struct python_layout *at = &python->at;
	uint32_t count = 0, steps = 2 * max + PYTHON_FRAMES;
	uint64_t state = own->state, cframe, frame;

	if (!is_last(python, own)) {
		own->state = 0;
		state = find_state(python);
		if (!state || !read_word(state + at->thread_interpreter, &own->interpreter))
			return 0;
		own->state = state;
	}
	own->window_end = 0;
	for (frame = frame_of(python, state, &cframe); frame && count < max && steps; steps--) {
		const char *bytes = read_frame(python, own, frame);
		struct python_frame *to = &own->frames[count];

		if (!bytes)
			break;
		*to = (struct python_frame){
			.code.address = word_at(bytes, at->frame_code) & ~(uint64_t)TAGS,
			.owner = at->frame_owner ? (uint8_t)bytes[at->frame_owner] : 0,
			.instruction = word_at(bytes, at->frame_instruction),
		};
		if (at->owner_entry && to->owner >= at->owner_entry) {
			/* On the C stack, in place of a frame. */
			if (count)
				to[-1].entry = frame;
		} else {
			to->entry = take_entry(python, bytes, &cframe);
			count++;
		}
		frame = word_at(bytes, at->frame_previous);
	}
	return count;
}
