/* SPDX-License-Identifier: Apache-2.0 */
/* The objects of the driver, from their allocation until some time after they are freed. */
#ifndef HOOKS_MODULES_LEAK_LEAK_OBJECT_H
#define HOOKS_MODULES_LEAK_LEAK_OBJECT_H

#include <signal.h>
#include <stdatomic.h>

#include <cuaudit/call.h>

#include "hooks/modules/leak/leak_rule.h"

/* What a handle is. */
enum leak_state {
	LEAK_UNKNOWN,
	LEAK_LIVE,
	LEAK_DYING,	/* the call that takes it has not come back */
	LEAK_REPLACED,	/* the same, and its handle has come back already */
	LEAK_DEAD
};

/* A call that made or ended something. */
struct leak_site {
	const struct cuaudit_function *function;
	const void *caller;
	const struct cuaudit_library *library;
	const char *python;	/* see leak_python.h */
};

struct leak_link {
	_Atomic(struct leak_object *) to;
};

/* Memory of objects only ever serves objects: readers without the lock may meet a reused one. */
struct leak_object {
	_Atomic uint64_t handle;
	_Atomic uint32_t tag;		/* space * 8 + state */
	uint8_t kind;
	uint8_t owned;			/* nobody's to give back */
	uint8_t died_with;		/* 1 + the kind whose end took it along, 0: none */
	uint32_t priority;		/* see leak_range.c */
	_Atomic uint64_t end;		/* of memory: just past it */
	struct leak_link next;		/* of the same bucket */
	struct leak_link left, right;	/* of memory: lower and higher addresses */
	struct leak_object *parent, *child, *older, *younger;
	struct leak_object *queue;	/* free ones, dead ones */
	struct leak_object *chain;	/* those one call unmaps */
	struct leak_object *sharer;	/* a ring of what has the same memory: the object alone, if nothing else does */
	uint64_t size;
	uint64_t held;			/* bytes of the device that its end frees, if it is the last of the ring */
	uint64_t origin;		/* the handle by which they were allocated */
	_Atomic uint64_t context;	/* the handle, 0: of none, or not known */
	uint64_t freed_at;		/* the number of this free */
	uint32_t claims;
	int32_t device;			/* of a primary context */
	struct leak_site allocated, freed;
};

struct leak_allocation {
	uint64_t handle, size, context;
	uint32_t claims;
	int32_t device;
	uint8_t kind;
	uint8_t again;
	bool counted;		/* its size is of memory of a device */
	struct leak_object *parent;
	struct leak_site site;
};

struct leak_counts {
	uint64_t allocated, freed;	/* of those that are somebody's to give back */
	uint64_t unseen;	/* ends not seen: the handle came back */
	uint64_t lost;		/* allocations there was no memory for */
};

/* Context: setup. 0 or -ENOMEM. */
int leak_object_setup(void);

/* Context: call, in the child of fork: nothing is there any more. */
void leak_object_forked(void);

/*
 * Context: call. One lock for all changes. Signals are blocked while it is
 * held, so no handler finds it taken by its own thread.
 */
void leak_lock(sigset_t *saved);
void leak_unlock(const sigset_t *saved);

/* Context: call, no lock. Of LEAK_DEAD, leak_find has to be asked again. */
enum leak_state leak_state(enum leak_space space, uint64_t handle);

/* Context: call, no lock. The context it belongs to; what matters has to be looked up again. */
uint64_t leak_context_of(enum leak_space space, uint64_t handle);

/* Context: call, no lock. Whatever is dead in the space may be somebody else's by now. */
void leak_forget_all(enum leak_space space);

/* All below: context call, locked. */

enum leak_state leak_state_of(const struct leak_object *object);

/* The object of a handle, or that an address is in; NULL if unknown. */
struct leak_object *leak_find(enum leak_space space, uint64_t handle);

/* The object of memory, the host's too, that an address is in, alive or freed; NULL if unknown. */
struct leak_object *leak_find_address(uint64_t address);

/* The first living mapping in [start, end), or NULL. */
struct leak_object *leak_find_mapping(uint64_t start, uint64_t end);

/* The primary context of a device, or NULL. */
struct leak_object *leak_find_primary(int32_t device);

/* NULL when memory is out, and counted. */
struct leak_object *leak_allocated(const struct leak_allocation *allocation);

/* A living object has the memory of another one, which lives as long as one of them. */
void leak_share(struct leak_object *object, struct leak_object *with);

/*
 * Claims of a living object are given back. If these were the last it is
 * LEAK_DYING until leak_took, with the same number, says whether it was done.
 */
void leak_take(struct leak_object *object, uint32_t claims);
void leak_took(struct leak_object *object, const struct leak_site *site, int done,
	       uint32_t claims);

/* Ends an object, or with children_only what it has, and all that belongs to these. */
void leak_end(struct leak_object *object, const struct leak_site *site, int children_only);

/* What is dead by this handle may be somebody else's by now. */
void leak_forget(enum leak_space space, uint64_t handle);

/* The next object after one (NULL: the first) that lives and is somebody's to give back. */
struct leak_object *leak_next(struct leak_object *after);

extern struct leak_counts leak_counts;

/* Context: call, no lock. Bytes of the device's memory and arrays that live, as far as sizes are known. */
uint64_t leak_device_bytes(void);

/* Context: call. Bytes that are left of what was allocated by that handle; 0: there is none. */
uint64_t leak_device_size(uint64_t handle);

/* Context: setup (init). Follows objects, not what uses them, for whoever wants to know. 0 or -errno. */
int leak_track(void);

/* Context: call, in the child of fork. */
void leak_track_forked(void);

#endif
