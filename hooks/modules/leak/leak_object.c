/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of the driver, from their allocation until some time after they are freed. */
#include "hooks/modules/leak/leak_object.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <cuaudit/hook.h>

#include "hooks/modules/leak/leak_range.h"
#include "util/signals.h"

enum {
	BUCKETS = 1 << 16,
	CHUNK = 256,		/* objects taken at once */
	DEAD_MAX = 1 << 14	/* dead ones that are remembered */
};

struct chunk {
	struct chunk *next;
	struct leak_object objects[CHUNK];
};

struct leak_counts leak_counts;
static _Atomic uint64_t device_bytes;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct leak_link *buckets;
static struct chunk *first_chunk, *last_chunk;
static struct leak_object *free_objects;
static struct leak_object *oldest_dead, *newest_dead;
static uint32_t ndead;
static _Atomic uint64_t frees;
static _Atomic uint64_t known_from[LEAK_SPACES];	/* what was freed before is forgotten */

int leak_object_setup(void)
{
	buckets = cuaudit_pages(BUCKETS * sizeof(*buckets));
	return buckets ? 0 : -ENOMEM;
}

void leak_lock(sigset_t *saved)
{
	signals_block(saved);
	pthread_mutex_lock(&lock);
}

void leak_unlock(const sigset_t *saved)
{
	pthread_mutex_unlock(&lock);
	signals_restore(saved);
}

static struct leak_link *bucket(enum leak_space space, uint64_t handle)
{
	uint64_t mixed = (handle + space) * 0x9e3779b97f4a7c15u;

	return &buckets[mixed >> 48 & (BUCKETS - 1)];
}

static enum leak_space space_of(const struct leak_object *object)
{
	return atomic_load_explicit(&object->tag, memory_order_relaxed) / 8;
}

static enum leak_state state_of(const struct leak_object *object)
{
	return atomic_load_explicit(&object->tag, memory_order_relaxed) % 8;
}

enum leak_state leak_state_of(const struct leak_object *object)
{
	return state_of(object);
}

static void set_state(struct leak_object *object, enum leak_state state)
{
	/* Pairs with leak_state. */
	atomic_store_explicit(&object->tag, space_of(object) * 8 + state, memory_order_release);
}

static struct leak_object *find_hashed(enum leak_space space, uint64_t handle)
{
	struct leak_object *at;

	/* Pairs with hash. */
	at = atomic_load_explicit(&bucket(space, handle)->to, memory_order_acquire);
	while (at && (atomic_load_explicit(&at->handle, memory_order_relaxed) != handle ||
		      space_of(at) != space || state_of(at) == LEAK_UNKNOWN))
		at = atomic_load_explicit(&at->next.to, memory_order_acquire);
	return at;
}

enum leak_state leak_state(enum leak_space space, uint64_t handle)
{
	struct leak_object *found;

	if (space == LEAK_MEMORY)
		return leak_range_tag(handle) % 8;
	found = find_hashed(space, handle);
	return found ? state_of(found) : LEAK_UNKNOWN;
}

uint64_t leak_context_of(enum leak_space space, uint64_t handle)
{
	const struct leak_object *found = find_hashed(space, handle);

	return found ? atomic_load_explicit(&found->context, memory_order_relaxed) : 0;
}

struct leak_object *leak_find(enum leak_space space, uint64_t handle)
{
	struct leak_object *found = space == LEAK_MEMORY ?
		leak_range_find(handle, handle + 1) : find_hashed(space, handle);

	if (found && state_of(found) == LEAK_DEAD && found->freed_at < known_from[space])
		return NULL;
	return found;
}

struct leak_object *leak_find_mapping(uint64_t start, uint64_t end)
{
	while (start < end) {
		struct leak_object *found = leak_range_find(start, end);
		struct leak_object *lower;

		if (!found)
			return NULL;
		while ((lower = leak_range_find(start, atomic_load(&found->handle))))
			found = lower;
		if (found->kind == LEAK_KIND_MAPPING && state_of(found) == LEAK_LIVE)
			return found;
		start = atomic_load(&found->end);
	}
	return NULL;
}

static bool holds(const struct leak_object *object, uint64_t address)
{
	enum leak_space space = space_of(object);

	return (space == LEAK_HOST || space == LEAK_RESERVED) && object->size != LEAK_UNSIZED &&
	       address - object->handle < object->size;
}

