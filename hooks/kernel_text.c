/* SPDX-License-Identifier: Apache-2.0 */
/* The texts that kernels are called by: each once, for as long as the process lives. */
#include "hooks/kernel_text.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include <cuaudit/hook.h>

enum {
	UNIT = 16,		/* a number is a multiple of it */
	CHUNK = 64 * 1024,
	CHUNKS = 1024,
	HEADS = 4096		/* a power of two */
};

struct text {
	uint32_t next;		/* of those with the same head; 0: none */
	uint32_t hash;
	char bytes[];
};

static char *_Atomic chunks[CHUNKS];
static uint32_t heads[HEADS];
static uint32_t used = UNIT;	/* bytes of all chunks; 0 is no text's */

static const struct text *at(uint32_t number)
{
	uint32_t chunk = number / (CHUNK / UNIT);

	return (const void *)(atomic_load_explicit(&chunks[chunk], memory_order_acquire) +
			      number % (CHUNK / UNIT) * UNIT);
}

const char *kernel_text(uint32_t number)
{
	return number ? at(number)->bytes : NULL;
}

static uint32_t hash(const char *name, size_t length)
{
	uint64_t sum = 0xcbf29ce484222325u;

	for (size_t i = 0; i < length; i++)
		sum = (sum ^ (unsigned char)name[i]) * 0x100000001b3u;
	return (uint32_t)(sum >> 32);
}

/* Room within one chunk, and its number; NULL when there is none. */
static struct text *take(size_t size, uint32_t *number)
{
	uint32_t from = used;
	char *chunk;

	size = (size + UNIT - 1) / UNIT * UNIT;
	if (from % CHUNK + size > CHUNK)
		from = (from / CHUNK + 1) * CHUNK;
	if (from / CHUNK >= CHUNKS)
		return NULL;
	chunk = atomic_load_explicit(&chunks[from / CHUNK], memory_order_relaxed);
	if (!chunk)
		chunk = cuaudit_pages(CHUNK);
	if (!chunk)
		return NULL;
	atomic_store_explicit(&chunks[from / CHUNK], chunk, memory_order_release);
	used = from + (uint32_t)size;
	*number = from / UNIT;
	return (void *)(chunk + from % CHUNK);
}

/* The same as the name, or as much of it as is kept. */
static bool is(const struct text *text, const char *name, size_t length, bool whole)
{
	return !strncmp(text->bytes, name, length) && (whole ? !text->bytes[length] :
						       !strcmp(text->bytes + length, "..."));
}

uint32_t kernel_text_number(const char *name)
{
	size_t length = strnlen(name, KERNEL_TEXT_MOST + 1);
	bool whole = length <= KERNEL_TEXT_MOST;
	struct text *text;
	uint32_t sum, number;

	if (!whole)
		length = KERNEL_TEXT_MOST - strlen("...");
	sum = hash(name, length);
	for (number = heads[sum % HEADS]; number; number = at(number)->next)
		if (at(number)->hash == sum && is(at(number), name, length, whole))
			return number;
	text = take(sizeof(*text) + length + sizeof("..."), &number);
	if (!text)
		return 0;
	text->hash = sum;
	text->next = heads[sum % HEADS];
	memcpy(text->bytes, name, length);
	strcpy(text->bytes + length, whole ? "" : "...");
	heads[sum % HEADS] = number;
	return number;
}
