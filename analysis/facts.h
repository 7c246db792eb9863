/* SPDX-License-Identifier: Apache-2.0 */
/* What a recorded function does to memory, or which kernel it launches. */
#ifndef ANALYSIS_FACTS_H
#define ANALYSIS_FACTS_H

#include <stdbool.h>
#include <stdint.h>

#include "tracefile/tracefile.h"

enum fact_action {
	FACT_NONE,
	FACT_LAUNCHES,
	FACT_ALLOCATES,
	FACT_CLAIMS,
	FACT_FREES
};

enum fact_how {
	FACT_BYTES,
	FACT_PITCH,
	FACT_ARRAY,
	FACT_ARRAY3D,
	FACT_BUFFER,	/* these of no memory that is counted */
	FACT_MULTICAST,
	FACT_REGION
};

enum { FACT_NO_WORD = 255, FACT_SEARCH = UINT16_MAX };

struct fact {
	uint8_t action;		/* enum fact_action */
	uint8_t kind;		/* enum summary_memory_kind, of FACT_ALLOCATES */
	uint8_t space;		/* of the handle */
	uint8_t how;		/* enum fact_how */
	uint8_t handle;		/* its word */
	uint8_t size;		/* its word */
	uint8_t height;		/* its word */
	uint8_t levels;		/* its word, of arrays with several */
	int8_t copies;		/* copy_kind, COPY_NONE for most */
	bool waits;		/* until work is done */
	bool asks;		/* CUDA_ERROR_NOT_READY is an answer of it */
	uint16_t at;		/* where the handle is in the arguments, FACT_SEARCH if that varies */
};

/* FACT_NONE for functions that do neither, or whose parameters this tool's tables do not have. */
struct fact fact_of(const struct trace_function *function);

/* Of all functions of a trace, by their indices; to be freed. NULL when memory is out. */
struct fact *facts_of(const struct trace *trace);

#endif
