/* SPDX-License-Identifier: Apache-2.0 */
/* What the trace has no number for, streams say, numbered as they come. */
#ifndef EXPORT_HANDLES_H
#define EXPORT_HANDLES_H

#include <stdbool.h>
#include <stdint.h>

struct trace;

/* Those beyond have the number 0. */
enum { HANDLES_MAX = 3072, HANDLES_SLOTS = 4096 };

/* Zeroed, it is empty. */
struct handles {
	struct {
		uint64_t handle;
		uint32_t number;	/* 0: an empty slot */
	} slots[HANDLES_SLOTS];
	uint32_t count;
};

/* Its number, from 1 on; fresh: it was not there before. */
uint32_t handles_number(struct handles *handles, uint64_t handle, bool *fresh);

enum { HANDLES_NAME = 128 };

/* What the launches into a stream are shown under. */
void handles_stream_name(char name[HANDLES_NAME], const struct trace *trace, uint64_t handle);

#endif
