/* SPDX-License-Identifier: Apache-2.0 */
/* Every function there is by name: of the table, then of the drivers that are loaded. */
#include "hooks/name_iterator.h"

#include <cuaudit/api.h>
#include <cuaudit/hook.h>
#include <errno.h>
#include <string.h>

#include "hooks/core_link.h"
#include "hooks/domain.h"
#include "hooks/export_slot.h"
#include "hooks/layout.h"
#include "hooks/runtime_row.h"
#include "util/selector.h"

bool name_iterator_get(uint32_t index, struct cuaudit_function *function)
{
	const struct link_table *link = cuaudit_core_link;
	const struct link_alias *alias;
	uint32_t slots;
	int number;

	*function = (struct cuaudit_function){ .id = -1 };
	if (index == SELECTOR_LATER)
		return link->environment.providers[0] || domain_is_on(DOMAIN_RUNTIME);
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
		number = layout_find(function->name);
		function->id = runtime_row_of_slot(index) ? CUAUDIT_ID_RUNTIME :
			       export_slot_is(index) ? CUAUDIT_ID_TABLES :
			       link_is_provider(link->slots[index].driver) ? CUAUDIT_ID_PROVIDER :
			       CUAUDIT_ID_UNKNOWN;
		if (function->id == CUAUDIT_ID_TABLES)
			function->base = *function->name ? export_slot_base(index) : export_slot_refused();
		function->classes = number < 0 ? 0 : layout_row((uint32_t)number)->classes;
		return true;
	}
	alias = atomic_load_explicit(&link->aliases, memory_order_acquire);
	for (index -= slots; alias && index; index--)
		alias = alias->next;
	if (alias) {
		function->name = function->base = alias->name;
		function->id = strchr(alias->name, ':') ? CUAUDIT_ID_PROVIDER : CUAUDIT_ID_UNKNOWN;
	}
	return alias;
}

const char *name_iterator_fault(const char *part, size_t length)
{
	const char *refused = export_slot_refused();

	return length > EXPORT_DIGITS && part[EXPORT_DIGITS] == '[' && !memcmp(part, refused, EXPORT_DIGITS) ?
	       "is of the table by which runtimes check the driver, which is never hooked; the driver's "
	       "report names the others" : "names no function";
}

int cuaudit_selector_check(const char *name, const char *text)
{
	const char *part;
	char near[SELECTOR_NEAR];
	size_t length;
	bool fault;

	part = selector_fault(text, &length);
	fault = part;
	if (!part)
		part = selector_unknown_name(text, &length, name_iterator_get);
	if (!part && selector_takes_none(text, name_iterator_get)) {
		cuaudit_log(CUAUDIT_WARN, "%s: '%s' takes no function: its parts with ! take away "
			    "those of the others", name, text);
		return -ENOENT;
	}
	if (!part)
		return 0;
	selector_near(part, length, near, name_iterator_get);
	cuaudit_log(CUAUDIT_WARN, "%s: '%.*s' %s%s", name, (int)length, part,
		    fault ? "is no selector" : name_iterator_fault(part, length), near);
	return fault ? -EINVAL : -ENOENT;
}
