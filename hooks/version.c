/* SPDX-License-Identifier: Apache-2.0 */
/* Asks each driver its version. */
#include "hooks/version.h"

#include <stdbool.h>
#include <string.h>

#include "hooks/core_link.h"
#include "hooks/coverage.h"

typedef int (*version_fn)(int *version);

static const char *const names[] = {
#define VERSION(symbol) #symbol,
#include "hooks/core_functions.def"
};

static atomic_bool asked[LINK_DRIVERS];

static bool is_version(const char *name)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], name))
			return true;
	return false;
}

void version_ask(void)
{
	static _Atomic uint32_t next;
	uint32_t count = cuaudit_functions();

	for (uint32_t i = atomic_exchange(&next, count); i < count; i++) {
		const struct link_slot *slot = &cuaudit_core_link->slots[i];
		void *real = atomic_load_explicit(&slot->real, memory_order_relaxed);
		int version = 0;

		if (!is_version(slot->name) || atomic_exchange(&asked[slot->driver], true))
			continue;
		if (!((version_fn)real)(&version))
			coverage_version(slot->driver, (uint32_t)version);
	}
}