struct leak_object *leak_find_address(uint64_t address)
{
	struct leak_object *found = leak_find(LEAK_MEMORY, address), *at = NULL;

	while (!found && (at = leak_next(at)))
		if (holds(at, address))
			found = at;
	for (at = oldest_dead; !found && at; at = at->queue)
		if (state_of(at) == LEAK_DEAD && holds(at, address))
			found = at;
	return found;
}

struct leak_object *leak_find_primary(int32_t device)
{
	struct leak_object *at = NULL;

	while ((at = leak_next(at)))
		if (at->kind == LEAK_KIND_PRIMARY && at->device == device)
			return at;
	return NULL;
}

static void hash(struct leak_object *object)
{
	struct leak_link *at = bucket(space_of(object), object->handle);

	atomic_store_explicit(&object->next.to, atomic_load_explicit(&at->to, memory_order_relaxed),
			      memory_order_relaxed);
	/* Pairs with find_hashed. */
	atomic_store_explicit(&at->to, object, memory_order_release);
}

static void unhash(struct leak_object *object)
{
	struct leak_link *at = bucket(space_of(object), object->handle);
	struct leak_object *here;

	while ((here = atomic_load_explicit(&at->to, memory_order_relaxed)) && here != object)
		at = &here->next;
	if (here)
		atomic_store_explicit(&at->to,
				      atomic_load_explicit(&object->next.to, memory_order_relaxed),
				      memory_order_release);
}

/* No handle leads to it any more. */
static void hide(struct leak_object *object)
{
	if (space_of(object) == LEAK_MEMORY)
		leak_range_remove(object);
	else
		unhash(object);
}

static void recycle(struct leak_object *object)
{
	set_state(object, LEAK_UNKNOWN);
	object->queue = free_objects;
	free_objects = object;
}

static int add_chunk(void)
{
	struct chunk *chunk = cuaudit_pages(sizeof(*chunk));

	if (!chunk)
		return -ENOMEM;
	if (last_chunk)
		last_chunk->next = chunk;
	else
		first_chunk = chunk;
	last_chunk = chunk;
	for (int i = CHUNK; i-- > 0;) {
		chunk->objects[i].queue = free_objects;
		free_objects = &chunk->objects[i];
	}
	return 0;
}

static struct leak_object *take_free(void)
{
	struct leak_object *object;

	if (!free_objects && add_chunk())
		return NULL;
	object = free_objects;
	free_objects = object->queue;
	return object;
}

static void adopt(struct leak_object *object, struct leak_object *parent)
{
	object->parent = parent;
	object->child = object->younger = object->older = NULL;
	if (!parent)
		return;
	object->older = parent->child;
	if (parent->child)
		parent->child->younger = object;
	parent->child = object;
}

static void orphan(struct leak_object *object)
{
	if (object->younger)
		object->younger->older = object->older;
	else if (object->parent)
		object->parent->child = object->older;
	if (object->older)
		object->older->younger = object->younger;
	object->parent = object->older = object->younger = NULL;
}

/* Remembers a dead one, and forgets the one that is dead for longest. */
static void reap(struct leak_object *object)
{
	object->queue = NULL;
	if (newest_dead)
		newest_dead->queue = object;
	else
		oldest_dead = object;
	newest_dead = object;
	if (++ndead <= DEAD_MAX)
		return;
	object = oldest_dead;
	oldest_dead = object->queue;
	ndead--;
	if (state_of(object) == LEAK_DEAD)
		hide(object);
	recycle(object);
}

static const bool on_device[LEAK_KINDS] = {
#define ARRAYS true
#define DEVICE true
#define HOST false
#define MANAGED true
#define PHYSICAL true
#define POOL true
#define UNCOUNTED false
#define KIND(name, text, space, memory) [LEAK_KIND_##name] = memory,
#include "tables/facts.def"
#undef ARRAYS
#undef DEVICE
#undef HOST
#undef MANAGED
#undef PHYSICAL
#undef POOL
#undef UNCOUNTED
};

uint64_t leak_device_bytes(void)
{
	return atomic_load_explicit(&device_bytes, memory_order_relaxed);
}

static uint64_t bytes_of(const struct leak_object *object)
{
	return on_device[object->kind] && object->size != LEAK_UNSIZED ? object->size : 0;
}

