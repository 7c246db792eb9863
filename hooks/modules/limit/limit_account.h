/* SPDX-License-Identifier: Apache-2.0 */
/* How much of each quota is taken, and by which libraries. */
#ifndef HOOKS_MODULES_LIMIT_LIMIT_ACCOUNT_H
#define HOOKS_MODULES_LIMIT_LIMIT_ACCOUNT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <cuaudit/call.h>

enum { ACCOUNT_DEVICES = 64, ACCOUNT_LIBRARIES = 256, ACCOUNT_ALL = 100000 };

#define ACCOUNT_NONE UINT64_MAX	/* no limit */

/* used and peak count what is being asked of the driver as well: they are never too low. */
struct account {
	_Atomic uint64_t used;
	_Atomic uint64_t peak;
	_Atomic uint64_t refused;	/* calls */
	_Atomic uint64_t limit;		/* 0 as long as only its share is known */
	uint32_t share;			/* of the memory there is, in ACCOUNT_ALL parts; 0: none */
	bool own;			/* of a device: it was given by its number */
} __attribute__((aligned(64)));

/* A library's part in it. */
struct library_account {
	_Atomic(const struct cuaudit_library *) library;
	_Atomic uint64_t used;
	_Atomic uint64_t peak;
	_Atomic uint64_t taken;		/* calls */
	_Atomic uint64_t refused;
} __attribute__((aligned(64)));

extern struct account account_devices[ACCOUNT_DEVICES], account_process, account_user;

/* The last one stands for all libraries that have no place of their own. */
extern struct library_account account_libraries[ACCOUNT_LIBRARIES];

/*
 * All here: context call, any thread. A foreign charge, of memory another
 * process has taken, is none of the user's. force: over the limit if need be.
 * NULL when it was taken, or the account that does not allow it.
 */
struct account *account_take(uint32_t device, uint64_t bytes, bool foreign, bool force);
void account_give(uint32_t device, uint64_t bytes, bool foreign);

/* What was taken is the program's now: peaks. */
void account_keep(uint32_t device);

/* What is taken of a device, but for what is foreign. */
uint64_t account_own(uint32_t device);

/* The one of the least limit over a device, and the least of what is left. */
struct account *account_least(uint32_t device);
uint64_t account_left(uint32_t device);

/* The place of a library, and what it holds; bytes may be negative. */
uint32_t account_library(const struct cuaudit_library *library);
void account_hold(uint32_t library, int64_t bytes);

/* In the child of fork: nothing is taken. */
void account_forked(void);

#endif
