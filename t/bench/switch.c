/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What overhead.py and within.py ask of the table that auditor and core share. They
 * build it when they start, so that it has that table's layout of this day.
 */
#include <internal/link.h>

uint32_t switch_count(const struct link_table *table);
void *switch_routes(const struct link_table *table);
void *switch_real(const struct link_table *table, uint32_t slot);
uint32_t switch_hooked(const struct link_table *table);

/* Stubs in use, or 0 where the process's auditor has another layout. */
uint32_t switch_count(const struct link_table *table)
{
	if (table->version != LINK_VERSION || table->size != sizeof(*table))
		return 0;
	return atomic_load(&table->nslots);
}

void *switch_routes(const struct link_table *table)
{
	return table->routes;
}

void *switch_real(const struct link_table *table, uint32_t slot)
{
	return atomic_load(&table->slots[slot].real);
}

/* Stubs that jump to hooks, not to the driver or to what looks for hooks first. */
uint32_t switch_hooked(const struct link_table *table)
{
	uint32_t count = 0;

	for (uint32_t slot = 0; slot < switch_count(table); slot++) {
		void *route = atomic_load(&table->routes[slot]);

		count += route != switch_real(table, slot) && route != table->resolver;
	}
	return count;
}
