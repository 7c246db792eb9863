/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver of the tests of shares counts. */
#ifndef T_LIMIT_DEVICE_H
#define T_LIMIT_DEVICE_H

#include <stdatomic.h>
#include <stdint.h>

#include "sim/api.h"

extern struct device_calls {
	atomic_int launches, records;
	atomic_int captured;	/* records in a stream that is being captured */
	atomic_int amid;	/* questions by a thread that captures, */
	atomic_int unsafe;	/* and by any one that ended a capture by that */
	atomic_int dead;	/* uses of events and streams that are no more */
	_Atomic uint64_t ahead;	/* ns, the most by which the end of all that is submitted was ahead of now */
} device_calls;

#endif
