/* SPDX-License-Identifier: Apache-2.0 */
/* The table the auditor shares with the core: its only meeting point. */
#ifndef INCLUDE_INTERNAL_LINK_H
#define INCLUDE_INTERNAL_LINK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Raised with every change of a structure below; the core refuses another. */
#define LINK_VERSION 17

enum {
	LINK_SLOTS = 16384,
	LINK_DRIVERS = 64,
	LINK_PROVIDERS = 64,	/* libraries of CUAUDIT_PROVIDERS, numbered behind the drivers */
	LINK_CHUNK = 256,	/* objects a chunk */
	LINK_CHUNKS = 256,
	LINK_BINDINGS = 16384,	/* a power of two */
	LINK_BINDING_TRIES = 64,	/* entries in which one may be */
	LINK_ESCAPES = 64
};

/* Functions of the C library, whose slots are one behind the other. */
enum {
#define LIBC_FUNCTION(name, how) LINK_LIBC_##name,
#include <internal/libc_functions.def>
#undef LIBC_FUNCTION
	LINK_LIBC_FUNCTIONS
};

/* One stub. Written by the auditor under the loader's lock. */
struct link_slot {
	_Atomic(void *) real;		/* the driver's function; NULL: one of the C library that nobody bound */
	/* name@VERSION where that is not the default; a provider's: LIBRARY:name */
	const char *name;
	uint32_t driver;
	_Atomic uint32_t plt;		/* bindings by route */
	_Atomic uint32_t dlsym;
	_Atomic uint32_t relocation;
};

enum link_object_flags {
	LINK_OBJECT_DRIVER = 1,
	LINK_OBJECT_DRIVER_PRIVATE = 2,	/* a library of the driver's own */
	LINK_OBJECT_CORE = 4,
	LINK_OBJECT_EXCLUDED = 8,	/* by CUAUDIT_INCLUDE, CUAUDIT_EXCLUDE */
	LINK_OBJECT_MAIN = 16,
	LINK_OBJECT_LIBC = 32,	/* CUAUDIT_LIBC or dbgmem names it, see audit/libc.h */
	LINK_OBJECT_PROVIDER = 64	/* one of CUAUDIT_PROVIDERS; its functions have slots as they are bound */
};

/*
 * An object the loader reported. Records are never freed; one is used again
 * only for the same path. lo == hi: closed, or its extent is unknown. Other
 * threads read the extent by link_extent.
 */
struct link_object {
	_Atomic uintptr_t lo, hi;	/* its segments lie in [lo, hi) */
	_Atomic uint32_t changes;	/* odd while the extent is changed */
	uint32_t index;
	const char *path;
	const char *name;
	uint32_t flags;
	/* the auditor's own */
	uint32_t hash;			/* of path */
	struct link_object *next;	/* of the same bucket */
	struct object_detail *detail;
};

/*
 * A further name of a slot: one function of a driver may have several. Never
 * freed; slot changes when another file of the driver's path has it elsewhere.
 */
struct link_alias {
	const char *name;
	_Atomic uint32_t slot;
	struct link_alias *next;
};

/* An exported function by address, sorted by it. */
struct link_export {
	uintptr_t address;
	uint32_t slot;
};

/* How an object came by a function; the first four are enum cuaudit_route. */
enum link_route {
	LINK_PLT,
	LINK_DLSYM,
	LINK_RELOCATION,
	LINK_PROCADDR,
	LINK_REAL = 4	/* added: it was given the driver's own address */
};

/*
 * That one object bound one function by one route, and how often. key: 0 for
 * none, else 1 + the route + 8 * the slot, and the object's index above bit 32.
 */
struct link_binding {
	_Atomic uint64_t key;
	_Atomic uint32_t count;
};

/* What the auditor could not route: see enum cuaudit_escape_kind. */
struct link_escape {
	const char *name;
	uint32_t kind;
	uint32_t object;		/* whose, index + 1; 0: of none */
	_Atomic uint32_t count;
};

/* A copy of the driver, or a provider; the record outlives dlclose and serves the next open. */
struct link_driver {
	const char *path;
	const char *name;		/* a provider's, by its SONAME: what its functions' names begin with */
	struct link_export *exports;
	_Atomic uint32_t nexports;
	uint32_t nfunctions;		/* exported functions seen */
	uint32_t without_slot;		/* of them, without a slot */
	_Atomic uint32_t live;
};

struct range_ops;

