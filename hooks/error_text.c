/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver says of an error in its log, for the call that made it. */
/*
 * The driver calls back while the call is going on, on its thread, and perhaps several times. The
 * last lines are kept by thread with the time; a call's are those between its start and its end.
 */
#include <stdatomic.h>
#include <string.h>

#include <cuaudit/args.h>
#include <cuaudit/clock.h>
#include <cuaudit/hook.h>
#include <cuaudit/replace.h>

#include "hooks/hook.h"
#include "hooks/thread.h"

enum {
	LINES = 4,	/* of a thread; a power of two */
	LINE = 256,
	DRIVERS = 64
};

struct line {
	uint64_t ticks;		/* 0: it is being written */
	uint32_t depth;		/* of the call */
	char text[LINE];
};

struct texts {
	uint32_t next;
	struct line lines[LINES];
	char joined[LINES * (LINE + 2)];
};

static int key = -1;
static _Atomic uint64_t asked;	/* bits of the copies of the driver that call back */

/* "Returning 1 (CUDA_ERROR_INVALID_VALUE) from cuX", of each error, has nothing that is not known. */
static bool is_known(const char *text)
{
	return !strncmp(text, "Returning ", strlen("Returning ")) && strstr(text, ") from cu");
}

/* Context: call, inside of the driver. A handler that interrupts it takes the next line. */
static void on_text(void *data, CUlogLevel level, char *text, size_t length)
{
	struct texts *texts = cuaudit_thread_block((uint32_t)key);
	struct line *line;
	size_t size;

	(void)data;
	(void)level;
	if (!texts || !text || !length)
		return;
	size = strnlen(text, length < LINE ? length : LINE - 1);
	line = &texts->lines[texts->next++ % LINES];
	line->ticks = 0;
	atomic_signal_fence(memory_order_seq_cst);
	memcpy(line->text, text, size);
	line->text[size] = '\0';
	if (is_known(line->text))
		return;
	atomic_signal_fence(memory_order_seq_cst);
	line->depth = thread_self->state & THREAD_NESTED ? thread_self->depth : 0;
	line->ticks = cuaudit_ticks();
}

/* The driver that was started just now is asked to call back, once. */
static void on_exit(struct cuaudit_call *call, void *data)
{
	typedef CUresult register_fn(CUlogsCallback, void *, CUlogsCallbackHandle *);
	uint64_t bit = (uint64_t)1 << call->function->driver % DRIVERS;
	register_fn *ask = (register_fn *)(uintptr_t)cuaudit_real(CUAUDIT_ID_cuLogsRegisterCallback);
	CUlogsCallbackHandle handle;

	(void)data;
	if (cuaudit_call_succeeded(call) && ask &&
	    !(atomic_fetch_or_explicit(&asked, bit, memory_order_relaxed) & bit))
		ask(on_text, NULL, &handle);
}

const char *cuaudit_call_error_text(const struct cuaudit_call *call)
{
	struct texts *texts = key < 0 || !call->start ? NULL : call->blocks[key];
	size_t used = 0;

	if (!texts)
		return NULL;
	for (uint32_t i = texts->next; i != texts->next + LINES; i++) {
		const struct line *line = &texts->lines[i % LINES];
		size_t size;

		if (!line->ticks || line->ticks < call->start || line->ticks > call->end ||
		    line->depth != call->depth)
			continue;
		if (used) {
			memcpy(texts->joined + used, "; ", 2);
			used += 2;
		}
		size = strnlen(line->text, LINE - 1);
		memcpy(texts->joined + used, line->text, size);
		used += size;
	}
	texts->joined[used] = '\0';
	return used ? texts->joined : NULL;
}

int cuaudit_error_text_prepare(void)
{
	/* There is nothing to do at a thread's end. */
	static const struct cuaudit_module owner = { .size = sizeof(owner) };
	static const char functions[] =
#define STARTS(symbol) "=" #symbol ","
#include "hooks/core_functions.def"
	;
	int error;

	if (key >= 0)
		return 0;
	error = cuaudit_thread_key(sizeof(struct texts), &owner);
	if (error < 0)
		return error;
	key = error;
	return hook_add_core("error text", functions, on_exit);
}
