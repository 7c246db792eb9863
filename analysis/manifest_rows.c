/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of driver functions, and of drivers. */
#include <string.h>

#include "analysis/manifest.h"

enum { PER_THREAD = 2 };	/* of cuGetProcAddress's flags */

enum flavour { NONE, PTDS, PTSZ };

static const struct row {
	const char *symbol, *base;
	uint16_t version;	/* from which cuGetProcAddress answers it, 0: never */
	uint16_t header;
	uint8_t flavour;
} rows[] = {
#define CUAPI(id, symbol, base, version, variant, flavour, hdr, classes, nparams, params) \
	[id] = { #symbol, #base, version, hdr, flavour },
#include <cuaudit/driver_api.def>
#undef CUAPI
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static const struct {
	uint32_t version;
	unsigned int branch;
} branches[] = {
#define BRANCH(version, branch) { version, branch },
#include "analysis/manifest.def"
};
enum { BRANCHES = sizeof(branches) / sizeof(branches[0]) };

/* Only where a base has forms for a stream per thread do the flags tell them apart. */
static bool has_per_thread(const char *base)
{
	for (int32_t id = 0; id < ROWS; id++)
		if (rows[id].flavour != NONE && !strcmp(rows[id].base, base))
			return true;
	return false;
}

int32_t manifest_resolve(const char *base, int32_t version, uint64_t flags)
{
	bool per_thread = flags & PER_THREAD && has_per_thread(base);
	int32_t found = -1;

	for (int32_t id = 0; id < ROWS; id++)
		if (rows[id].version && rows[id].version <= version &&
		    (rows[id].flavour != NONE) == per_thread && !strcmp(rows[id].base, base) &&
		    (found < 0 || rows[id].version > rows[found].version))
			found = id;
	return found;
}

const char *manifest_symbol(int32_t row)
{
	return row >= 0 && row < ROWS ? rows[row].symbol : NULL;
}

uint32_t manifest_since(int32_t row)
{
	if (row < 0 || row >= ROWS)
		return 0;
	return rows[row].version ? rows[row].version : rows[row].header;
}

uint32_t manifest_base_since(const char *base)
{
	uint32_t first = 0;

	for (int32_t id = 0; id < ROWS; id++)
		if (!strcmp(rows[id].base, base) && (!first || manifest_since(id) < first))
			first = manifest_since(id);
	return first;
}

unsigned int manifest_branch(uint32_t version)
{
	for (int i = 0; i < BRANCHES; i++)
		if (branches[i].version >= version)
			return branches[i].branch;
	return 0;
}
