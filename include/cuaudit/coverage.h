/* SPDX-License-Identifier: Apache-2.0 */
/* What was intercepted, by which route, and what was not. */
#ifndef CUAUDIT_COVERAGE_H
#define CUAUDIT_COVERAGE_H

#include <cuaudit/call.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a program binds a function. */
enum cuaudit_route {
	CUAUDIT_ROUTE_PLT,		/* JUMP_SLOT, lazy or at load */
	CUAUDIT_ROUTE_DLSYM,		/* dlsym, dlvsym */
	CUAUDIT_ROUTE_RELOCATION,	/* GLOB_DAT, R_*_64 */
	CUAUDIT_ROUTE_PROCADDR,		/* answers of cuGetProcAddress */
	CUAUDIT_ROUTES
};

/* A copy of the driver. version: cuDriverGetVersion's word, 0 if it was never asked. */
struct cuaudit_driver {
	const char *path;
	uint32_t index;
	uint32_t version;
	uint32_t functions;	/* exported functions */
	uint32_t without_slot;	/* of these without a slot */
};

/* From this number on, copies of the driver are libraries of CUAUDIT_PROVIDERS, of which slots are bound functions. */
enum { CUAUDIT_FIRST_PROVIDER = 64 };

/* Context: setup. The index-th copy, or NULL past the last; of CUAUDIT_FIRST_PROVIDER on likewise. */
CUAUDIT_PUBLIC const struct cuaudit_driver *cuaudit_driver_get(uint32_t index);

/* No slot of any process is as high. */
enum { CUAUDIT_SLOTS_MAX = 16384 };

/* Context: call. Number of intercepted functions; slots are 0 .. n-1. */
CUAUDIT_PUBLIC uint32_t cuaudit_functions(void);

/* Context: call. The function of a slot, or NULL. */
CUAUDIT_PUBLIC const struct cuaudit_function *cuaudit_function_get(uint32_t slot);

/* Context: call. How often the function of slot was bound by route. */
CUAUDIT_PUBLIC uint64_t cuaudit_bound(uint32_t slot, enum cuaudit_route route);

/* That a library bound a function by one route, and how often. */
struct cuaudit_binding {
	const struct cuaudit_library *library;
	uint32_t slot;
	enum cuaudit_route route;
	uint32_t real;		/* not 0: it was given the driver's own address, being excluded */
	uint64_t count;
};

/*
 * Context: setup. Fills in the binding at an index of the table they are kept
 * in: 1, 0 where there is none, -ENOENT past the last index.
 */
CUAUDIT_PUBLIC int cuaudit_binding_get(uint32_t index, struct cuaudit_binding *binding);

/* Context: setup. Bindings that found no room in that table. */
CUAUDIT_PUBLIC uint64_t cuaudit_bindings_lost(void);

/* Why something could not be intercepted. */
enum cuaudit_escape_kind {
	CUAUDIT_ESCAPE_PROCADDR,	/* cuGetProcAddress answered a pointer that is no export */
	CUAUDIT_ESCAPE_SLOTS,		/* no slot was left for so many exports of a driver */
	CUAUDIT_ESCAPE_DRIVER,		/* a copy of the driver there was no room for */
	CUAUDIT_ESCAPE_SYMBOLS,		/* a driver's symbol table that cannot be changed */
	CUAUDIT_ESCAPE_RELOCATIONS,	/* a library's relocations that cannot be changed */
	CUAUDIT_ESCAPE_OBJECT,		/* a library whose tables cannot be read */
	CUAUDIT_ESCAPE_FULL,		/* a library that came when there was no room for more */
	CUAUDIT_ESCAPE_IFUNC,		/* exports of a driver whose address a resolver chooses */
	CUAUDIT_ESCAPE_PROVIDER,	/* a library of CUAUDIT_PROVIDERS there was no room for */
	CUAUDIT_ESCAPE_UNFIT,		/* bindings to a provider's functions that no hook can be around */
	CUAUDIT_ESCAPES
};

/* One thing that escaped; equal ones are counted together, and all past the 255th. */
struct cuaudit_escape {
	enum cuaudit_escape_kind kind;
	char name[64];		/* what was asked for, or the base name of a file, cut */
	uint32_t version;	/* CUAUDIT_ESCAPE_PROCADDR: cudaVersion asked for */
	uint64_t flags;
	const struct cuaudit_library *library;	/* who asked, or NULL */
	uint64_t count;
};

/* Context: setup. The index-th escape, or NULL past the last. */
CUAUDIT_PUBLIC const struct cuaudit_escape *cuaudit_escape_get(uint32_t index);

/* An answer of cuGetExportTable, by UUID, size word and caller. */
struct cuaudit_export_table {
	uint8_t uuid[16];
	uint64_t size;		/* its first word where that is a size, else 0 */
	const struct cuaudit_library *library;
	uint64_t count;
	int32_t result;
};

/* Context: setup. The index-th table asked for, or NULL past the last. */
CUAUDIT_PUBLIC const struct cuaudit_export_table *cuaudit_export_table_get(uint32_t index);

/*
 * Context: setup. Calls no hook saw the end of: left by longjmp or by an
 * exception through a callback of the driver.
 */
CUAUDIT_PUBLIC uint64_t cuaudit_unwound_calls(void);

/*
 * Context: setup. Hooks that were left while they ran: a signal handler came
 * between and left by siglongjmp. Their calls are counted by none of them, or by some.
 */
CUAUDIT_PUBLIC uint64_t cuaudit_unwound_hooks(void);

/*
 * Context: setup. Calls that went straight to the driver because a hook was
 * running on their thread: the hook's own, and those of a signal handler
 * that interrupted it.
 */
CUAUDIT_PUBLIC uint64_t cuaudit_unhooked_calls(void);

#ifdef __cplusplus
}
#endif
#endif
