/* SPDX-License-Identifier: Apache-2.0 */
/* Where in a Python program objects are allocated, each place once. */
#include "hooks/modules/leak/leak_python.h"

#include <stdatomic.h>
#include <stdbool.h>

#include <cuaudit/hook.h>

#include "util/buffer.h"

enum { PLACES = 4096, TRIES = 16, TEXT = 112 };

/* Filled by who takes its key from 0; whole is set last. */
struct place {
	_Atomic uint64_t key;
	atomic_bool whole;
	char text[TEXT];
};

static struct place *places;

void leak_python_want(void)
{
	if (!places)
		places = cuaudit_pages(PLACES * sizeof(*places));
}

/* The end of a path, where it is long. */
static void fill(struct place *place, const struct cuaudit_python *frame)
{
	enum { PATH = 512, KEPT = 90 };
	char path[PATH];
	uint32_t length = cuaudit_python_text(frame, CUAUDIT_PYTHON_FILE, path, sizeof(path));
	struct buffer out = { place->text, sizeof(place->text), 0 };

	if (length >= sizeof(path))
		length = sizeof(path) - 1;
	buffer_text(&out, length > KEPT ? "..." : "");
	buffer_text(&out, path + (length > KEPT ? length - KEPT : 0));
	buffer_char(&out, ':');
	buffer_unsigned(&out, frame->line);
	buffer_end(&out);
	/* Pairs with the load of leak_python_here. */
	atomic_store_explicit(&place->whole, true, memory_order_release);
}

const char *leak_python_here(void)
{
	struct cuaudit_python frame;
	uint64_t key;

	if (!places || !cuaudit_call_python(NULL, &frame, 1))
		return NULL;
	key = frame.key[0] | 1;
	for (uint32_t i = 0; i < TRIES; i++) {
		struct place *place = &places[((key >> 20) + i) & (PLACES - 1)];
		uint64_t found = 0;

		if (atomic_compare_exchange_strong_explicit(&place->key, &found, key,
							    memory_order_relaxed, memory_order_relaxed))
			fill(place, &frame);
		else if (found != key)
			continue;
		return atomic_load_explicit(&place->whole, memory_order_acquire) ? place->text : NULL;
	}
	return NULL;
}
