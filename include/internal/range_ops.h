/* SPDX-License-Identifier: Apache-2.0 */
/* What libcuaudit-nvtx.so asks of the core: found in the link table, NULL where no module wants ranges. */
#ifndef INCLUDE_INTERNAL_RANGE_OPS_H
#define INCLUDE_INTERNAL_RANGE_OPS_H

#include <stdbool.h>
#include <stddef.h>

#include <cuaudit/range.h>

/* The text may be of any length, and lead anywhere; it is the caller's. */
struct range_event {
	const char *text;	/* NULL: none */
	uint64_t payload;
	uint32_t domain;
	uint32_t category;
	uint32_t colour;
	uint8_t flags;		/* enum cuaudit_range_flags */
	uint8_t payload_type;	/* enum cuaudit_range_payload */
};

/* What a thread without one is given: NVTX's answer where nobody follows. */
enum { RANGE_NO_LEVEL = -2 };

/* Ids of ranges are 1 from this bit on, and of those that are open differ by CUAUDIT_RANGE_OPEN. */
enum { RANGE_ID_TAG = 62 };

/* Context of all: call. */
struct range_ops {
	/* The range's level in its domain, from 0 on, or RANGE_NO_LEVEL. */
	int (*push)(const struct range_event *event);
	int (*pop)(uint32_t domain);
	/* 0: it could not be followed. */
	uint64_t (*start)(const struct range_event *event);
	void (*end)(uint64_t id);
	void (*mark)(const struct range_event *event);
	/* The index of a name, as cuaudit_range_name_at has it; CUAUDIT_RANGE_NO_DOMAIN: there are too many. */
	uint32_t (*name)(uint32_t kind, uint32_t domain, uint64_t id, const char *text);
	const struct cuaudit_range_name *(*name_at)(uint32_t index);
	void *(*pages)(size_t size);
	/* A warning, once. Context: setup. */
	void (*complain)(const char *text);
	/* Whether so many bytes of the program's can be read. */
	bool (*readable)(const void *address, size_t size);
};

/* The exported variable of libcuaudit-nvtx.so that the auditor writes the table's address to. */
#define RANGES_SYMBOL "cuaudit_nvtx_link"

#endif
