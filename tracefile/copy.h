/* SPDX-License-Identifier: Apache-2.0 */
/* What recorded calls copied: how many bytes, in which direction. */
#ifndef TRACEFILE_COPY_H
#define TRACEFILE_COPY_H

#include "tracefile/arguments.h"

enum copy_direction {
#define DIRECTION(NAME, number, text, label) COPY_##NAME = number,
#include "tables/facts.def"
	COPY_DIRECTIONS
};

/* "HtoD", and "Host-to-Device". */
extern const char *const copy_names[COPY_DIRECTIONS], *const copy_labels[COPY_DIRECTIONS];

/* What a function does, found once for each. */
enum copy_kind {
	COPY_NONE = -1,
	COPY_TYPED = COPY_DIRECTIONS	/* its argument says in which direction; else the direction */
};
int copy_kind(const struct trace_function *function);

struct copy {
	enum copy_direction direction;
	uint64_t bytes;
	bool sized;	/* the bytes are known */
};

/* arguments: NULL if there are none. */
struct copy copy_read(int kind, const struct trace_arguments *arguments);

#endif