/* How assembly asks which vector registers are in use, see KEEP_WIDE of internal/asm.h; what to xgetbv, + 1. */
enum link_wide {
	LINK_WIDE_NONE,		/* none is kept */
	LINK_WIDE_ENABLED,	/* all that the system has enabled */
	LINK_WIDE_IN_USE	/* of these, what is not in its initial state */
};

/* The environment as read at start; values are copies. */
struct link_environment {
#define VARIABLE(name, field, kind, fallback, values, summary) const char *field;
#include <cuaudit/variables.def>
#undef VARIABLE
	const char *directory;	/* where the program was started; "": that has no path */
	uint32_t given;		/* bit n: the n-th variable of the table is set */
};

struct link_table {
	uint32_t version;
	uint32_t size;			/* sizeof(struct link_table) */

	/* auditor to core */
	struct link_slot *slots;
	struct link_alias *_Atomic aliases;	/* release, like nslots */
	struct link_alias *_Atomic unfit;	/* names of functions that were bound and have no slot: a number each */
	_Atomic uint32_t nslots;	/* release: slots below it are whole */
	_Atomic uint32_t generation;	/* changes with every object that comes or goes */
	_Atomic(void *) *routes;	/* where stub k jumps to */
	const char *stubs;		/* stub k at stubs + k * stub_size */
	uint32_t stub_size;
	_Atomic uint32_t ndrivers;
	_Atomic uint32_t nproviders;
	struct link_driver drivers[LINK_DRIVERS + LINK_PROVIDERS];
	_Atomic(struct link_object *) chunks[LINK_CHUNKS];
	_Atomic uint32_t live[LINK_CHUNKS];	/* objects of a chunk that are open */
	_Atomic uint32_t nobjects;
	struct link_escape escapes[LINK_ESCAPES];
	_Atomic uint32_t nescapes;	/* release, like nslots */
	struct link_binding *bindings;	/* hashed by key; also filled by the core */
	_Atomic uint32_t lost_bindings;
	struct link_environment environment;
	char **envp;			/* of the process's start, ended by NULL */
	void *read_clock;		/* libc's own clock_gettime, whatever the program binds; NULL: none */
	bool (*stderr_usable)(void);		/* whether descriptor 2 is a place for messages */
	/* Whether a list of globs, as in CUAUDIT_INCLUDE, matches a library. */
	bool (*library_matches)(const char *list, const char *path, bool is_main);
	/* Reports what is wrong in the environment, once; may end the process. Context: setup. */
	void (*report_environment)(void);
	/* Has cuaudit check know that rules do not judge this process; see audit/unchecked.h. Context: call. */
	void (*leave_unchecked)(void);
	/*
	 * Around all that adds slots: any thread's binding may. The caller's signals are
	 * blocked meanwhile; what was blocked is returned, for the latter.
	 */
	uint64_t (*lock_slots)(void);
	void (*unlock_slots)(uint64_t signals);
	_Atomic bool main_called;	/* constructors have run: main is called next, or was */
	void *resolver;			/* what a route holds before the core knows its slot */
	uint32_t symtab_interposed;		/* stubs went to all: whom not to route is known at the call */
	uint32_t wide_vectors;		/* providers' arguments of more than 16 bytes: enum link_wide */

	/*
	 * core to auditor, under the loader's lock: where slot k's `real` and the
	 * generation are written as well, k * mirror_stride bytes further. NULL:
	 * there is no core yet.
	 */
	_Atomic(void *) *mirror;
	_Atomic uint32_t *mirror_generation;
	uint32_t mirror_stride;

	/*
	 * core to auditor, written by the core's constructor.
	 * attach: routes every slot that has no route yet. finish: the process ends.
	 * process_exit: it calls _exit or the like with a status; see audit/exit.h.
	 */
	void (*_Atomic attach)(void);
	void (*_Atomic finish)(void);
	void (*_Atomic process_exit)(int status);

	/*
	 * core to auditor: the thread that sets the core up, 0 once that is done. Its
	 * driver calls meanwhile, as a plug-in's init may make them, are not hooked.
	 */
	_Atomic int32_t setup_thread;
	_Atomic uint32_t setup_calls;

	/* See audit/libc.h. */
	uint32_t libc_driver;		/* the provider that the C library is; 0: none, its functions have no slots */
	uint32_t libc_slots;		/* the first of them */
	bool libc_dbgmem;		/* dbgmem is to be started, perhaps wrongly */
	const char *libc_libraries;	/* its libraries, globs as the auditor read them; "": none */
	const char *libc_left;		/* one of them that is left out, NULL: none; ... */
	const char *libc_left_why;	/* ... as a message has it */
	_Atomic uint32_t libc_chosen;	/* libraries that came whose calls are seen, ... */
	_Atomic uint32_t libc_bound;	/* ... bindings of theirs that have a slot, and ... */
	_Atomic uint32_t libc_others;	/* ... those of another function of the same name, which have none */

