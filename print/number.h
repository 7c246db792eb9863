/* SPDX-License-Identifier: Apache-2.0 */
/* Small numbers for handles, the same for a handle throughout. */
#ifndef PRINT_NUMBER_H
#define PRINT_NUMBER_H

#include <stdatomic.h>
#include <stdint.h>

#include "print/table.h"

enum { NUMBER_SLOTS = 16384 };	/* a power of two */

/* All zero in the beginning. */
struct numbers {
	_Atomic uint32_t next[PRINT_KINDS];
	struct {
		_Atomic uint64_t key;
		_Atomic uint32_t number;
	} slots[NUMBER_SLOTS];
};

/*
 * Context: call. The number of a handle of a kind from 1 on, in the order they
 * are first asked for; 0 when the table is full or the value is no address.
 */
uint32_t number_of(struct numbers *numbers, uint32_t kind, uint64_t value);

#endif
