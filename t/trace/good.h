/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that have to succeed, or the program ends. */
#ifndef T_TRACE_GOOD_H
#define T_TRACE_GOOD_H

#include <stdio.h>
#include <stdlib.h>

#define GOOD(call) \
	do { \
		CUresult rc_ = (call); \
		if (rc_) { \
			fprintf(stderr, "%s: %d\n", #call, (int)rc_); \
			exit(1); \
		} \
	} while (0)

#endif
