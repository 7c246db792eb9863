/* SPDX-License-Identifier: Apache-2.0 */
/* The objects there are at a time, by handle. */
#ifndef ANALYSIS_LIVE_H
#define ANALYSIS_LIVE_H

#include <stddef.h>
#include <stdint.h>

struct live_object {
	uint64_t handle;
	uint64_t size;
	uint64_t allocated;		/* ticks */
	uint32_t claims;	/* 0: no object */
	uint8_t space, kind;
};

/* Zeroed, it is empty. */
struct live {
	struct live_object *slots;
	size_t nslots, count;
};

/* NULL if there is none. Valid until the next live_add or live_remove. */
struct live_object *live_find(const struct live *live, uint8_t space, uint64_t handle);

/* Adds one that is not there. 0 or -ENOMEM. */
int live_add(struct live *live, const struct live_object *object);

void live_remove(struct live *live, struct live_object *object);

void live_free(struct live *live);

#endif
