/* SPDX-License-Identifier: Apache-2.0 */
/* What the limit hook keeps for each address and handle: a table without locks. */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_TABLE_H
#define HOOKS_MODULES_LIMIT_LIMIT_TABLE_H

#include <stdatomic.h>
#include <stdint.h>

/* What a value is; equal values of two kinds are two things. */
enum table_kind {
	TABLE_MEMORY = 1,	/* an address that is freed */
	TABLE_ARRAY,
	TABLE_MIPMAP,
	TABLE_HANDLE,		/* of physical memory */
	TABLE_OPENED,		/* an address opened once or more */
	TABLE_MAPPING,		/* an address that physical memory is mapped at */
	TABLE_GRAPH		/* an executable graph */
};

/*
 * One thing. owner and library are whatever the user of that kind keeps. A
 * slot keeps its place until it is dropped.
 */
struct slot {
	_Atomic uint64_t key;
	_Atomic uint64_t owner;
	uint64_t charge;
	uint32_t library;
	uint32_t count;
	uint32_t leaving;
	struct slot *chain;	/* of those that one call claimed */
};

/* All here: context call, any thread. NULL when memory is out. */
struct slot *table_add(enum table_kind kind, uint64_t value, uint64_t charge, uint64_t owner,
		       uint32_t library);

struct slot *table_find(enum table_kind kind, uint64_t value);

/* The same, and nobody finds it any more until it is restored; or it is dropped. */
struct slot *table_claim(enum table_kind kind, uint64_t value);
void table_restore(struct slot *slot);
void table_drop(struct slot *slot);

/* The value a slot stands for. */
uint64_t table_value(const struct slot *slot);

/*
 * The next slot of a kind after *cursor (start: 0) whose owner is this, or
 * any for owner 0; NULL past the last. claim: claimed, so that each is
 * one caller's.
 */
struct slot *table_next(uint64_t *cursor, enum table_kind kind, uint64_t owner, int claim);

/* In the child of fork: empty. */
void table_forked(void);

#endif
