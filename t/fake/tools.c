/* SPDX-License-Identifier: Apache-2.0 */
/* The fake driver's table by which runtimes report their calls to tools, as a real driver's was measured. */
#include "t/fake/tools.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT struct fake_tools fake_tools;

static void report(uint64_t callback, struct tools_report *its)
{
	(void)its;
	fake_tools.reports[callback % TOOLS_FLAGS]++;
}

static void ask(uint32_t **flags, size_t *count)
{
	*flags = fake_tools.flags;
	*count = TOOLS_FLAGS;
}

static void ask_fewer(uint32_t **flags, size_t *count)
{
	*flags = fake_tools.flags;
	*count = TOOLS_FLAGS / 2;
}

static void ask_bytes(void **bytes, size_t *count)
{
	static char some[14];

	*bytes = some;
	*count = sizeof(some);
}

static void begin(void)
{
	fake_tools.begins++;
}

#define TABLE(size, report, ask) { size, report, ask, begin, begin, begin, ask_bytes }
static const struct tools_table whole = TABLE(0x38, report, ask);
static const struct tools_table larger = TABLE(0x40, report, ask);
static const struct tools_table fewer = TABLE(0x38, report, ask_fewer);
static const struct tools_table taken = TABLE(0x38, (void (*)(uint64_t, struct tools_report *))(void *)abort, ask);
static struct tools_table writable = TABLE(0x38, report, ask);

const struct tools_table *tools_table(void)
{
	static const struct {
		const char *name;
		const struct tools_table *table;
	} tables[] = {
		{ "whole", &whole }, { "size", &larger }, { "flags", &fewer }, { "taken", &taken },
		{ "writable", &writable },
	};
	const char *wanted = getenv("FAKE_TOOLS");

	for (size_t i = 0; wanted && i < sizeof(tables) / sizeof(tables[0]); i++)
		if (!strcmp(tables[i].name, wanted))
			return tables[i].table;
	return NULL;
}
