/* SPDX-License-Identifier: Apache-2.0 */
/* Between which kinds of memory a call copies. */
#ifndef HOOKS_BLOCKING_COPY_H
#define HOOKS_BLOCKING_COPY_H

#include <stdbool.h>
#include <stdint.h>

#include "print/table.h"

/* What the call says of an address. */
enum blocking_side_kind {
	BLOCKING_NONE,	/* there is none, or an array */
	BLOCKING_HOST,
	BLOCKING_OF_DEVICE,
	BLOCKING_ANY	/* the driver knows what it is */
};

struct blocking_side {
	enum blocking_side_kind kind;
	uint64_t address;
};

/* One copy, or a set, which has no `from`. */
struct blocking_copy {
	struct blocking_side to, from;
	bool empty;
	bool small;	/* at most BLOCKING_SMALL bytes */
};

/* From pageable to device memory, so many bytes do not wait: GUIDE, and measured. */
enum { BLOCKING_SMALL = 64 << 10 };

/* Context: call, all of them. The integer member of that name in a structure's bytes. */
bool blocking_member(struct print_struct members, const char *bytes, const char *name,
		     uint64_t *value);

/* What a structure such as CUDA_MEMCPY3D describes. */
struct blocking_copy blocking_described(struct print_struct members, const char *bytes);

/* Whether it waits when it is made without a stream: it is of memory that the host has. */
bool blocking_copy_host(const struct blocking_copy *copy);

/* Whether it waits in a stream: of pageable memory, or from host to host. */
bool blocking_copy_pageable(const struct blocking_copy *copy);

/* The same of a batch of copies; false if their arrays cannot be read. */
bool blocking_batch(uint64_t to, uint64_t from, uint64_t sizes, uint64_t count);
bool blocking_batch_3d(uint64_t operations, uint64_t count);

#endif
