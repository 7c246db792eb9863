/* SPDX-License-Identifier: Apache-2.0 */
/* The fake driver's table by which runtimes report their calls to tools. */
#ifndef T_FAKE_TOOLS_H
#define T_FAKE_TOOLS_H

#include <stddef.h>
#include <stdint.h>

enum { TOOLS_FLAGS = 1024, TOOLS_ENTER = 0, TOOLS_EXIT = 1 };

/* What a runtime reports a call by. */
struct tools_report {
	uint32_t size, unset;
	uint64_t unknown[3];
	uint64_t *correlation;
	int32_t *status;
	const char *name;
	const void *params;
	void *context;
	uint64_t unknown_too;
	uint32_t callback, site;
	uint64_t rest[4];
};

struct tools_table {
	size_t size;
	void (*report)(uint64_t callback, struct tools_report *report);
	void (*ask)(uint32_t **flags, size_t *count);
	void (*unknown)(void);
	void (*begin)(void);
	void (*unknown_too)(void);
	void (*ask_bytes)(void **bytes, size_t *count);
};

static const unsigned char tools_uuid[16] = {
	0xa0, 0x94, 0x79, 0x8c, 0x2e, 0x74, 0x2e, 0x74, 0x93, 0xf2, 0x08, 0x00, 0x20, 0x0c, 0x0a, 0x66
};

/* What a tool in the driver has: its flags, and what was reported to it. */
extern struct fake_tools {
	uint32_t flags[TOOLS_FLAGS];
	_Atomic uint32_t reports[TOOLS_FLAGS];
	_Atomic uint32_t begins;
} fake_tools;

/* The table as FAKE_TOOLS wants it: whole, size, flags, taken, writable; NULL: there is none. */
__attribute__((visibility("hidden"))) const struct tools_table *tools_table(void);

#endif