	/* libcuaudit-nvtx.so to auditor: loads the core, if it is not there. Context: setup. */
	void (*load_core)(void);
	/* core to libcuaudit-nvtx.so, before `attach`: NULL where no module wants ranges. */
	_Atomic(const struct range_ops *) ranges;
};

/* The exported variable of the core the auditor writes the table's address to. */
#define LINK_SYMBOL "cuaudit_core_link"

/* That of each auditor the first instance in a process writes its table's address to. */
#define LINK_AUDITOR_SYMBOL "cuaudit_auditor_link"

/* Whether a slot's driver is a library of CUAUDIT_PROVIDERS. */
static inline bool link_is_provider(uint32_t driver)
{
	return driver >= LINK_DRIVERS;
}

/* Whether anything came that may be watched; of the C library's functions, where one was bound. */
static inline bool link_any_provider(const struct link_table *table)
{
	uint32_t unbound = table->libc_driver && !atomic_load_explicit(&table->libc_bound, memory_order_acquire);

	return atomic_load_explicit(&table->ndrivers, memory_order_acquire) ||
	       atomic_load_explicit(&table->nproviders, memory_order_acquire) > unbound;
}

static inline struct link_object *link_object(const struct link_table *table, uint32_t index)
{
	struct link_object *chunk;

	chunk = atomic_load_explicit(&table->chunks[index / LINK_CHUNK], memory_order_acquire);
	return chunk + index % LINK_CHUNK;
}

/*
 * Context: bind, call. The extent of an object, lock-free: as it was at one
 * moment, or false where it changed meanwhile: none of the object's code runs then.
 */
static inline bool link_extent(const struct link_object *object, uintptr_t *lo, uintptr_t *hi)
{
	/* Pairs with the last store of set_extent. */
	uint32_t changes = atomic_load_explicit(&object->changes, memory_order_acquire);

	*lo = atomic_load_explicit(&object->lo, memory_order_relaxed);
	*hi = atomic_load_explicit(&object->hi, memory_order_relaxed);
	/* Pairs with its fence: who read one of its ends sees it under way. */
	atomic_thread_fence(memory_order_acquire);
	return !(changes & 1) &&
	       atomic_load_explicit(&object->changes, memory_order_relaxed) == changes;
}

static inline uint64_t link_binding_key(uint32_t object, uint32_t slot, uint32_t route)
{
	return (uint64_t)object << 32 | (slot * 8 + route + 1);
}

/* The try-th entry in which a binding may be. */
static inline struct link_binding *link_binding_at(const struct link_table *table, uint64_t key,
						   uint32_t try)
{
	uint32_t at = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 40);

	return &table->bindings[(at + try) % LINK_BINDINGS];
}

/* Context: bind, call. Whether the binding was counted. */
static inline bool link_is_bound(const struct link_table *table, uint32_t object, uint32_t slot,
				 uint32_t route)
{
	uint64_t key = link_binding_key(object, slot, route), found = key;

	for (uint32_t i = 0; i < LINK_BINDING_TRIES && found; i++) {
		found = atomic_load_explicit(&link_binding_at(table, key, i)->key,
					     memory_order_relaxed);
		if (found == key)
			return true;
	}
	return false;
}

/* Context: bind, call. Counts a binding; lock-free, any thread. */
static inline void link_count(struct link_table *table, uint32_t object, uint32_t slot,
			      uint32_t route)
{
	uint64_t key = link_binding_key(object, slot, route);

	for (uint32_t i = 0; i < LINK_BINDING_TRIES; i++) {
		struct link_binding *binding = link_binding_at(table, key, i);
		uint64_t found = 0;

		if (atomic_load_explicit(&binding->key, memory_order_relaxed) == key ||
		    atomic_compare_exchange_strong_explicit(&binding->key, &found, key,
							    memory_order_relaxed,
							    memory_order_relaxed) ||
		    found == key) {
			atomic_fetch_add_explicit(&binding->count, 1, memory_order_relaxed);
			return;
		}
	}
	atomic_fetch_add_explicit(&table->lost_bindings, 1, memory_order_relaxed);
}

#endif
