/* SPDX-License-Identifier: Apache-2.0 */
/* Every function there is by name: of the table, then of the drivers that are loaded. */
#include "hooks/known.h"

#include "hooks/core.h"
#include "hooks/layout.h"

bool known_function(uint32_t index, struct cuaudit_function *function)
{
	const struct link_table *link = cuaudit_core_link;
	const struct link_alias *alias;
	uint32_t slots;

	*function = (struct cuaudit_function){ .id = -1 };
	if (index < layout_count) {
		const struct layout *row = layout_row(index);

		function->name = row->name;
		function->base = row->base;
		function->classes = row->classes;
		return true;
	}
	index -= layout_count;
	slots = atomic_load_explicit(&link->nslots, memory_order_acquire);
	if (index < slots) {
		function->name = function->base = link->slots[index].name;
		return true;
	}
	alias = atomic_load_explicit(&link->aliases, memory_order_acquire);
	for (index -= slots; alias && index; index--)
		alias = alias->next;
	if (alias)
		function->name = function->base = alias->name;
	return alias;
}
