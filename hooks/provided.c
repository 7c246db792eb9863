/* SPDX-License-Identifier: Apache-2.0 */
/* Which libraries of CUAUDIT_PROVIDERS came, and what of them has no hook. */
#include "hooks/provided.h"

#include <cuaudit/api.h>
#include <cuaudit/call.h>
#include <string.h>

#include "hooks/core_link.h"
#include "util/globs.h"
#include "util/selector.h"

bool provided_came(const char *glob)
{
	const struct link_table *link = cuaudit_core_link;
	uint32_t count = atomic_load_explicit(&link->nproviders, memory_order_acquire);

	for (uint32_t i = LINK_DRIVERS; i < LINK_DRIVERS + count; i++)
		if ((i != link->libc_driver || atomic_load_explicit(&link->libc_chosen, memory_order_relaxed)) &&
		    glob_matches(glob, strlen(glob), link->drivers[i].name))
			return true;
	return false;
}

/* A function of the C library, of whose calls some are not seen. */
static bool takes_unseen(const struct selector *selector)
{
	const struct link_table *link = cuaudit_core_link;
	bool unseen = link->libc_left || atomic_load_explicit(&link->libc_others, memory_order_relaxed);

	for (uint32_t i = 0; unseen && link->libc_driver && i < LINK_LIBC_FUNCTIONS; i++) {
		const struct cuaudit_function function = {
			.id = CUAUDIT_ID_PROVIDER, .name = link->slots[link->libc_slots + i].name,
			.base = link->slots[link->libc_slots + i].name,
		};

		if (selector_takes(selector, &function))
			return true;
	}
	return false;
}

bool provided_unfit(const struct selector *selector)
{
	const struct link_alias *name = atomic_load_explicit(&cuaudit_core_link->unfit, memory_order_acquire);
	int32_t last = -1;

	if (takes_unseen(selector))
		return true;
	for (; name; name = name->next) {
		const struct cuaudit_function function = {
			.id = CUAUDIT_ID_PROVIDER, .name = name->name, .base = name->name,
		};
		int32_t number = selector_last(selector, &function);

		last = number > last ? number : last;
		if (name->next && name->next->slot == name->slot)
			continue;
		if (selector_decides(selector, last))
			return true;
		last = -1;
	}
	return false;
}