uint64_t leak_device_size(uint64_t handle)
{
	struct leak_object *object = NULL;
	uint64_t size = 0;
	sigset_t saved;

	leak_lock(&saved);
	for (int space = 0; space < LEAK_SPACES && !size; space++) {
		const struct leak_object *found = leak_find((enum leak_space)space, handle);

		if (found && found->handle == handle && leak_state_of(found) == LEAK_LIVE)
			size = found->held;
	}
	/* Its handle was released, and it is mapped. */
	while (!size && (object = leak_next(object)))
		if (object->origin == handle)
			size = object->held;
	leak_unlock(&saved);
	return size;
}

void leak_share(struct leak_object *object, struct leak_object *with)
{
	if (object == with || object->sharer != object)
		return;
	object->sharer = with->sharer;
	with->sharer = object;
}

/* To the next of its ring, which is left; false: there is none. */
static bool hand_on(struct leak_object *object)
{
	struct leak_object *next = object->sharer, *before = next;

	if (next == object)
		return false;
	while (before->sharer != object)
		before = before->sharer;
	before->sharer = next;
	object->sharer = object;
	if (object->held) {
		next->held += object->held;
		next->origin = object->origin;
	}
	return true;
}

static void count_freed(struct leak_object *object)
{
	if (object->owned)
		return;
	leak_counts.freed++;
	if (!hand_on(object))
		atomic_fetch_sub_explicit(&device_bytes, object->held, memory_order_relaxed);
	object->held = 0;
}

static void end_one(struct leak_object *object, const struct leak_site *site, uint8_t with)
{
	object->freed = *site;
	object->died_with = with;
	object->freed_at = ++frees;
	orphan(object);
	count_freed(object);
	if (state_of(object) == LEAK_REPLACED) {
		recycle(object);
		return;
	}
	set_state(object, LEAK_DEAD);
	reap(object);
	/* Others may hold claims of their own: what is gone for one is none of our business. */
	if (object->kind == LEAK_KIND_USER_OBJECT)
		leak_forget(LEAK_USER_OBJECT, object->handle);
}

/* One that another call is taking goes too: its leak_took finds it dead, and does nothing. */
static void end_children(struct leak_object *object, const struct leak_site *site, uint8_t with)
{
	while (object->child) {
		struct leak_object *child = object->child;

		end_children(child, site, with);
		if (state_of(child) == LEAK_REPLACED)
			orphan(child);
		else
			end_one(child, site, with);
	}
}

void leak_end(struct leak_object *object, const struct leak_site *site, int children_only)
{
	end_children(object, site, (uint8_t)(object->kind + 1));
	if (!children_only)
		end_one(object, site, 0);
}

void leak_take(struct leak_object *object, uint32_t claims)
{
	object->claims -= claims;
	if (!object->claims)
		set_state(object, LEAK_DYING);
}

void leak_took(struct leak_object *object, const struct leak_site *site, int done,
	       uint32_t claims)
{
	enum leak_state state = state_of(object);

	if (state == LEAK_REPLACED || (state == LEAK_DYING && done)) {
		leak_end(object, site, 0);
	} else if (state == LEAK_DYING) {
		object->claims += claims;
		set_state(object, LEAK_LIVE);
	} else if (state == LEAK_LIVE && !done) {
		object->claims += claims;
	}
}

/* Out of the way of a new life by the same handle. Its parent may be about to take it along. */
static void replace(struct leak_object *old, const struct leak_site *site)
{
	enum leak_state state = state_of(old);

	hide(old);
	if (state == LEAK_DEAD) {
		/* It stays among the dead until its turn, unseen. */
		set_state(old, LEAK_UNKNOWN);
		return;
	}
	if (state == LEAK_DYING) {
		set_state(old, LEAK_REPLACED);
		return;
	}
	count_freed(old);
	if (!old->parent || state_of(old->parent) == LEAK_LIVE)
		leak_counts.unseen++;
	end_children(old, site, (uint8_t)(old->kind + 1));
	orphan(old);
	recycle(old);
}

static uint64_t end_of_memory(const struct leak_allocation *allocation)
{
	uint64_t size = allocation->size && allocation->size != LEAK_UNSIZED ? allocation->size : 1;

	return allocation->handle + size > allocation->handle ? allocation->handle + size : UINT64_MAX;
}

static struct leak_object *make(const struct leak_allocation *allocation)
{
	struct leak_object *object = take_free();

