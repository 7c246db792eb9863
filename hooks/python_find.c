/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the Python interpreter among the objects of the process, and its layout. */
#include <cuaudit/call.h>
#include <cuaudit/hook.h>
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "hooks/core_link.h"
#include "hooks/exported.h"
#include "hooks/python.h"
#include "hooks/safe_read.h"
#include "tables/cpython.h"
#include "util/buffer.h"

enum { OBJECTS = LINK_CHUNK * LINK_CHUNKS };

static const struct python_layout layouts[PYTHON_NEWEST + 1] = {
#define PYTHON_LAYOUT(minor, ...) [minor] = { __VA_ARGS__ },
#include "tables/cpython.def"
#undef PYTHON_LAYOUT
};

/* NULL: none was found among the objects that were searched, a bit each. */
static _Atomic(const struct python *) found;
static _Atomic uint64_t searched[OBJECTS / 64];
static _Atomic uint32_t generation;	/* of the last search, + 1 */
static atomic_bool reported;

/* The minor version, or 0: another Python, or none that can be told. */
static uint32_t find_minor(const struct exported *exported)
{
	uint64_t size, at = exported_find(exported, "Py_Version", &size), version;

	if (at)
		return safe_read(at, &version, sizeof(version)) && version >> 24 == 3 ?
		       version >> 16 & 255 : 0;
	for (size_t i = 0; i < sizeof(python_since) / sizeof(python_since[0]); i++)
		if (exported_find(exported, python_since[i].symbol, &size))
			return python_since[i].minor;
	return 0;
}

/* What _Py_DebugOffsets has: *fact is where it has it. */
static bool resolve_fact(const struct python *python, uint32_t *fact)
{
	uint64_t value;

	if (!safe_read(python->runtime + *fact, &value, sizeof(value)) || value > UINT16_MAX)
		return false;
	*fact = (uint32_t)value;
	return true;
}

static bool resolve_debug(struct python *python)
{
	struct python_layout *at = &python->at;
	uint32_t *const facts[] = {
		&at->debug_free_threaded, &at->head, &at->interpreter_next, &at->interpreter_threads,
		&at->interpreter_id, &at->thread_next, &at->thread_interpreter, &at->thread_id, &at->thread_frame,
		&at->frame_previous, &at->frame_code, &at->frame_instruction, &at->frame_owner,
		&at->code_file, &at->code_name, &at->code_line, &at->code_lines, &at->code_bytes,
	};
	char cookie[8];
	uint64_t version;

	if (!safe_read(python->runtime, cookie, sizeof(cookie)) ||
	    memcmp(cookie, PYTHON_COOKIE, sizeof(cookie)) ||
	    !safe_read(python->runtime + sizeof(cookie), &version, sizeof(version)) ||
	    (version >> 16 & 255) != python->minor)
		return false;
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		if (!resolve_fact(python, facts[i]))
			return false;
	return !at->debug_free_threaded;
}

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static bool resolve(struct python *python)
{
	struct python_layout *at = &python->at;

	if (!python->minor || python->minor > PYTHON_NEWEST || !layouts[python->minor].key ||
	    !python->code_type || !python->str_type || !python->bytes_type)
		return false;
	*at = layouts[python->minor];
	if (python->minor >= PYTHON_DEBUG && !resolve_debug(python))
		return false;
	python->frame_size = larger(larger(at->frame_previous, at->frame_code),
				    larger(at->frame_instruction, at->frame_owner)) + 8;
	python->code_size = larger(larger(at->code_name, at->code_file),
				   larger(larger(at->code_line, at->code_lines),
					  larger(at->code_first, at->code_version))) + 8;
	return python->frame_size <= PYTHON_FRAME && python->code_size <= PYTHON_CODE;
}

static bool find_in(struct python *python, const struct link_object *object)
{
	struct exported exported;
	uint64_t size;

	python->object = object;
	if (!link_extent(object, &python->lo, &python->hi) || python->lo == python->hi ||
	    !exported_open(&exported, python->lo))
		return false;
	python->runtime = exported_find(&exported, "_PyRuntime", &size);
	if (!python->runtime)
		return exported_find(&exported, "pypy_main_startup", &size) ||
		       exported_find(&exported, "Py_GetVersion", &size);
	python->minor = find_minor(&exported);
	python->code_type = exported_find(&exported, "PyCode_Type", &size);
	python->str_type = exported_find(&exported, "PyUnicode_Type", &size);
	python->bytes_type = exported_find(&exported, "PyBytes_Type", &size);
	python->eval = exported_find(&exported, "_PyEval_EvalFrameDefault", &size);
	python->eval_end = python->eval + size;
	python->readable = resolve(python);
	return true;
}

static void explain(struct python *python)
{
	struct buffer out = { .at = python->fault, .size = sizeof(python->fault) };

	buffer_text(&out, python->object->path);
	if (!python->minor) {
		buffer_text(&out, " is not CPython 3.9 or newer");
	} else {
		buffer_text(&out, " is Python 3.");
		buffer_unsigned(&out, python->minor);
		buffer_text(&out, python->minor > PYTHON_NEWEST ? ", newer than this version of cuaudit" :
			    " of a layout that is not known, as without GIL");
	}
	buffer_end(&out);
}

static void report(const struct python *python)
{
	if (!atomic_exchange_explicit(&reported, true, memory_order_relaxed))
		cuaudit_log(CUAUDIT_WARN, "Python frames are not recorded: %s", python->fault);
}

/* The loser of a race leaves a page unused. */
static void publish(const struct python *python)
{
	struct python *copy = cuaudit_pages(sizeof(*copy));

	if (!copy)
		return;
	*copy = *python;
	atomic_store_explicit(&found, copy, memory_order_release);
}

static bool is_there(const struct python *python)
{
	uintptr_t lo, hi;

	return link_extent(python->object, &lo, &hi) && lo == python->lo && hi == python->hi;
}

static void search(void)
{
	uint32_t count = atomic_load_explicit(&cuaudit_core_link->nobjects, memory_order_acquire);
	const struct python *known = atomic_load_explicit(&found, memory_order_acquire);

	if (known && is_there(known))
		return;
	/* Closed; it may be opened again elsewhere. Another thread may have found it already. */
	if (known)
		atomic_compare_exchange_strong(&found, &known, NULL);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t bit = UINT64_C(1) << i % 64;
		struct python python = { .minor = 0 };

		if (atomic_load_explicit(&searched[i / 64], memory_order_acquire) & bit ||
		    !atomic_load_explicit(&cuaudit_core_link->live[i / LINK_CHUNK],
					  memory_order_relaxed))
			continue;
		if (find_in(&python, link_object(cuaudit_core_link, i))) {
			if (!python.readable)
				explain(&python);
			publish(&python);
			return;
		}
		if (python.lo != python.hi)
			atomic_fetch_or(&searched[i / 64], bit);
	}
}

static const struct python *get(void)
{
	uint32_t now = atomic_load_explicit(&cuaudit_core_link->generation, memory_order_acquire) + 1;

	if (unlikely(atomic_load_explicit(&generation, memory_order_acquire) != now)) {
		search();
		atomic_store_explicit(&generation, now, memory_order_release);
	}
	return atomic_load_explicit(&found, memory_order_acquire);
}

const struct python *python_get(void)
{
	const struct python *python = get();

	if (unlikely(python && !python->readable)) {
		report(python);
		return NULL;
	}
	return python;
}

const char *cuaudit_python_fault(void)
{
	int error = errno;
	const struct python *python = get();

	errno = error;
	return python && !python->readable ? python->fault : NULL;
}
