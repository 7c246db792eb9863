/* SPDX-License-Identifier: Apache-2.0 */
/* The lock of what bindings change: slots and their names. Context: bind. */
#ifndef AUDIT_SLOT_LOCK_H
#define AUDIT_SLOT_LOCK_H

#include <stdint.h>

/*
 * With the caller's signals blocked: lazy bindings of any thread add slots. A child of
 * fork never waits for a thread that it does not have. Returns what was blocked, for the
 * latter.
 */
uint64_t slot_lock_take(void);
void slot_lock_release(uint64_t signals);

#endif
