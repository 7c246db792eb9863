/* SPDX-License-Identifier: Apache-2.0 */
/* The names that the program gave to domains, categories, texts and resources. */
#include "hooks/range_name.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "hooks/lock.h"
#include "hooks/range_loss.h"
#include "hooks/range_read.h"

enum {
	NAMES = 1 << 16,
	BUCKETS = 1 << 16,	/* a power of two */
	TEXTS = 1 << 18		/* bytes of texts that are taken at once */
};

struct entry {
	struct cuaudit_range_name name;
	uint32_t hash;
	uint32_t next;		/* of the same bucket, + 1; 0: none */
};

/* Appended to alone, and so read without a lock; pages that nobody wrote to take no memory. */
static struct entry entries[NAMES];
static _Atomic uint32_t count;
static uint32_t buckets[BUCKETS];	/* index + 1 of the newest */
static uint32_t domains;
static char *texts;			/* zeros from here on: what is copied has its end */
static size_t left;

static bool is_text(uint32_t kind)
{
	return kind == CUAUDIT_RANGE_DOMAIN || kind == CUAUDIT_RANGE_STRING;
}

/* By text of what is found by it, else by id. */
static uint32_t hash_of(const struct cuaudit_range_name *name, size_t length)
{
	uint64_t hash = (name->kind * 0x9e3779b97f4a7c15u + name->id) * 0xff51afd7ed558ccdu;

	if (name->kind != CUAUDIT_RANGE_DOMAIN)
		hash ^= name->domain;
	for (size_t i = 0; is_text(name->kind) && i < length; i++)
		hash = (hash ^ (unsigned char)name->text[i]) * 0x100000001b3u;
	return (uint32_t)(hash ^ hash >> 32);
}

static bool is_equal(const struct cuaudit_range_name *a, const struct cuaudit_range_name *b,
		     size_t length)
{
	return !strncmp(a->text, b->text, length) && !a->text[length];
}

/*
 * A domain or text of that name, else the newest name of the same thing if it is that
 * one; NAMES: there is none. Many programs register the same again and again.
 */
static uint32_t find(const struct cuaudit_range_name *wanted, uint32_t hash, size_t length)
{
	for (uint32_t at = buckets[hash % BUCKETS]; at; at = entries[at - 1].next) {
		const struct cuaudit_range_name *name = &entries[at - 1].name;

		if (entries[at - 1].hash != hash || name->kind != wanted->kind ||
		    name->id != wanted->id ||
		    (name->domain != wanted->domain && wanted->kind != CUAUDIT_RANGE_DOMAIN))
			continue;
		if (is_equal(name, wanted, length))
			return at - 1;
		if (!is_text(wanted->kind))
			break;
	}
	return NAMES;
}

static const char *keep(const char *text, size_t length)
{
	char *copy;

	if (left < length + 1) {
		texts = cuaudit_pages(TEXTS);
		left = texts ? TEXTS : 0;
		if (!texts)
			return NULL;
	}
	copy = texts;
	memcpy(copy, text, length);
	texts += length + 1;
	left -= length + 1;
	return copy;
}

static uint32_t append(struct cuaudit_range_name name, uint32_t hash, size_t length)
{
	uint32_t at = atomic_load_explicit(&count, memory_order_relaxed);

	if (at == NAMES)
		return CUAUDIT_RANGE_NO_DOMAIN;
	name.text = keep(name.text, length);
	if (!name.text)
		return CUAUDIT_RANGE_NO_DOMAIN;
	if (name.kind == CUAUDIT_RANGE_DOMAIN)
		name.domain = ++domains;
	entries[at] = (struct entry){ name, hash, buckets[hash % BUCKETS] };
	buckets[hash % BUCKETS] = at + 1;
	/* Pairs with cuaudit_range_name_at. */
	atomic_store_explicit(&count, at + 1, memory_order_release);
	return at;
}

uint32_t range_name_give(uint32_t kind, uint32_t domain, uint64_t id, const char *text)
{
	struct cuaudit_range_name name = {
		.id = id, .text = text ? text : "", .domain = domain, .kind = kind,
	};
	/* A text has one byte more than a range keeps, by which that is known for cut. */
	size_t length = range_text_length(name.text, CUAUDIT_RANGE_TEXT - (kind != CUAUDIT_RANGE_STRING));
	uint32_t hash, at;
	sigset_t saved;

	if (length == SIZE_MAX) {
		name.text = RANGE_UNREADABLE;
		length = strlen(name.text);
	}
	hash = hash_of(&name, length);
	lock_take(LOCK_RANGES, &saved);
	at = find(&name, hash, length);
	if (at == NAMES)
		at = append(name, hash, length);
	lock_release(LOCK_RANGES, &saved);
	if (at == CUAUDIT_RANGE_NO_DOMAIN)
		range_lose(CUAUDIT_RANGE_LOST_NAMES);
	return at;
}

const struct cuaudit_range_name *cuaudit_range_name_at(uint32_t index)
{
	/* Pairs with append. */
	return index < atomic_load_explicit(&count, memory_order_acquire) ? &entries[index].name :
									    NULL;
}