	if (!object) {
		leak_counts.lost++;
		return NULL;
	}
	/* Readers may still stand on it: word by word, what they look at in order. */
	atomic_store_explicit(&object->handle, allocation->handle, memory_order_relaxed);
	atomic_store_explicit(&object->end, end_of_memory(allocation), memory_order_relaxed);
	object->kind = allocation->kind;
	object->owned = allocation->again == LEAK_OWNED;
	object->died_with = 0;
	object->size = allocation->size;
	object->sharer = object;
	object->held = object->owned || !allocation->counted ? 0 : bytes_of(object);
	object->origin = allocation->handle;
	atomic_store_explicit(&object->context, allocation->context, memory_order_relaxed);
	object->claims = allocation->claims;
	object->device = allocation->device;
	object->allocated = allocation->site;
	adopt(object, allocation->parent);
	atomic_store_explicit(&object->tag, leak_kind_space(allocation->kind) * 8 + LEAK_LIVE,
			      memory_order_release);
	return object;
}

/* A context was current before it was seen being given: what it has by now stays its own. */
static struct leak_object *claim_owned(struct leak_object *object, const struct leak_allocation *allocation)
{
	object->kind = allocation->kind;
	object->owned = 0;
	object->claims = allocation->claims;
	object->device = allocation->device;
	object->allocated = allocation->site;
	leak_counts.allocated++;
	return object;
}

struct leak_object *leak_allocated(const struct leak_allocation *allocation)
{
	enum leak_space space = leak_kind_space(allocation->kind);
	uint64_t end = space == LEAK_MEMORY ? end_of_memory(allocation) : allocation->handle + 1;
	struct leak_object *old = leak_find(space, allocation->handle);

	if (old && old->handle == allocation->handle && state_of(old) == LEAK_LIVE) {
		if (allocation->again == LEAK_COUNT && old->owned)
			return claim_owned(old, allocation);
		if (allocation->again == LEAK_COUNT && old->kind == allocation->kind) {
			old->claims += allocation->claims;
			return old;
		}
		if (allocation->again == LEAK_OWNED ||
		    (allocation->again == LEAK_SAME && old->kind == allocation->kind))
			return old;
	}
	while ((old = space == LEAK_MEMORY ? leak_range_find(allocation->handle, end) :
		      find_hashed(space, allocation->handle)))
		replace(old, &allocation->site);
	old = make(allocation);
	if (!old)
		return NULL;
	if (!old->owned) {
		leak_counts.allocated++;
		atomic_fetch_add_explicit(&device_bytes, old->held, memory_order_relaxed);
	}
	if (space == LEAK_MEMORY)
		leak_range_add(old);
	else
		hash(old);
	return old;
}

void leak_forget(enum leak_space space, uint64_t handle)
{
	struct leak_object *old = leak_find(space, handle);

	if (old && state_of(old) == LEAK_DEAD)
		replace(old, &old->freed);
}

void leak_forget_all(enum leak_space space)
{
	uint64_t next = atomic_load_explicit(&frees, memory_order_relaxed) + 1;

	if (atomic_load_explicit(&known_from[space], memory_order_relaxed) != next)
		atomic_store_explicit(&known_from[space], next, memory_order_relaxed);
}

static struct leak_object *step(struct leak_object *after)
{
	struct chunk *chunk = first_chunk;

	if (!after)
		return chunk ? &chunk->objects[0] : NULL;
	while (after < chunk->objects || after >= chunk->objects + CHUNK)
		chunk = chunk->next;
	if (++after < chunk->objects + CHUNK)
		return after;
	return chunk->next ? chunk->next->objects : NULL;
}

struct leak_object *leak_next(struct leak_object *after)
{
	while ((after = step(after)))
		if (state_of(after) == LEAK_LIVE && !after->owned)
			break;
	return after;
}

void leak_object_forked(void)
{
	pthread_mutex_init(&lock, NULL);
	for (int i = 0; first_chunk && i < BUCKETS; i++)
		atomic_store_explicit(&buckets[i].to, NULL, memory_order_relaxed);
	first_chunk = last_chunk = NULL;
	free_objects = oldest_dead = newest_dead = NULL;
	ndead = 0;
	memset(&leak_counts, 0, sizeof(leak_counts));
	device_bytes = 0;
	leak_range_forked();
}
