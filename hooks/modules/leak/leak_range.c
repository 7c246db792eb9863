/* SPDX-License-Identifier: Apache-2.0 */
/* Memory by address: ranges that do not overlap, in a treap. */
#include "hooks/modules/leak/leak_range.h"

enum { TRIES = 8, DEPTH = 128 };

static struct leak_link root;

/* Odd while the treap is being changed; a reader that saw it change begins anew. */
static _Atomic uint32_t sequence;

static struct leak_object *get(const struct leak_link *at)
{
	return atomic_load_explicit(&at->to, memory_order_relaxed);
}

static void set(struct leak_link *at, struct leak_object *object)
{
	atomic_store_explicit(&at->to, object, memory_order_relaxed);
}

static uint64_t start_of(const struct leak_object *object)
{
	return atomic_load_explicit(&object->handle, memory_order_relaxed);
}

static uint64_t end_of(const struct leak_object *object)
{
	return atomic_load_explicit(&object->end, memory_order_relaxed);
}

static void begin_change(void)
{
	atomic_store_explicit(&sequence, sequence + 1, memory_order_relaxed);
	/* Pairs with the fence of leak_range_see. */
	atomic_thread_fence(memory_order_release);
}

static void end_change(void)
{
	/* Pairs with the first load of leak_range_see. */
	atomic_store_explicit(&sequence, sequence + 1, memory_order_release);
}

struct leak_object *leak_range_find(uint64_t start, uint64_t end)
{
	struct leak_object *at = get(&root);

	for (int depth = 0; at && depth < DEPTH; depth++) {
		if (end <= start_of(at))
			at = get(&at->left);
		else if (start >= end_of(at))
			at = get(&at->right);
		else
			return at;
	}
	return NULL;
}

bool leak_range_see(uint64_t start, uint64_t end, struct leak_seen *seen)
{
	for (int tries = 0; tries < TRIES; tries++) {
		uint32_t before = atomic_load_explicit(&sequence, memory_order_acquire);
		struct leak_object *found;

		if (before % 2)
			continue;
		found = leak_range_find(start, end);
		*seen = (struct leak_seen){ .tag = 0 };
		if (found) {
			seen->tag = atomic_load_explicit(&found->tag, memory_order_relaxed);
			seen->kind = __atomic_load_n(&found->kind, __ATOMIC_RELAXED);
		}
		atomic_thread_fence(memory_order_acquire);
		if (atomic_load_explicit(&sequence, memory_order_relaxed) == before)
			return true;
	}
	return false;
}

uint32_t leak_range_tag(uint64_t address)
{
	struct leak_seen seen;

	/* Always changing: let the caller look under the lock. */
	return leak_range_see(address, address + 1, &seen) ? seen.tag :
							       LEAK_MEMORY * 8 + LEAK_DEAD;
}

void leak_range_add(struct leak_object *object)
{
	uint64_t start = start_of(object);
	struct leak_object *below;
	struct leak_link *at = &root, *left = &object->left, *right = &object->right;

	/* Any order of priorities keeps it flat that has nothing to do with the addresses'. */
	object->priority = (uint32_t)((start >> 4) * 0x9e3779b97f4a7c15u >> 32);
	begin_change();
	while ((below = get(at)) && below->priority > object->priority)
		at = start < start_of(below) ? &below->left : &below->right;
	set(at, object);
	while (below) {
		if (start_of(below) < start) {
			set(left, below);
			left = &below->right;
			below = get(left);
		} else {
			set(right, below);
			right = &below->left;
			below = get(right);
		}
	}
	set(left, NULL);
	set(right, NULL);
	end_change();
}

void leak_range_remove(struct leak_object *object)
{
	uint64_t start = start_of(object);
	struct leak_object *below, *lower = get(&object->left), *higher = get(&object->right);
	struct leak_link *at = &root;

	while ((below = get(at)) && below != object)
		at = start < start_of(below) ? &below->left : &below->right;
	if (!below)
		return;
	begin_change();
	while (lower && higher) {
		if (lower->priority > higher->priority) {
			set(at, lower);
			at = &lower->right;
			lower = get(at);
		} else {
			set(at, higher);
			at = &higher->left;
			higher = get(at);
		}
	}
	set(at, lower ? lower : higher);
	end_change();
}

void leak_range_forked(void)
{
	set(&root, NULL);
	atomic_store_explicit(&sequence, 0, memory_order_relaxed);
}
